"""What lives in Redis, over one client."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import timedelta
from typing import TYPE_CHECKING

from reactor.adapters.redis_claims import RedisClaims, RedisFirsts
from reactor.adapters.redis_client import connect
from reactor.adapters.redis_contexts import RedisContexts
from reactor.adapters.redis_forms import RedisForms
from reactor.adapters.redis_outcomes import RedisOutcomes
from reactor.adapters.redis_timers import RedisTimers
from reactor.errors import ReactorError
from reactor.settings import Settings

if TYPE_CHECKING:
    from redis.asyncio import Redis


class NoServer(ReactorError):
    """A command needs a server whose address nobody gave."""

    def __init__(self, server: str, name: str) -> None:
        super().__init__(server, name)
        self.server, self.name = server, name

    def __str__(self) -> str:
        return (
            f"no address of {self.server} is set: set {self.name}, or start everything, the"
            " servers included, with `reactor up`"
        )


@dataclass(frozen=True, slots=True)
class RedisParts:
    """A client, and what is kept through it."""

    client: "Redis"
    prefix: str
    claims: RedisClaims
    firsts: RedisFirsts
    forms: RedisForms
    timers: RedisTimers
    contexts: RedisContexts
    outcomes: RedisOutcomes


@asynccontextmanager
async def redis_parts(settings: Settings) -> AsyncIterator[RedisParts]:
    """Connect when first used; disconnect at the end.  Raises `NoServer`."""
    url = settings.redis.url
    if url is None:
        raise NoServer("Redis", "REDIS_URL")
    client = connect(url.get_secret_value(), max_connections=settings.worker.concurrency + 16)
    prefix = settings.redis.prefix
    keep = timedelta(days=settings.kafka.retention_days * 2)  # retention, and the replay window
    try:
        yield RedisParts(
            client=client,
            prefix=prefix,
            claims=RedisClaims(client, prefix=prefix, keep=keep),
            firsts=RedisFirsts(client, prefix=prefix),
            forms=RedisForms(client, prefix=prefix),
            timers=RedisTimers(client, prefix=prefix),
            contexts=RedisContexts(client, prefix=prefix),
            outcomes=RedisOutcomes(client, prefix=prefix, keep=keep),
        )
    finally:
        await client.aclose()


def finished_for(settings: Settings) -> timedelta:
    """How long finished processes are kept."""
    return timedelta(days=settings.redis.keep_finished_days)
