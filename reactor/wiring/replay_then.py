"""The decision records of then, put where a replay can look them up.

The console's index has them, where one is kept.  What it does not have, as much as all where there
is none, is read from the journal topic (or from the archive file) into an index in the run's own
folder, once: a run that goes on finds it there.
"""

from collections.abc import AsyncIterator, Iterable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

from reactor.adapters.sqlite_index import SqliteIndex, open_index
from reactor.adapters.sqlite_records import FILE, SqliteRecords
from reactor.archive import Damage, read_archive
from reactor.journal import JournalRecord
from reactor.records import Batch
from reactor.replay.engine import Then
from reactor.wiring.replay_sources import in_threads
from streams.journal import JournalCodec
from streams.reader import Extent, TopicReader
from streams.record import PoisonRecord
from streams.window import Partition

_AT_ONCE = 1_000  # records that are added in one go
_FILLED = "filled"  # the place by which an index of ours says that it has everything


@dataclass(frozen=True, slots=True)
class Both:
    """Fits `Then`: what the first does not have, the second may."""

    first: Then
    second: Then

    async def of_process(self, process_id: str) -> Sequence[JournalRecord]:
        """Of both, each number once: one may have the beginning, the other the end."""
        found = {
            record.seq: record
            for each in (self.second, self.first)
            for record in await each.of_process(process_id)
        }
        return [found[seq] for seq in sorted(found)]

    async def of_delivery(self, key: str) -> Sequence[str]:
        """Of both."""
        every = [*await self.first.of_delivery(key), *await self.second.of_delivery(key)]
        return list(dict.fromkeys(every))


@asynccontextmanager
async def then_in_archive(path: Path, folder: Path) -> AsyncIterator[Then]:
    """The records of an archive file; `folder`: of the run."""
    async with open_index(folder) as index:
        if _FILLED not in await index.places():
            ignored = list[Damage]()  # who reads the deliveries tells of them
            items = read_archive(path, damaged=ignored.append)
            async for some in in_threads(items, at_once=_AT_ONCE):
                await _add(index, (item for item in some if isinstance(item, JournalRecord)))
            await index.add(Batch(places={_FILLED: str(path)}))
        yield index


@asynccontextmanager
async def then_on_topic(
    reader: TopicReader, codec: JournalCodec, topic: str, folders: tuple[Path, Path | None]
) -> AsyncIterator[Then]:
    """The records of the journal topic; `folders`: of the run, and the data folder, if there is one.

    Raises `InfrastructureError`.
    """
    own, data = folders
    known = SqliteRecords(data / FILE) if data and (data / FILE).is_file() else None
    async with open_index(own) as index:
        if _FILLED not in await index.places():
            extents = await reader.extents(topic)
            begin = await _indexed(known, topic) if known else {}
            left = {
                partition: Extent(
                    min(max(extent.begin, begin.get(partition, 0)), extent.end), extent.end
                )
                for partition, extent in extents.items()
            }
            await _fill(index, reader, codec, left)
            await index.add(Batch(places={_FILLED: topic}))
        yield Both(index, known) if known else index


async def _fill(
    index: SqliteIndex,
    reader: TopicReader,
    codec: JournalCodec,
    extents: dict[Partition, Extent],
) -> None:
    waiting = list[JournalRecord]()
    async for record in reader.read(extents):
        try:
            waiting += await codec.decode(record)
        except PoisonRecord:  # nobody can read it, a replay as little as anybody
            continue
        if len(waiting) >= _AT_ONCE:
            await _add(index, waiting)
            waiting = []
    await _add(index, waiting)


async def _add(index: SqliteIndex, records: Iterable[JournalRecord]) -> None:
    await index.add(Batch(records=list(records)))


async def _indexed(known: SqliteRecords, topic: str) -> dict[Partition, int]:
    """Up to where the console has read the topic; nothing where that can't be told."""
    return {}
