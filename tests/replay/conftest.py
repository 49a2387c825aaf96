"""A site in memory that records what it decides, and replays of it by the same or another version."""

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from datetime import timedelta

import pytest

from reactor.adapters.clock import ManualClock
from reactor.adapters.memory import MemoryBoards, MemoryFirsts, MemoryJournalLog
from reactor.adapters.memory_contexts import MemoryContexts
from reactor.adapters.memory_forms import MemoryForms
from reactor.adapters.memory_outcomes import MemoryOutcomes
from reactor.adapters.memory_records import MemoryRecords
from reactor.adapters.memory_storms import MemoryBotEvents
from reactor.adapters.memory_timers import MemoryTimers
from reactor.codec import Codec
from reactor.delivery import Delivery
from reactor.follow_up import FollowUp
from reactor.github.effects import EFFECT_TYPES
from reactor.github.facts import FACT_TYPES
from reactor.github.own import OwnIdentity
from reactor.github.reading import GitHubReader
from reactor.package import Package
from reactor.platform import Platform
from reactor.ports import Boards
from reactor.reaction import Reaction
from reactor.replay.clock import StandingClock
from reactor.replay.document import Replayed
from reactor.replay.engine import Memory, Replaying
from reactor.replay.stores import OwnStores, own_stores
from reactor.runner import Runner
from reactor.scope import Scope
from reactor.signal import Signal, as_delivery
from reactor.steering import Steering
from reactor.storms import StormGate
from reactor.testing import delivery, issue
from reactor.worker import Listener, Settled, Worker

EVERY = Reaction(name="all", on=("*",))


@dataclass
class Site:
    """Deliveries that were worked on, and all that was decided of them."""

    clock: ManualClock = field(default_factory=ManualClock)
    journal: MemoryJournalLog = field(default_factory=MemoryJournalLog)
    deliveries: list[Delivery] = field(default_factory=list)
    outcomes: MemoryOutcomes = field(default_factory=MemoryOutcomes)
    limit: int = 2  # of bots' events on one subject

    def open(self, *components: object, reactions: Sequence[Reaction] = (EVERY,)) -> "Live":
        """Let these components work here."""
        return Live(self, platform_of(components), reactions)

    async def replay(
        self, *components: object, reactions: Sequence[Reaction] = (EVERY,), only: str = ""
    ) -> list[Replayed]:
        """Replay all deliveries by these components."""
        again = self.again(*components, reactions=reactions, only=only)
        return [found for each in self.deliveries for found in await again.replaying.replay(each)]

    def again(
        self, *components: object, reactions: Sequence[Reaction] = (EVERY,), only: str = ""
    ) -> "Again":
        """What replays by these components."""
        platform, clock = platform_of(components), StandingClock(self.clock.monotonic_s)
        counted = MemoryBotEvents(clock, limit=self.limit, window=timedelta(minutes=1))
        stores = own_stores(MemoryFirsts(), MemoryContexts(), counted, clock)
        codec = Codec(platform.catalog)

        def memory() -> Memory:
            boards = MemoryBoards(codec, self.clock)
            return Memory(
                boards=boards,
                runner=Runner(platform=platform, boards=boards, clock=clock, owner="replay"),
                follow_up=FollowUp(forms=MemoryForms(), timers=MemoryTimers(clock)),
            )

        replaying = Replaying(
            listeners=listeners(reactions),
            reader=GitHubReader(OwnIdentity(login="reactor[bot]")),
            gate=gate(stores.bot_events, MemoryBoards(codec, self.clock)),
            then=MemoryRecords(self.journal.records),
            clock=clock,
            memory=memory,
            reactions=frozenset({only} if only else ()),
        )
        return Again(replaying, stores, clock)


@dataclass(frozen=True)
class Again:
    replaying: Replaying
    stores: OwnStores
    clock: StandingClock


class Live:
    """A worker that is steered, as it was then."""

    def __init__(self, site: Site, platform: Platform, reactions: Sequence[Reaction]) -> None:
        self.site = site
        self.boards = MemoryBoards(Codec(platform.catalog), site.clock)
        counted = MemoryBotEvents(site.clock, limit=site.limit, window=timedelta(minutes=1))
        self.worker = Worker(
            listeners=listeners(reactions),
            reader=GitHubReader(OwnIdentity(login="reactor[bot]")),
            runner=Runner(platform=platform, boards=self.boards, clock=site.clock, owner="w"),
            boards=self.boards,
            journal=site.journal,
            gate=gate(counted, self.boards, site.outcomes),
        )
        follow_up = FollowUp(forms=MemoryForms(), timers=MemoryTimers(site.clock))
        self.steering = Steering(worker=self.worker, follow_up=follow_up, clock=site.clock)

    async def hear(self, *kinds: str, **payload: object) -> Settled:
        """Something happens; `kinds`: the event, and who it is by."""
        number = len(self.site.deliveries) + 1
        self.site.clock.move(timedelta(seconds=5))
        told = {"issue": issue(f"It crashes {number}", number=number)} | payload
        heard = delivery(kinds[0], id=f"d-{number}", **told)
        heard = replace(heard, received_at=self.site.clock.now())
        self.site.deliveries.append(heard)
        self.site.clock.move(timedelta(seconds=5))
        settled = await self.worker.settle(heard)
        if settled.ignored:
            await self.site.outcomes.ignore(heard.key, settled.ignored)
        return settled

    async def tell(self, signal: Signal) -> Settled:
        """A process is told something, a while later."""
        self.site.clock.move(timedelta(hours=1))
        sent = as_delivery(signal, at=self.site.clock.now())
        return await self.steering.settle(replace(sent, payload=json.loads(sent.body)))


def listeners(reactions: Iterable[Reaction]) -> list[Listener]:
    return [Listener(reaction=each, scope=Scope.platform(), when=None) for each in reactions]


def gate(counted: object, boards: Boards, outcomes: MemoryOutcomes | None = None) -> StormGate:
    return StormGate(
        max_causation=3,
        bot_events=counted,  # type: ignore[arg-type]  # of the site, or of a replay
        outcomes=outcomes or MemoryOutcomes(),
        boards=boards,
    )


def platform_of(components: Sequence[object]) -> Platform:
    return Platform(
        packages=[Package(name="p", components=tuple(components))],
        types=(*FACT_TYPES, *EFFECT_TYPES),
    )


@pytest.fixture
def site() -> Site:
    return Site()
