"""The index of the journal, put together: kept up to date by the console, made anew by a command.

Beside a broker that forgets, the archive in the data folder has all that its topics have, and
more; elsewhere the topics are read, and what was imported is in the archive.
"""

import asyncio
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from datetime import timedelta
from functools import partial
from typing import TYPE_CHECKING

import structlog

from reactor.adapters import archive_folder
from reactor.adapters.archive_source import ArchiveSource
from reactor.adapters.clock import SystemClock
from reactor.adapters.redis_bodies import RedisBodies
from reactor.adapters.sqlite_index import IndexDamaged, IndexInUse, IndexUnusable, open_index
from reactor.adapters.sqlite_records import FILE
from reactor.indexing import Indexing, Source
from reactor.records import Batch
from reactor.settings import Settings
from reactor.topic import Topics
from reactor.wiring.kafka import bootstrap_of
from reactor.wiring.recorded import data_folder
from reactor.wiring.redis import RedisParts, redis_parts
from reactor.wiring.topic_source import TopicSource
from streams.embedded import CLUSTER_ID
from streams.journal import JournalCodec
from streams.packing import Packing
from streams.topics import cluster_id

if TYPE_CHECKING:
    from reactor.records import RecordIndex

_PAUSE_S = 5.0  # before the index is opened once more


@asynccontextmanager
async def indexed(settings: Settings, redis: RedisParts) -> AsyncIterator[None]:
    """Keep the index up to date for as long as the context lasts, where there is a data folder."""
    if settings.data is None:
        yield
        return
    async with asyncio.TaskGroup() as group:
        task = group.create_task(_index(settings, redis))
        try:
            yield
        finally:
            task.cancel()


async def _index(settings: Settings, redis: RedisParts) -> None:
    """For ever; trouble with the folder is told, and does not end the console."""
    log, folder, last = structlog.get_logger("reactor.journal"), data_folder(settings), ""
    anew = False
    while True:
        try:
            async with (
                open_index(folder, anew=anew) as index,
                all_sources(settings, redis) as sources,
            ):
                last, anew = "", False
                await make_indexing(settings, index, sources).run()
        except IndexDamaged as error:
            log.warning("journal_index_anew", why=str(error))
            anew = True
            continue
        except (IndexInUse, IndexUnusable) as error:
            if last != str(error):
                log.warning("journal_index_waits", why=str(error))
            last = str(error)
        await asyncio.sleep(_PAUSE_S)


def make_indexing(
    settings: Settings,
    index: "RecordIndex",
    sources: list[Source],
    added: Callable[[int], None] = lambda _: None,
) -> Indexing:
    """What reads `sources` into `index`."""
    folder = data_folder(settings) / archive_folder.FOLDER
    return Indexing(
        index=index,
        sources=sources,
        clock=SystemClock(),
        keep=timedelta(days=settings.journal.retention_days),
        forget_files=partial(archive_folder.forget_files, folder),
        added=added,
    )


@asynccontextmanager
async def all_sources(settings: Settings, redis: RedisParts | None) -> AsyncIterator[list[Source]]:
    """The archive, and the topics where there is a broker to ask, and Redis for large bodies."""
    archive = ArchiveSource(data_folder(settings) / archive_folder.FOLDER)
    if redis is None or settings.kafka.bootstrap_servers is None:
        yield [archive]
        return
    topics = topic_source(settings, redis)
    try:
        yield [archive, _UnlessItForgets(settings, topics)]
    finally:
        await topics.close()


@dataclass(slots=True)
class _UnlessItForgets:
    """A source that has nothing where the broker forgets: all of it is in the archive then."""

    settings: Settings
    topics: TopicSource
    forgets: bool | None = None

    async def batches(self, places: Mapping[str, str]) -> AsyncIterator[Batch]:
        """Those of the topics."""
        if self.forgets is None:
            self.forgets = await cluster_id(bootstrap_of(self.settings)) == CLUSTER_ID
        if not self.forgets:
            async for batch in self.topics.batches(places):
                yield batch


@dataclass(frozen=True, slots=True)
class Rebuilt:
    """What came of it."""

    added: int  # records and deliveries
    is_left_to_console: bool = False  # one runs, and begins anew by itself
    trouble: str = ""  # why not all could be read


async def rebuild(settings: Settings, added: Callable[[int], None] = lambda _: None) -> Rebuilt:
    """Throw the index away, and make it anew from the archive and the topics.

    Raises `NoDataFolder`, `IndexUnusable`, `NoServer`.
    """
    folder = data_folder(settings)
    try:
        async with AsyncExitStack() as stack:
            index = await stack.enter_async_context(open_index(folder, anew=True))
            redis = None
            if settings.kafka.bootstrap_servers is not None:
                redis = await stack.enter_async_context(redis_parts(settings))
            sources = await stack.enter_async_context(all_sources(settings, redis))
            indexing = make_indexing(settings, index, sources, added)
            return Rebuilt(await indexing.once(), trouble=indexing.trouble)
    except IndexInUse:
        await asyncio.to_thread((folder / FILE).unlink, missing_ok=True)  # which it notices
        return Rebuilt(0, is_left_to_console=True)


def topic_source(settings: Settings, redis: RedisParts) -> TopicSource:
    """The topics of deliveries and of the journal."""
    keep = timedelta(days=settings.kafka.retention_days * 2)
    bodies = RedisBodies(redis.client, prefix=redis.prefix, keep=keep)
    return TopicSource(
        broker=bootstrap_of(settings),
        topics=Topics(settings.kafka.prefix),
        journal=JournalCodec(Packing(bodies)),
    )
