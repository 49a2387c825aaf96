"""Archives, written and brought in: deliveries and what was decided of them, as one file.

Written from the data folder where it has everything (beside the embedded broker), else from the
topics, which nobody's group is read in.  What is brought in lies in the data folder, where the
index, `explain`, `trace` and `replay` find it; nothing of it goes onto a topic.
"""

import asyncio
import hashlib
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import AsyncExitStack
from dataclasses import dataclass, field
from datetime import datetime
from itertools import islice
from pathlib import Path

from reactor.adapters.archive_folder import FOLDER, IMPORTED, archived, files_of
from reactor.adapters.archive_source import ArchiveSource
from reactor.adapters.sqlite_index import IndexInUse, open_index
from reactor.archive import ArchiveFile, Damage, read_archive
from reactor.archive_lines import Item
from reactor.delivery import Delivery
from reactor.journal import JournalRecord
from reactor.journal_versions import fault_of
from reactor.settings import Settings
from reactor.topic import Topics
from reactor.wiring.indexing import make_indexing
from reactor.wiring.kafka import bootstrap_of, delivery_codec, large_bodies
from reactor.wiring.recorded import data_folder
from reactor.wiring.redis import redis_parts
from streams.embedded import CLUSTER_ID
from streams.journal import JournalCodec
from streams.packing import Packing
from streams.reader import open_reader
from streams.record import PoisonRecord
from streams.topics import cluster_id

_AT_ONCE = 200  # items that are read or written in one go, in a thread

Told = Callable[[], None]
"""Is called for each item."""


@dataclass(slots=True, kw_only=True)
class Wanted:
    """Which deliveries an archive is to hold, with the records of their processes."""

    since: datetime | None = None  # by when they were received
    until: datetime | None = None
    repositories: frozenset[str] = frozenset()  # "octo/hello", in lower case
    events: frozenset[str] = frozenset()  # "issues.opened", or "issues" for all its actions
    _keys: set[str] = field(default_factory=set, init=False)  # of deliveries that were taken
    _processes: set[str] = field(default_factory=set, init=False)  # of these
    _seen: set[object] = field(default_factory=set, init=False)

    def takes(self, item: Item) -> bool:
        """Whether it is wanted, and new; deliveries have to be asked for before their records."""
        name = (
            (item.process_id, item.seq)
            if isinstance(item, JournalRecord)
            else (item.key, item.attempt, item.digest)
        )
        if name in self._seen:
            return False
        is_wanted = self._has(item) if isinstance(item, Delivery) else self._has_record(item)
        if is_wanted:
            self._seen.add(name)
        return is_wanted

    def _has(self, delivery: Delivery) -> bool:
        repository = delivery.subject.name.partition("#")[0].lower()
        has = (
            (self.since is None or delivery.received_at >= self.since)
            and (self.until is None or delivery.received_at < self.until)
            and (not self.repositories or repository in self.repositories)
            and (not self.events or not self.events.isdisjoint((delivery.kind, delivery.event)))
        )
        if has:
            self._keys.add(delivery.key)
        return has

    def _has_record(self, record: JournalRecord) -> bool:
        if not (self.since or self.until or self.repositories or self.events):
            return True
        if record.kind == "seeded" and record.data.get("delivery") in self._keys:
            self._processes.add(record.process_id)
        return record.process_id in self._processes


@dataclass(slots=True)
class Counts:
    """What was written, or brought in."""

    deliveries: int = 0
    records: int = 0
    damaged: int = 0  # lines that could not be read

    def add(self, item: Item) -> None:
        """One more."""
        if isinstance(item, Delivery):
            self.deliveries += 1
        else:
            self.records += 1


