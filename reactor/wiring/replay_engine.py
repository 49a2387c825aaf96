"""The engine of a replay, put together: what is installed here, over memory, and nothing is sent.

No server is asked and no credentials are used: there is no outlet for effects, no executor is
called, and services answer from the journal or from the replay's own stores.
"""

from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, replace
from datetime import timedelta
from typing import cast

from reactor.adapters.clock import SystemClock
from reactor.adapters.memory import MemoryBoards, MemoryFirsts
from reactor.adapters.memory_contexts import MemoryContexts
from reactor.adapters.memory_forms import MemoryForms
from reactor.adapters.memory_outcomes import MemoryOutcomes
from reactor.adapters.memory_storms import MemoryBotEvents
from reactor.adapters.memory_timers import MemoryTimers
from reactor.ai import Ai
from reactor.codec import Codec
from reactor.execution import Executor
from reactor.follow_up import FollowUp
from reactor.package import Fault
from reactor.ports import Contexts
from reactor.recording import behind
from reactor.replay.clock import StandingClock
from reactor.replay.engine import Memory, NowhereToPublish, Replaying, Then
from reactor.replay.rules import RulesOfThen
from reactor.replay.stores import OwnStores, own_stores
from reactor.repository_rules import RulesOfRepositories
from reactor.settings import Settings
from reactor.storms import StormGate
from reactor.wiring.commands import commands
from reactor.wiring.engine import Stores, make_runner
from reactor.wiring.granting import make_granting
from reactor.wiring.models import models, stores_in_memory
from reactor.wiring.platform import install, listeners, reader

_OWNER = "replay"


@dataclass(frozen=True, slots=True, kw_only=True)
class ReplayEngine:
    """What replays, and what it rests on."""

    replaying: Replaying
    stores: OwnStores
    clock: StandingClock
    faults: tuple[Fault, ...]  # packages that could not take part


@asynccontextmanager
async def replay_engine(
    settings: Settings, then: Then, *, reactions: frozenset[str] = frozenset()
) -> AsyncIterator[ReplayEngine]:
    """Ready for as long as the context lasts.  Raises `BadReactions`, `BadPlatform`."""
    real = SystemClock()
    clock = StandingClock(real.monotonic_s)
    storms = settings.storms
    counted = MemoryBotEvents(
        clock, limit=storms.per_subject, window=timedelta(seconds=storms.window_s)
    )
    stores = own_stores(MemoryFirsts(), MemoryContexts(), counted, clock)
    asked = make_granting(settings)  # for files, of which there are none now
    rules = RulesOfThen(then=asked.rules, now=cast("RulesOfRepositories", behind(asked.rules)))
    granting = replace(asked, rules=rules)
    async with AsyncExitStack() as stack:
        services: dict[type, object] = {
            Contexts: stores.contexts,
            RulesOfRepositories: asked.rules,
        }
        if settings.llm.models:
            ai = models(settings, stores_in_memory(settings, clock))
            services[Ai] = (await stack.enter_async_context(ai)).recalled()
        installed = install(settings, firsts=stores.firsts, clock=clock, services=services)
        platform, codec = installed.platform, Codec(installed.platform.catalog)
        shared = Stores(MemoryBoards(codec, real), NowhereToPublish(), clock, granting)
        made = stack.enter_context(make_runner(settings, installed, shared, _OWNER))
        runner = replace(made, executor=stack.enter_context(Executor(pause=_no_pause)))

        def memory() -> Memory:
            boards = MemoryBoards(codec, real)
            return Memory(
                boards=boards,
                runner=replace(runner, boards=boards),
                follow_up=FollowUp(forms=MemoryForms(), timers=MemoryTimers(clock)),
            )

        yield ReplayEngine(
            replaying=Replaying(
                listeners=(*listeners(settings, platform), *commands(settings, platform)),
                reader=reader(settings),
                gate=StormGate(
                    max_causation=storms.max_causation,
                    bot_events=stores.bot_events,
                    outcomes=MemoryOutcomes(),
                    boards=shared.boards,
                ),
                then=then,
                clock=clock,
                memory=memory,
                reactions=reactions,
            ),
            stores=stores,
            clock=clock,
            faults=installed.faults,
        )


async def _no_pause(_seconds: float) -> None:
    """What failed then and passed at the next try does so at once."""
