"""What is new on the topics of deliveries and of the journal, for the index: read without a group.

A place is an offset, with a mark of the record before it: a broker that forgot, or another one
under the same address, has another record there, and is read from its beginning.
"""

import asyncio
import hashlib
import json
from collections.abc import AsyncIterator, Iterator, Mapping
from contextlib import AsyncExitStack
from dataclasses import dataclass, field

import structlog

from reactor.errors import InfrastructureError
from reactor.journal import JournalRecord
from reactor.records import Batch, DeliveryMark
from reactor.topic import Topics, attempt_in
from streams.broker import Broker
from streams.journal import JournalCodec
from streams.reader import Extent, TopicReader, open_reader
from streams.record import PoisonRecord, Record, moment_of, texts
from streams.window import Partition

_RECORDS = 500  # of a topic, in one batch
_BYTES = 8 * 1024 * 1024  # the same
_WITHOUT_A_PAUSE = 20  # records that are read, a few milliseconds


@dataclass(slots=True, kw_only=True)
class TopicSource:
    """Fits `reactor.indexing.Source`; a connection of its own, opened anew after trouble."""

    broker: Broker
    topics: Topics
    journal: JournalCodec
    _stack: AsyncExitStack = field(default_factory=AsyncExitStack, init=False)
    _reader: TopicReader | None = field(default=None, init=False)

    async def batches(self, places: Mapping[str, str]) -> AsyncIterator[Batch]:
        """All that was written since, to both topics."""
        try:
            if self._reader is None:
                self._reader = await self._stack.enter_async_context(open_reader(self.broker))
            async for batch in self._read(self._reader, places):
                yield batch
        except InfrastructureError:
            await self.close()
            raise

    async def close(self) -> None:
        """Disconnect; the next look connects again."""
        self._reader = None
        await self._stack.aclose()

    async def _read(self, reader: TopicReader, places: Mapping[str, str]) -> AsyncIterator[Batch]:
        wanted = await self._wanted(reader, places)
        if not wanted:
            return
        part = _Part(self.topics, self.journal)
        async for record in reader.read(wanted):
            await part.add(record)
            if part.is_full:
                yield part.taken()
            elif part.count % _WITHOUT_A_PAUSE == 0:
                await asyncio.sleep(0)  # others of the console have something to do, too
        if part.places:
            yield part.taken()

    async def _wanted(
        self, reader: TopicReader, places: Mapping[str, str]
    ) -> Mapping[Partition, Extent]:
        """What is new, by partition."""
        wanted: dict[Partition, Extent] = {}
        extents = await reader.extents(self.topics.deliveries, self.topics.journal)
        for partition, extent in extents.items():
            place = _Place.read(places.get(_source(partition)))
            if await _is_forgotten(reader, partition, extent, place):
                log = structlog.get_logger("reactor.journal")
                log.warning("topic_begun_anew", partition=_source(partition), was_at=place.next)
                place = _Place()
            begin = max(place.next, extent.begin)
            if begin < extent.end:
                wanted[partition] = Extent(begin, extent.end)
        return wanted


async def _is_forgotten(
    reader: TopicReader, partition: Partition, extent: Extent, place: "_Place"
) -> bool:
    """Whether another record lies where the last one lay; asked where there are new ones."""
    if place.next > extent.end:
        return True
    last = place.next - 1
    if place.next == extent.end or not place.mark or last < extent.begin:
        return False
    found = [record async for record in reader.read({partition: Extent(last, last + 1)})]
    return [_mark(record) for record in found] != [place.mark]


@dataclass(frozen=True, slots=True)
class _Place:
    next: int = 0
    mark: str = ""  # of the record before it

    @classmethod
    def read(cls, text: str | None) -> "_Place":
        try:
            told = json.loads(text) if text else {}
            return cls(int(told.get("next", 0)), str(told.get("mark", "")))
        except (ValueError, TypeError, AttributeError):
            return cls()


class _Part:
    """Records of both topics on their way into one batch."""

    def __init__(self, topics: Topics, journal: JournalCodec) -> None:
        self._topics, self._journal = topics, journal
        self._log = structlog.get_logger("reactor.journal")
        self._clear()

    def _clear(self) -> None:
        self._records, self._deliveries = list[JournalRecord](), list[tuple[DeliveryMark, str]]()
        self._last: dict[Partition, Record] = {}
        self.count = self._size = 0

    @property
    def is_full(self) -> bool:
        return self.count >= _RECORDS or self._size >= _BYTES

    @property
    def places(self) -> dict[str, str]:
        return {
            _source(partition): json.dumps(
                {"next": record.position.offset + 1, "mark": _mark(record)}
            )
            for partition, record in self._last.items()
        }

    async def add(self, record: Record) -> None:
        """What can't be read is told, and passed over."""
        position = record.position
        try:
            if position.topic == self._topics.journal:
                self._records += await self._journal.decode(record)
            else:
                self._deliveries += [(mark, "") for mark in _marks(record)]
        except PoisonRecord as error:
            self._log.warning("journal_record_unreadable", position=str(position), why=str(error))
        self._last[Partition(position.topic, position.partition)] = record
        self.count, self._size = self.count + 1, self._size + record.size

    def taken(self) -> Batch:
        """What is there, and begin again."""
        batch = Batch(
            records=tuple(self._records), deliveries=tuple(self._deliveries), places=self.places
        )
        self._clear()
        return batch


def _marks(record: Record) -> Iterator[DeliveryMark]:
    """What the headers say of a delivery, without its body; nothing where they say too little."""
    told = texts(record.headers)
    received = moment_of(told.get("received", ""))
    if received is None or not told.keys() >= {"host", "delivery", "event", "digest", "subject"}:
        return
    action = told.get("action")
    yield DeliveryMark(
        key=f"{told['host']}/{told['delivery']}",
        event=f"{told['event']}.{action}" if action else told["event"],
        subject=(record.key or b"").decode("utf-8", "surrogateescape"),
        subject_name=told["subject"],
        received_at=received,
        digest=told["digest"],
        source=told.get("source", "webhook"),
        attempt=attempt_in(told),
        causation=_names(told.get("causation", "[]")),
        position=record.position,
    )


def _names(text: str) -> tuple[str, ...]:
    try:
        found = json.loads(text)
    except (ValueError, RecursionError):
        return ()
    return tuple(str(name) for name in found) if isinstance(found, list) else ()


def _source(partition: Partition) -> str:
    return f"topic {partition.topic}[{partition.number}]"


def _mark(record: Record) -> str:
    what = repr((record.key, record.value, record.headers, record.written_at))
    return hashlib.sha256(what.encode()).hexdigest()[:16]
