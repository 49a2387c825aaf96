"""Where recorded deliveries come from: their topic, the data folder, or an archive file."""

import asyncio
from collections.abc import AsyncIterator, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from itertools import islice
from pathlib import Path
from typing import TypeVar

from reactor.adapters.archive_folder import delivery_at
from reactor.adapters.sqlite_records import SqliteRecords
from reactor.archive import Damage, read_archive
from reactor.delivery import Delivery
from reactor.errors import ReactorError
from reactor.records import MOST, DeliveryQuery
from reactor.replay.folder import Cursor
from reactor.replay.run import Came, Source
from reactor.replay.selection import Offsets, Selection
from streams.codec import DeliveryCodec
from streams.reader import Extent, TopicReader
from streams.record import PoisonRecord
from streams.window import Partition

T = TypeVar("T")
_AT_ONCE = 200  # items of a file that are read in one go
_PART = "part"  # which of several sources a cursor is of
_END = "end"  # of a partition, in a cursor: fixed when the replay began


@dataclass(frozen=True, slots=True, kw_only=True)
class TopicSource:
    """The deliveries topic, read by nobody's group up to where it ended when the replay began."""

    reader: TopicReader
    codec: DeliveryCodec
    extents: Mapping[Partition, Extent]

    @property
    def total(self) -> int:
        """Records, in all."""
        return sum(extent.end - extent.begin for extent in self.extents.values())

    async def records(self, cursor: Cursor) -> AsyncIterator[Came]:
        """The oldest first; a poison record is none."""
        extents = {
            partition: _gone_on(cursor, partition, extent)
            for partition, extent in self.extents.items()
        }
        at: dict[str, int | str] = dict(_cursor(extents))
        async for record in self.reader.merged(extents):
            at[str(record.position.partition)] = record.position.offset + 1
            try:
                delivery = await self.codec.decode(record)
            except PoisonRecord:
                delivery = None
            yield Came(delivery, dict(at))


class UnknownPartitions(ReactorError):
    """Offsets are asked for of partitions that the topic does not have."""

    def __init__(self, topic: str, numbers: tuple[int, ...], known: tuple[int, ...]) -> None:
        super().__init__(topic, numbers, known)
        self.topic, self.numbers, self.known = topic, numbers, known

    def __str__(self) -> str:
        asked = ", ".join(map(str, self.numbers))
        last = f"0 to {max(self.known)}" if self.known else "none: nothing was ever accepted"
        return f"--offset: the topic {self.topic} has no partition {asked}; it has {last}"


async def topic_extents(
    reader: TopicReader, topic: str, selection: Selection
) -> Mapping[Partition, Extent]:
    """What is to be read of the topic: as far as offsets and moments can be told beforehand.

    A record is never written before its delivery was received.  Raises `UnknownPartitions` and
    `InfrastructureError`.
    """
    found: dict[Partition, Extent] = {}
    there = await reader.extents(topic)
    numbers = frozenset(partition.number for partition in there)
    if unknown := selection.offsets.keys() - numbers:
        raise UnknownPartitions(topic, tuple(sorted(unknown)), tuple(sorted(numbers)))
    for partition, extent in there.items():
        if selection.offsets and partition.number not in selection.offsets:
            continue
        meant = selection.offsets.get(partition.number, Offsets())
        end = extent.end if meant.end is None else min(meant.end, extent.end)
        begin = max(meant.begin, extent.begin)
        if selection.since is not None and begin < end:
            begin = await reader.since(partition, Extent(begin, end), selection.since)
        found[partition] = Extent(min(begin, end), end)
    return found


def _cursor(extents: Mapping[Partition, Extent]) -> Iterator[tuple[str, int]]:
    for partition, extent in extents.items():
        yield str(partition.number), extent.begin
        yield f"{partition.number}.{_END}", extent.end


def _gone_on(cursor: Cursor, partition: Partition, extent: Extent) -> Extent:
    """What is left of it; all, where the replay begins."""
    if not cursor:
        return extent
    number = str(partition.number)
    end = min(int(cursor.get(f"{number}.{_END}", 0)), extent.end)
    return Extent(min(int(cursor.get(number, 0)), end), end)


@dataclass(frozen=True, slots=True, kw_only=True)
class ArchiveSource:
    """The deliveries of an archive file, in its order."""

    path: Path
    on_damage: "list[Damage]"  # is told of each line that can't be read

    @property
    def total(self) -> int:
        """Nobody has counted them."""
        return 0

    async def records(self, cursor: Cursor) -> AsyncIterator[Came]:
        """From the item after the last one on."""
        number = int(cursor.get("item", 0))
        items = islice(read_archive(self.path, damaged=self.on_damage.append), number, None)
        async for some in in_threads(items):
            for item in some:
                number += 1
                if isinstance(item, Delivery):
                    yield Came(item, {"item": number})


@dataclass(frozen=True, slots=True, kw_only=True)
class FolderSource:
    """The deliveries in the data folder's archive, by when they were received."""

    indexes: Sequence[SqliteRecords]  # that know where each is; one of several indexes will do
    folder: Path
    names: Sequence[tuple[datetime, str]]  # when, and its key: oldest first

    @property
    def total(self) -> int:
        """All of them."""
        return len(self.names)

    async def records(self, cursor: Cursor) -> AsyncIterator[Came]:
        """From the one after the last one on."""
        after = (datetime.fromisoformat(str(cursor["at"])), str(cursor["key"])) if cursor else None
        for at, key in self.names:
            if after is None or (at, key) > after:
                delivery = await self._read(key)
                yield Came(delivery, {"at": at.isoformat(), "key": key})

    async def _read(self, key: str) -> Delivery | None:
        for index in self.indexes:
            if place := await index.bytes_at(key):
                found = await asyncio.to_thread(delivery_at, self.folder, place)
                return found if found and found.key == key else None
        return None


async def folder_source(
    indexes: Sequence[SqliteRecords],
    folder: Path,
    selection: Selection,
    *,
    only_there: bool = False,
) -> FolderSource:
    """What these indexes know of, as far as moments can be told beforehand.

    `only_there`: without what was seen on a topic.
    """
    names, elsewhere = set[tuple[datetime, str]](), set[tuple[datetime, str]]()
    for index in indexes:
        query = DeliveryQuery(since=selection.since, until=selection.until, limit=MOST)
        while True:
            page = await index.deliveries(query)
            for mark in page.deliveries:
                is_elsewhere = only_there and mark.position is not None
                (elsewhere if is_elsewhere else names).add((mark.received_at, mark.key))
            if page.next is None:
                break
            query = replace(query, before=page.next)
    return FolderSource(indexes=indexes, folder=folder, names=sorted(names - elsewhere))


@dataclass(frozen=True, slots=True)
class Chained:
    """One source, and then another."""

    first: Source
    second: Source

    @property
    def total(self) -> int:
        """Of both."""
        return self.first.total + self.second.total

    async def records(self, cursor: Cursor) -> AsyncIterator[Came]:
        """On in the one where it was left."""
        at = int(cursor.get(_PART, 0))
        for number, source in enumerate((self.first, self.second)):
            if number < at:
                continue
            inner = {name: value for name, value in cursor.items() if name != _PART}
            async for came in source.records(inner if number == at else {}):
                yield Came(came.delivery, {**came.cursor, _PART: number})


async def in_threads(items: Iterable[T], *, at_once: int = _AT_ONCE) -> AsyncIterator[list[T]]:
    """A few at once, read beside the loop."""
    iterator = iter(items)
    while some := await asyncio.to_thread(lambda: list(islice(iterator, at_once))):
        yield some
