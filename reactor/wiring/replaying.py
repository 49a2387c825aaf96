"""A replay, put together: where deliveries and records come from, the engine, the run's folder.

Live workers are not disturbed: topics are read by nobody's group, Redis only for large bodies.
"""

import asyncio
import gc
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path

from reactor.adapters.archive_folder import FOLDER
from reactor.adapters.clock import SystemClock
from reactor.archive import Damage, NoArchive
from reactor.errors import ReactorError
from reactor.package import BadPlatform, Fault
from reactor.replay.document import Replayed
from reactor.replay.engine import Then
from reactor.replay.folder import Progress, Run
from reactor.replay.run import Running, Source
from reactor.replay.selection import Selection
from reactor.settings import Settings
from reactor.topic import Topics
from reactor.wiring.kafka import bootstrap_of, delivery_codec, large_bodies
from reactor.wiring.platform import BadReactions
from reactor.wiring.recorded import data_folder
from reactor.wiring.redis import redis_parts
from reactor.wiring.replay_engine import ReplayEngine, replay_engine
from reactor.wiring.replay_sources import (
    ArchiveSource,
    Chained,
    TopicSource,
    UnknownPartitions,
    folder_source,
    topic_extents,
)
from reactor.wiring.replay_then import OnRead, forget_index, has_archive, then_in_archive, then_of
from reactor.wiring.what_if import BadWhatIf, check_packages
from streams.embedded import CLUSTER_ID
from streams.reader import open_reader
from streams.topics import cluster_id


class UnknownReactions(ReactorError):
    """Processes of reactions are asked for that the settings do not have."""

    def __init__(self, names: tuple[str, ...], known: tuple[str, ...]) -> None:
        super().__init__(names, known)
        self.names, self.known = names, known

    def __str__(self) -> str:
        return (
            f"--reaction: no reaction is called {', '.join(self.names)}; the settings have"
            f" {', '.join(self.known)}"
        )


_REFUSED = (UnknownReactions, UnknownPartitions, BadWhatIf, BadReactions, BadPlatform, NoArchive)
"""What is wrong with what was asked for: nothing was replayed."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Replay:
    """What was asked for, and who hears of it."""

    run: Run
    request: Mapping[str, object]  # as it is kept
    selection: Selection
    archive: Path | None = None  # None: the topics
    supposed: Mapping[str, str] = field(default_factory=dict)  # `what_if.packages_in`
    on_found: Callable[[Replayed], None] = lambda _found: None
    on_read: OnRead = lambda _count: None  # of records of then, before anything is replayed
    on_progress: Callable[[Progress], None] = lambda _progress: None
    on_faults: Callable[[tuple[Fault, ...]], None] = lambda _faults: None
    damage: list[Damage] = field(default_factory=list)  # of the archive, as it is found


async def replay(settings: Settings, wanted: Replay) -> Progress:
    """Replay to the end, or go on with what was begun.

    Raises `RunInUse`, `OtherRequest`, `DamagedRun`, `NoServer`, `InfrastructureError`,
    `NoArchive`, `BadReactions`, `BadPlatform`, `BadWhatIf`, `UnknownReactions`,
    `UnknownPartitions`.
    """
    is_new = not await asyncio.to_thread(lambda: wanted.run.is_begun)
    try:
        return await _replay(settings, wanted)
    except _REFUSED:
        if is_new:
            await asyncio.to_thread(wanted.run.forget)
        raise


async def _replay(settings: Settings, wanted: Replay) -> Progress:
    async with AsyncExitStack() as stack:
        await asyncio.to_thread(stack.enter_context, wanted.run.alone())
        begun = await asyncio.to_thread(wanted.run.begin, wanted.request)
        if await asyncio.to_thread(lambda: wanted.run.is_done):
            return begun
        stack.push_async_callback(_tidy, wanted.run)
        source, then = await stack.enter_async_context(_recorded(settings, wanted))
        engine = await stack.enter_async_context(
            replay_engine(settings, then, reactions=wanted.selection.reactions)
        )
        check_packages(wanted.supposed, engine.faults)
        _check_reactions(wanted.selection.reactions, engine)
        wanted.on_faults(engine.faults)
        gc.collect()
        gc.freeze()  # what was loaded, some 150,000 objects, need not be gone over again and again
        running = Running(
            run=wanted.run,
            source=source,
            selection=wanted.selection,
            replaying=engine.replaying,
            stores=engine.stores,
            standing=engine.clock,
            clock=SystemClock(),
            on_found=wanted.on_found,
            on_progress=wanted.on_progress,
        )
        return await running.to_end(wanted.request)


def _check_reactions(wanted: frozenset[str], engine: ReplayEngine) -> None:
    known = {listener.reaction.name for listener in engine.replaying.listeners}
    if unknown := wanted - known:
        raise UnknownReactions(tuple(sorted(unknown)), tuple(sorted(known)))


async def _tidy(run: Run) -> None:
    if await asyncio.to_thread(lambda: run.is_done):
        await asyncio.to_thread(forget_index, run.folder)


@asynccontextmanager
async def _recorded(settings: Settings, wanted: Replay) -> AsyncIterator[tuple[Source, Then]]:
    """The deliveries, and what became of them."""
    folder = wanted.run.folder
    if wanted.archive is not None:
        async with then_in_archive(wanted.archive, folder, wanted.on_read) as then:
            yield ArchiveSource(path=wanted.archive, on_damage=wanted.damage), then
        return
    async with AsyncExitStack() as stack:
        redis = None
        if settings.kafka.bootstrap_servers is not None or not has_archive(settings):
            redis = await stack.enter_async_context(redis_parts(settings))
        if redis is None or await _is_in_folder(settings, wanted.selection):
            then, indexes = await stack.enter_async_context(
                then_of(settings, redis, folder, wanted.on_read)
            )
            kept = data_folder(settings) / FOLDER
            yield await folder_source(indexes, kept, wanted.selection), then
            return
        # the end of the deliveries is looked for first: what was decided of them is in the
        # journal then
        reader = await stack.enter_async_context(open_reader(bootstrap_of(settings)))
        topic = Topics(settings.kafka.prefix).deliveries
        extents = await topic_extents(reader, topic, wanted.selection)
        then, indexes = await stack.enter_async_context(
            then_of(settings, redis, folder, wanted.on_read)
        )
        codec = delivery_codec(large_bodies(settings, redis))
        on_topic = TopicSource(reader=reader, codec=codec, extents=extents)
        if not has_archive(settings) or wanted.selection.offsets:
            yield on_topic, then
            return
        kept = data_folder(settings) / FOLDER  # what was imported is nowhere else
        imported = await folder_source(indexes, kept, wanted.selection, only_there=True)
        yield Chained(imported, on_topic), then


async def _is_in_folder(settings: Settings, selection: Selection) -> bool:
    """Whether the data folder has all deliveries, and more than a broker that forgets."""
    if not has_archive(settings) or selection.offsets:
        return False
    return await cluster_id(bootstrap_of(settings)) == CLUSTER_ID
