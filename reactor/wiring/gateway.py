"""The gateway: HTTP in, the deliveries topic out."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from typing import TYPE_CHECKING

from prometheus_client import CollectorRegistry

from reactor.adapters.clock import SystemClock
from reactor.adapters.redis_boards import RedisBoards
from reactor.adapters.redis_ledger import RedisLedger
from reactor.answering import AnswerDesk
from reactor.approvals import Approvals
from reactor.catalog import TypeCatalog
from reactor.codec import Codec
from reactor.delivery import GITHUB_COM
from reactor.errors import InfrastructureError
from reactor.github.dialect import GitHubDialect
from reactor.github.effects import EFFECT_TYPES
from reactor.settings import GatewaySettings, GitHubSettings, Settings
from reactor.web.access import Access, is_loopback
from reactor.web.app import GatewayParts, create_app
from reactor.web.redis_metrics import RedisMetrics
from reactor.web.spool_metrics import SpoolMetrics
from reactor.wiring.http import serve_http
from reactor.wiring.kafka import KafkaParts, kafka_parts, large_bodies
from reactor.wiring.redis import RedisParts, look_at_redis, redis_parts
from reactor.wiring.redis_watch import watching
from reactor.wiring.spool import Spooled, spooled
from reactor.wiring.tracing import tracing

if TYPE_CHECKING:
    from starlette.applications import Starlette


@asynccontextmanager
async def gateway_app(settings: Settings) -> AsyncIterator["Starlette"]:
    """The application, connected to its servers for as long as the context lasts.

    Raises `NoSecret` where it would accept anybody's deliveries from elsewhere, `SpoolInUse` and
    `SpoolUnusable`.
    """
    reads = dialect(settings)
    await look_at_redis(settings)
    waits = settings.gateway.spool is None  # else deliveries are accepted before it is there
    async with (
        tracing(settings, service="gateway"),
        redis_parts(settings) as redis,
        kafka_parts(settings, large_bodies(settings, redis), waits=waits) as kafka,
        spooled(settings, redis, kafka) as logs,
        watching(redis, SystemClock()) as watch,
    ):
        registry = CollectorRegistry()
        registry.register(SpoolMetrics(logs.read))
        registry.register(RedisMetrics(lambda: watch.losses))
        yield create_app(replace(_parts(settings, reads, redis, kafka, logs), registry=registry))


async def serve_gateway(settings: Settings) -> None:
    """Serve until SIGTERM or Ctrl-C; requests under way are answered first."""
    async with gateway_app(settings) as app:
        await serve_http(app, host=settings.gateway.host, port=settings.gateway.port)


def dialect(settings: Settings) -> GitHubDialect:
    """GitHub's, for the hosts in the settings.  Raises `NoSecret`, see `gateway_app`."""
    return GitHubDialect(
        secrets_by_host(settings.github), allow_unsigned=is_loopback(settings.gateway.host)
    )


def secrets_by_host(github: GitHubSettings) -> dict[str, list[str]]:
    """The webhook secrets of each host that may send; the common ones where it has none."""
    common = [secret.get_secret_value() for secret in github.secrets]
    return {
        GITHUB_COM: common,
        **{
            name: [secret.get_secret_value() for secret in host.secrets] or common
            for name, host in github.hosts.items()
        },
    }


def _parts(
    settings: Settings,
    reads: GitHubDialect,
    redis: RedisParts,
    kafka: KafkaParts,
    logs: Spooled,
) -> GatewayParts:
    gateway: GatewaySettings = settings.gateway
    token = gateway.token.get_secret_value() if gateway.token else None

    async def broker_answers() -> None:
        if not logs.has_room and not await kafka.writer.is_ready():
            raise InfrastructureError("kafka", "it does not answer")

    async def redis_answers() -> None:
        if not logs.has_room:
            async with asyncio.timeout(1):
                await redis.client.ping()

    # heads only: no value is decoded here, so no component has to be installed
    boards = RedisBoards(redis.client, Codec(TypeCatalog()), prefix=settings.redis.prefix)
    clock = SystemClock()
    return GatewayParts(
        dialect=reads,
        claims=redis.claims,
        deliveries=logs.deliveries,
        dead=kafka.dead,
        processes=boards,
        outcomes=redis.outcomes,
        desk=AnswerDesk(
            boards=boards,
            signals=logs.signals,
            forms=redis.forms,
            clock=clock,
        ),
        approvals=Approvals(
            # effects of other kinds are shown as they are kept
            ledger=RedisLedger(redis.client, Codec(TypeCatalog(EFFECT_TYPES)), prefix=redis.prefix),
            signals=logs.signals,
            clock=clock,
        ),
        clock=clock,
        access=Access(loopback=is_loopback(gateway.host), token=token),
        checks={"kafka": broker_answers, "redis": redis_answers, "spool": logs.check},
    )