async def export_archive(
    settings: Settings, path: Path, wanted: Wanted, told: Told = lambda: None
) -> Counts:
    """Write an archive, in one step.  Raises `NoServer`, `InfrastructureError`, `OSError`."""
    counts = Counts()
    file = await asyncio.to_thread(ArchiveFile, path)
    with file:
        async for items in _recorded(settings):
            taken = [item for item in items if wanted.takes(item)]
            await asyncio.to_thread(_write, file, taken)
            for item in taken:
                counts.add(item)
                told()
    return counts


def _write(file: ArchiveFile, items: list[Item]) -> None:
    for item in items:
        file.add(item)


async def _recorded(settings: Settings) -> AsyncIterator[list[Item]]:
    """All deliveries, then all decision records; some may come twice."""
    if await _is_in_folder(settings):
        folder = data_folder(settings) / FOLDER
        for kind in (Delivery, JournalRecord):
            async for items in _in_threads(archived(folder)):
                yield [item for item in items if isinstance(item, kind)]
        return
    topics = Topics(settings.kafka.prefix)
    async with AsyncExitStack() as stack:
        redis = await stack.enter_async_context(redis_parts(settings))
        reader = await stack.enter_async_context(open_reader(bootstrap_of(settings)))
        bodies = large_bodies(settings, redis)
        codec, journal = delivery_codec(bodies), JournalCodec(Packing(bodies.deliveries))
        async for record in reader.merged(await reader.extents(topics.deliveries)):
            try:
                yield [await codec.decode(record)]
            except PoisonRecord:  # it is a dead letter
                continue
        async for record in reader.merged(await reader.extents(topics.journal)):
            try:
                yield list(await journal.decode(record))
            except PoisonRecord:
                continue


async def _is_in_folder(settings: Settings) -> bool:
    """Whether the data folder has all that the topics have."""
    if settings.data is None or not files_of(settings.data / FOLDER):
        return False
    if settings.kafka.bootstrap_servers is None:
        return True
    return await cluster_id(bootstrap_of(settings)) == CLUSTER_ID


async def _in_threads(items: Iterator[Item]) -> AsyncIterator[list[Item]]:
    while some := await asyncio.to_thread(lambda: list(islice(items, _AT_ONCE))):
        yield some


@dataclass(frozen=True, slots=True)
class Imported:
    """What became of a file that was brought."""

    counts: Counts
    name: str  # in the data folder's archive
    was_there: bool  # the very same had been brought before
    is_indexed: bool  # False: a console that runs does it in a moment


async def import_archive(
    settings: Settings,
    path: Path,
    *,
    damaged: Callable[[Damage], None],
    told: Told = lambda: None,
) -> Imported:
    """Bring a file in; `damaged` hears of each line that can't be, and the rest goes on.

    Raises `NoArchive`, `NoDataFolder`, `IndexUnusable`, `OSError`.
    """
    folder = data_folder(settings) / FOLDER
    name = await asyncio.to_thread(lambda: f"{IMPORTED}{_digest(path)}.jsonl.gz")
    was_there, counts = (folder / name).exists(), Counts()

    def tell(damage: Damage) -> None:
        counts.damaged += 1
        damaged(damage)

    await asyncio.to_thread(lambda: folder.mkdir(parents=True, exist_ok=True))
    file = await asyncio.to_thread(ArchiveFile, folder / name)
    with file:
        items = read_archive(path, damaged=tell, fault_of=_fault_of)
        async for some in _in_threads(items):
            await asyncio.to_thread(_write, file, some)
            for item in some:
                counts.add(item)
                told()
    return Imported(counts, name, was_there, await _index(settings))


def _fault_of(item: Item) -> str:
    fault = fault_of(item) if isinstance(item, JournalRecord) else ""
    return f"the decision record can't be used: {fault}" if fault else ""


async def _index(settings: Settings) -> bool:
    """Index the archive; False where a console does it."""
    folder = data_folder(settings)
    try:
        async with open_index(folder) as index:
            await make_indexing(settings, index, [ArchiveSource(folder / FOLDER)]).once()
    except IndexInUse:
        return False
    return True


def _digest(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()[:16]
