"""Explaining, put together: processes and claims in Redis, what came on the deliveries topic."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass

from reactor.adapters.clock import SystemClock
from reactor.adapters.redis_boards import RedisBoards
from reactor.codec import Codec
from reactor.delivery import OWN_HOST, Delivery
from reactor.errors import InfrastructureError
from reactor.explain import ToldDelivery
from reactor.lookup import DeliveryAt, Lookup
from reactor.settings import Settings
from reactor.topic import Position
from reactor.wiring.kafka import bootstrap_of, delivery_codec, large_bodies
from reactor.wiring.platform import Installed, install, reader
from reactor.wiring.redis import RedisParts, redis_parts
from reactor.wiring.sending import make_ledger
from streams.reader import open_reader
from streams.record import PoisonRecord

_READ_TIMEOUT_S = 5.0  # for one record; a broker that is well takes a tenth of a second


async def explain(settings: Settings, delivery: str) -> ToldDelivery:
    """All that is known of a delivery, by its id.  Raises `UnknownDelivery`."""
    async with explaining(settings) as parts:
        return await parts.lookup.delivery(delivery)


@dataclass(frozen=True, slots=True, kw_only=True)
class ExplainingParts:
    """What answers, and what it rests on."""

    lookup: Lookup
    redis: RedisParts
    installed: Installed  # whose types values are read into


@asynccontextmanager
async def explaining(settings: Settings) -> AsyncIterator[ExplainingParts]:
    """Connected for as long as the context lasts.  Raises `NoServer`."""
    async with redis_parts(settings) as redis:
        installed = install(settings, firsts=redis.firsts, clock=SystemClock())
        codec = Codec(installed.platform.catalog)
        lookup = Lookup(
            boards=RedisBoards(redis.client, codec, prefix=settings.redis.prefix),
            claims=redis.claims,
            outcomes=redis.outcomes,
            ledger=make_ledger(settings, redis, installed.platform),
            delivery_at=_delivery_at(settings, redis),
            hosts=(*settings.github.host_names, OWN_HOST),
            reader=reader(settings),
            reactions=settings.reactions,
        )
        yield ExplainingParts(lookup=lookup, redis=redis, installed=installed)


def _delivery_at(settings: Settings, redis: RedisParts) -> DeliveryAt:
    """Reads one delivery over a connection of its own: it is asked for rarely."""
    codec = delivery_codec(large_bodies(settings, redis))
    bootstrap = bootstrap_of(settings) if settings.kafka.bootstrap_servers else None

    async def delivery_at(position: Position) -> Delivery | None:
        if bootstrap is None:
            return None
        try:
            async with asyncio.timeout(_READ_TIMEOUT_S), open_reader(bootstrap) as topic:
                record = await topic.at(position)
            return await codec.decode(record) if record else None
        except TimeoutError:
            raise InfrastructureError("kafka", f"nothing within {_READ_TIMEOUT_S:g} s") from None
        except PoisonRecord:
            return None

    return delivery_at
