"""What lives in Redis, over one client."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import timedelta
from typing import TYPE_CHECKING

import structlog

from reactor.adapters.redis_claims import RedisClaims, RedisFirsts
from reactor.adapters.redis_client import Endpoint, connect_to
from reactor.adapters.redis_contexts import RedisContexts
from reactor.adapters.redis_forms import RedisForms
from reactor.adapters.redis_heartbeats import RedisHeartbeats
from reactor.adapters.redis_issues import RedisIssues
from reactor.adapters.redis_outcomes import RedisOutcomes
from reactor.adapters.redis_standing import examine
from reactor.adapters.redis_timers import RedisTimers
from reactor.adapters.redis_troubles import RedisTroubles
from reactor.errors import InfrastructureError, ReactorError
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
    heartbeats: RedisHeartbeats
    troubles: RedisTroubles
    issues: RedisIssues


@asynccontextmanager
async def redis_parts(settings: Settings) -> AsyncIterator[RedisParts]:
    """Connect when first used; disconnect at the end.  Raises `NoServer`."""
    client = connect_to(endpoint_of(settings))
    prefix = settings.redis.prefix
    keep = timedelta(days=settings.kafka.retention_days * 2)  # retention, and the replay window
    try:
        yield RedisParts(
            client=client,
            prefix=prefix,
            claims=RedisClaims(client, prefix=prefix, keep=keep),
            firsts=RedisFirsts(client, prefix=prefix),
            forms=RedisForms(client, prefix=prefix, keep=open_for(settings)),
            timers=RedisTimers(client, prefix=prefix),
            contexts=RedisContexts(client, prefix=prefix),
            outcomes=RedisOutcomes(client, prefix=prefix, keep=keep),
            heartbeats=RedisHeartbeats(client, prefix=prefix),
            troubles=RedisTroubles(client, prefix=prefix),
            issues=RedisIssues(client, prefix=prefix),
        )
    finally:
        await client.aclose()


def endpoint_of(settings: Settings) -> Endpoint:
    """Where Redis is, and how we get in.  Raises `NoServer`."""
    redis = settings.redis
    if redis.url is None:
        raise NoServer("Redis", "REDIS_URL")
    return Endpoint(
        url=redis.url.get_secret_value(),
        is_cluster=redis.cluster,
        ca_file=str(redis.ca_file) if redis.ca_file else None,
        timeout_s=redis.timeout_s,
        max_connections=settings.worker.concurrency + 16,
    )


async def look_at_redis(settings: Settings) -> None:
    """Log how Redis may forget what it is given; one that is away now is waited for later.

    Raises `UnusableRedis` where no waiting would help, and `NoServer`.
    """
    log = structlog.get_logger("reactor.redis")
    endpoint = endpoint_of(settings)
    try:
        standing = await examine(endpoint, prefix=settings.redis.prefix)
    except InfrastructureError as error:
        log.warning("redis_away", where=endpoint.where, error=str(error))
        return
    for risk in standing.risks:
        log.warning("redis_at_risk", where=endpoint.where, what=risk)


def finished_for(settings: Settings) -> timedelta:
    """How long finished processes are kept."""
    return timedelta(days=settings.redis.keep_finished_days)


def open_for(settings: Settings) -> timedelta:
    """How long processes that wait are kept after their last change."""
    return timedelta(days=settings.redis.keep_open_days)
