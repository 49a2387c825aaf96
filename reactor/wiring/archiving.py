"""The archive beside a broker that forgets: what is settled is in it before it leaves the shelf.

A delivery is archived before it is worked on, decision records before they are on their topic;
whoever is killed between the two does it again.
"""

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import replace
from datetime import timedelta

from reactor.adapters.archive_folder import FOLDER, ArchiveWriter
from reactor.delivery import Delivery
from reactor.journal import JournalRecord
from reactor.ports import Clock
from reactor.settings import Settings
from reactor.settling import Hears
from reactor.topic import JournalLog
from reactor.wiring.kafka import KafkaParts


@asynccontextmanager
async def archiving(
    settings: Settings, kafka: KafkaParts, clock: Clock
) -> AsyncIterator[tuple[KafkaParts, Hears]]:
    """`kafka`, whose journal goes to the archive as well; and what keeps deliveries there."""
    if settings.data is None:
        yield kafka, _nothing
        return
    keep = timedelta(days=settings.journal.retention_days)
    writer = ArchiveWriter(settings.data / FOLDER, clock, keep=keep)
    archiving = _Archiving(writer, kafka)
    try:
        yield replace(kafka, journal=archiving), archiving.hear
    finally:
        await writer.close()


class _Archiving:
    """A `JournalLog` in front of that of the topic."""

    def __init__(self, writer: ArchiveWriter, kafka: KafkaParts) -> None:
        self._writer, self._keeping = writer, kafka.keeping
        self._journal: JournalLog = kafka.journal

    async def publish(self, records: Sequence[JournalRecord]) -> None:
        """Raises `ArchiveRefused` too."""
        if await self._keeping.is_needed():
            await self._writer.append(*records)
        await self._journal.publish(records)

    async def hear(self, delivery: Delivery) -> None:
        """Keep it; what people answer is in the journal, so signals are not kept here."""
        if delivery.source != "signal" and await self._keeping.is_needed():
            await self._writer.append(delivery)


async def _nothing(_: Delivery) -> None:
    return
