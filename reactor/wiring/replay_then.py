"""The decision records of then, put where a replay can look them up.

The console's index has them, where one is kept.  What it does not have, which is all where there is
none, is read from the data folder's archive and the topics (or from the archive file alone) into an
index in the run's own folder, once: a run that goes on finds it there.
"""

from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

from reactor.adapters.archive_folder import FOLDER, files_of
from reactor.adapters.archive_source import ArchiveSource
from reactor.adapters.sqlite_index import SqliteIndex, open_index
from reactor.adapters.sqlite_records import FILE, NoIndex, SqliteRecords
from reactor.archive import Damage, read_archive
from reactor.indexing import Source
from reactor.journal import JournalRecord
from reactor.records import Batch
from reactor.replay.engine import Then
from reactor.settings import Settings
from reactor.wiring.indexing import all_sources, topic_source
from reactor.wiring.recorded import data_folder, records_of
from reactor.wiring.redis import RedisParts
from reactor.wiring.replay_sources import in_threads

_AT_ONCE = 1_000  # records that are added in one go
_FILLED = "filled"  # the place by which an index of ours says that it has everything

OnRead = Callable[[int], None]  # hears how many records more were read


@dataclass(frozen=True, slots=True)
class Both:
    """Fits `Then`: what the first does not have, the second may."""

    first: SqliteRecords
    second: SqliteRecords

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
async def then_in_archive(path: Path, folder: Path, on_read: OnRead) -> AsyncIterator[Then]:
    """The records of an archive file; `folder`: of the run.  Raises `NoArchive`."""
    async with open_index(folder) as index:
        if _FILLED not in await index.places():
            ignored = list[Damage]()  # who reads the deliveries tells of them
            items = read_archive(path, damaged=ignored.append)
            async for some in in_threads(items, at_once=_AT_ONCE):
                records = [item for item in some if isinstance(item, JournalRecord)]
                await index.add(Batch(records=records))
                on_read(len(records))
            await index.add(Batch(places={_FILLED: str(path)}))
        yield index


@asynccontextmanager
async def then_of(
    settings: Settings, redis: RedisParts | None, folder: Path, on_read: OnRead
) -> AsyncIterator[tuple[Then, Sequence[SqliteRecords]]]:
    """All records that there are, and the indexes that have them; `folder`: of the run.

    `redis` None: there are no servers, only the data folder.  Raises `InfrastructureError`.
    """
    known, begun = await _known(settings)
    async with open_index(folder) as index:
        places = await index.places()
        if _FILLED not in places:
            await index.add(Batch(places=begun))
            added = await _fill(index, settings, redis, on_read)
            places = {_FILLED: str(added)}
            await index.add(Batch(places=places))
        if known is None:
            yield index, [index]
        elif places[_FILLED] == "0":  # the console had all of it
            yield known, [known]
        else:
            yield Both(index, known), [index, known]


async def _fill(
    index: SqliteIndex, settings: Settings, redis: RedisParts | None, on_read: OnRead
) -> int:
    """Read what has come since the places that the index has; how much it was."""
    added = 0
    async with _sources(settings, redis) as sources:
        for source in sources:
            async for batch in source.batches(await index.places()):
                added += await index.add(batch)
                on_read(len(batch.records))
    return added


async def _known(settings: Settings) -> tuple[SqliteRecords | None, dict[str, str]]:
    """The console's index, where it can be read, and up to where it has each source."""
    if settings.data is None:
        return None, {}
    known = records_of(settings)
    try:
        return known, dict(await known.places())
    except NoIndex:
        return None, {}


@asynccontextmanager
async def _sources(settings: Settings, redis: RedisParts | None) -> AsyncIterator[list[Source]]:
    """The archive, where the data folder has one; and the topics, if it has not all of them."""
    async with AsyncExitStack() as stack:
        if redis is None:
            yield [ArchiveSource(data_folder(settings) / FOLDER)]
        elif has_archive(settings):
            yield await stack.enter_async_context(all_sources(settings, redis))
        else:
            topics = topic_source(settings, redis)
            stack.push_async_callback(topics.close)
            yield [topics]


def has_archive(settings: Settings) -> bool:
    """Whether anything was ever kept in the data folder."""
    return settings.data is not None and bool(files_of(settings.data / FOLDER))


def forget_index(folder: Path) -> None:
    """A run that is done needs it no more, and it is large."""
    for path in folder.glob(f"{FILE}*"):
        path.unlink(missing_ok=True)
