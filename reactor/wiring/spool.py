"""The gateway's spool, put together: what the broker does not take waits in a folder."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from reactor.adapters.file_spool import MIB, FileSpool, SpoolUnreadable, open_spool
from reactor.delivery import Delivery
from reactor.payload import parse
from reactor.settings import Settings
from reactor.topic import Position
from reactor.web.spool_metrics import SpoolReading
from reactor.wiring.kafka import KafkaParts
from reactor.wiring.redis import RedisParts
from streams.spooling import SpoolCounts, Spooling, spool_codec

if TYPE_CHECKING:
    from reactor.topic import DeliveryLog


@dataclass(frozen=True, slots=True, kw_only=True)
class Spooled:
    """The logs of a gateway, behind a spool where there is one."""

    deliveries: "DeliveryLog"
    signals: "DeliveryLog"
    spool: FileSpool | None = None
    counts: SpoolCounts = field(default_factory=SpoolCounts)

    @property
    def has_room(self) -> bool:
        """Whether deliveries are accepted while the broker is away."""
        return self.spool is not None and self.spool.has_room

    async def check(self) -> None:
        """Look at what waits.  Raises `SpoolUnreadable` where it can't be drained as it stands.

        Where nothing waits, a folder that is gone is as good as none: what the broker does not
        take is refused, and the rest is accepted.
        """
        if self.spool is None:
            return
        try:
            await self.spool.check()
        except SpoolUnreadable:
            if not self.spool.is_empty:
                raise

    def read(self) -> SpoolReading:
        """How the spool stands; all zeros where there is none."""
        if self.spool is None:
            return SpoolReading()
        return SpoolReading(
            items=self.spool.size.items,
            bytes=self.spool.size.bytes,
            bytes_up_to=self.spool.size_up_to,
            spooled=self.counts.spooled,
            drained=self.counts.drained,
            set_aside=self.counts.set_aside,
            is_readable=self.spool.is_readable,
        )


@asynccontextmanager
async def spooled(
    settings: Settings, redis: RedisParts, kafka: KafkaParts
) -> AsyncIterator[Spooled]:
    """Drains what waits, for as long as the context lasts; what then still waits, stays.

    Raises `SpoolInUse` and `SpoolUnusable`.
    """
    gateway = settings.gateway
    if gateway.spool is None:
        yield Spooled(deliveries=kafka.deliveries, signals=kafka.signals)
        return

    async def told(delivery: Delivery, position: Position) -> None:
        if position.topic == kafka.topics.deliveries:  # signals are not claimed
            await redis.claims.produced(delivery.key, position, digest=delivery.digest)

    async with open_spool(gateway.spool, size_up_to=gateway.spool_mb * MIB) as spool:
        spooling = Spooling(spool, spool_codec(parse), told=told, answers=kafka.writer.is_ready)
        logs = Spooled(
            deliveries=spooling.before(kafka.deliveries, name="deliveries"),
            signals=spooling.before(kafka.signals, name="signals"),
            spool=spool,
            counts=spooling.counts,
        )
        async with asyncio.TaskGroup() as group:
            draining = group.create_task(spooling.drain())
            try:
                yield logs
            finally:
                draining.cancel()
