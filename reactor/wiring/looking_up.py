"""What is stored is looked up, and told: processes and claims in Redis, what came on its topic.

Neither the platform is made for it nor any type of values known, which would take the longest: how
an effect reads is told by the journal.
"""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING

from reactor.adapters.clock import SystemClock
from reactor.adapters.redis_boards import RedisBoards
from reactor.adapters.redis_ledger import RedisLedger
from reactor.catalog import TypeCatalog
from reactor.codec import Codec
from reactor.delivery import OWN_HOST, Delivery
from reactor.errors import InfrastructureError
from reactor.explain import ToldDelivery
from reactor.lookup import DeliveryAt, Lookup, UnknownDelivery
from reactor.settings import Settings
from reactor.status import PROCESS_ID
from reactor.topic import Position
from reactor.wiring.recorded import FolderArchive, records_of
from reactor.wiring.redis import RedisParts, redis_parts

if TYPE_CHECKING:
    from reactor.worker import Reading

_READ_TIMEOUT_S = 5.0  # for one record; a broker that is well takes a tenth of a second


async def explain(settings: Settings, name: str) -> ToldDelivery:
    """All that is known of a delivery, by its id; or of one process, by its own.

    Raises `UnknownDelivery`, `UnknownProcess` and `NoServer`.
    """
    async with looking_up(settings) as lookup:
        if not PROCESS_ID.fullmatch(name):
            return await lookup.delivery(name)
        process = await lookup.process(name)
        try:
            told = await lookup.delivery(process["delivery"])
        except UnknownDelivery:  # it is known of its process only
            told = ToldDelivery(
                delivery=process["delivery"],
                event=process["event"],
                subject=process["subject"],
                topic=None,
                ignored="",
                processes=[],
            )
        return {**told, "processes": [process]}


@asynccontextmanager
async def looking_up(settings: Settings) -> AsyncIterator[Lookup]:
    """Connected for as long as the context lasts.

    Where no Redis is named, but a data folder: what the journal and the archive there tell.
    Raises `NoServer`.
    """
    if settings.redis.url is None and settings.data is not None:
        yield from_folder(settings)
        return
    async with redis_parts(settings) as redis:
        yield make_lookup(settings, redis, TypeCatalog())


def from_folder(settings: Settings) -> Lookup:
    """What answers where nothing runs: the data folder alone.  Raises `NoDataFolder`."""
    from reactor.adapters.memory import MemoryBoards, MemoryClaims

    async def on_no_topic(position: Position) -> Delivery | None:
        raise InfrastructureError("kafka", f"no address of it is set, to read {position}")

    clock = SystemClock()
    return Lookup(
        boards=MemoryBoards(Codec(TypeCatalog()), clock),
        claims=MemoryClaims(clock),
        delivery_at=on_no_topic,
        hosts=(*settings.github.host_names, OWN_HOST),
        reader=LateReader(settings),
        reactions=settings.reactions,
        records=records_of(settings),
        archive=FolderArchive(settings),
    )


def make_lookup(settings: Settings, redis: RedisParts, catalog: TypeCatalog) -> Lookup:
    """What answers, over these servers; values are read into the types of `catalog`."""
    codec = Codec(catalog)
    return Lookup(
        boards=RedisBoards(redis.client, codec, prefix=redis.prefix),
        claims=redis.claims,
        outcomes=redis.outcomes,
        ledger=RedisLedger(redis.client, codec, prefix=redis.prefix),
        delivery_at=_delivery_at(settings, redis),
        hosts=(*settings.github.host_names, OWN_HOST),
        reader=LateReader(settings),
        reactions=settings.reactions,
        records=records_of(settings) if settings.data else None,
        archive=FolderArchive(settings) if settings.data else None,
    )


class LateReader:
    """Fits `Reader`; it is put together when something is to be read, which is seldom."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings

    def __call__(self, delivery: Delivery) -> "Reading":
        """Read the payload, as a worker does."""
        from reactor.wiring.platform import reader

        return reader(self._settings)(delivery)


def _delivery_at(settings: Settings, redis: RedisParts) -> DeliveryAt:
    """Reads one delivery over a connection of its own: it is asked for rarely."""

    async def delivery_at(position: Position) -> Delivery | None:
        if not settings.kafka.bootstrap_servers:
            return None
        from reactor.wiring.kafka import bootstrap_of, delivery_codec, large_bodies
        from streams.reader import open_reader
        from streams.record import PoisonRecord

        codec = delivery_codec(large_bodies(settings, redis))
        try:
            async with (
                asyncio.timeout(_READ_TIMEOUT_S),
                open_reader(bootstrap_of(settings)) as topic,
            ):
                record = await topic.at(position)
            return await codec.decode(record) if record else None
        except TimeoutError:
            raise InfrastructureError("kafka", f"nothing within {_READ_TIMEOUT_S:g} s") from None
        except PoisonRecord:
            return None

    return delivery_at
