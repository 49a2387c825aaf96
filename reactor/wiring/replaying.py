"""A replay, put together: where deliveries and records come from, the engine, the run's folder.

Live workers are not disturbed: topics are read by nobody's group, Redis only for large bodies.
"""

import asyncio
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path

from reactor.adapters.clock import SystemClock
from reactor.archive import Damage
from reactor.package import Fault
from reactor.replay.document import Replayed
from reactor.replay.engine import Then
from reactor.replay.folder import Progress, Run
from reactor.replay.run import Running, Source
from reactor.replay.selection import Selection
from reactor.settings import Settings
from reactor.topic import Topics
from reactor.wiring.kafka import bootstrap_of, delivery_codec, large_bodies
from reactor.wiring.redis import redis_parts
from reactor.wiring.replay_engine import replay_engine
from reactor.wiring.replay_sources import ArchiveSource, TopicSource, topic_extents
from reactor.wiring.replay_then import then_in_archive, then_on_topic
from streams.journal import JournalCodec
from streams.packing import Packing
from streams.reader import open_reader


@dataclass(frozen=True, slots=True, kw_only=True)
class Replay:
    """What was asked for, and who hears of it."""

    run: Run
    request: Mapping[str, object]  # as it is kept
    selection: Selection
    archive: Path | None = None  # None: the topics
    on_found: Callable[[Replayed], None] = lambda _found: None
    on_progress: Callable[[Progress], None] = lambda _progress: None
    on_faults: Callable[[tuple[Fault, ...]], None] = lambda _faults: None
    damage: list[Damage] = field(default_factory=list)  # of the archive, as it is found


async def replay(settings: Settings, wanted: Replay) -> Progress:
    """Replay to the end, or go on with what was begun.

    Raises `RunInUse`, `OtherRequest`, `DamagedRun`, `NoServer`, `InfrastructureError`,
    `NoArchive`, `BadReactions`, `BadPlatform`.
    """
    async with AsyncExitStack() as stack:
        await asyncio.to_thread(stack.enter_context, wanted.run.alone())
        if await asyncio.to_thread(lambda: wanted.run.is_done):
            return await asyncio.to_thread(wanted.run.begin, wanted.request)
        source, then = await stack.enter_async_context(_recorded(settings, wanted))
        engine = stack.enter_context(
            replay_engine(settings, then, reactions=wanted.selection.reactions)
        )
        wanted.on_faults(engine.faults)
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


@asynccontextmanager
async def _recorded(settings: Settings, wanted: Replay) -> AsyncIterator[tuple[Source, Then]]:
    """The deliveries, and what became of them.

    The end of the deliveries is looked for first: what was decided of them is in the journal then.
    """
    folder = wanted.run.folder
    if wanted.archive is not None:
        async with then_in_archive(wanted.archive, folder) as then:
            yield ArchiveSource(path=wanted.archive, on_damage=wanted.damage), then
        return
    bootstrap, topics = bootstrap_of(settings), Topics(settings.kafka.prefix)
    async with (
        redis_parts(settings) as redis,
        open_reader(bootstrap) as deliveries,
        open_reader(bootstrap) as journal,
    ):
        bodies = large_bodies(settings, redis)
        extents = await topic_extents(deliveries, topics.deliveries, wanted.selection)
        records = JournalCodec(Packing(bodies.deliveries))
        async with then_on_topic(journal, records, topics.journal, (folder, settings.data)) as then:
            codec = delivery_codec(bodies)
            yield TopicSource(reader=deliveries, codec=codec, extents=extents), then
