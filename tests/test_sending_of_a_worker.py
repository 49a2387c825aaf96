"""From delivery to change: what happens once is changed once, whatever comes again."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any, Literal

import pytest

from reactor import (
    Attempt,
    Effect,
    InfrastructureError,
    Package,
    Platform,
    Scope,
    Status,
    action,
    component,
    executes,
)
from reactor.adapters.clock import ManualClock
from reactor.adapters.memory import MemoryBoards, MemoryJournalLog
from reactor.adapters.memory_ledger import MemoryLedger
from reactor.adapters.memory_outcomes import MemoryOutcomes
from reactor.adapters.memory_storms import MemoryBotEvents
from reactor.codec import Codec
from reactor.delivery import Delivery
from reactor.effect import Mode
from reactor.execution import Executor
from reactor.github import Issue
from reactor.github.facts import FACT_TYPES
from reactor.github.own import OwnIdentity
from reactor.github.reading import GitHubReader
from reactor.ledger import Caps, Enrolment, Intent, NotNow
from reactor.reaction import Reaction
from reactor.runner import Runner
from reactor.sending import Sender
from reactor.storms import StormGate
from reactor.testing import Payload, account, delivery, issue
from reactor.trying import Tries
from reactor.worker import Listener, Worker

CAPS = Caps(per_event=20, per_day=1000, per_subject=40, window=timedelta(minutes=10))
TOMORROW = "2026-06-01T00:00:00Z"


class Note(Effect):
    text: str


class Welcome(Effect):
    cause: Literal["event", "ever"] = "ever"


@component(effects=(Note, Welcome))
class Notes:
    def __init__(self) -> None:
        self.written: list[str] = []
        self.times: list[datetime | None] = []
        self.is_broken = False

    @action(value=0.9)
    async def want(self, issue: Issue) -> tuple[Note, Welcome]:
        """Say what it is called."""
        return Note(text=issue.title), Welcome()

    @action(value=0.5)
    async def check(self, issue: Issue) -> None:
        """Fail, where the process is to fail after it has asked for something."""
        if self.is_broken:
            raise ValueError("a bug")

    @executes
    async def write(self, effect: Note, attempt: Attempt) -> None:
        self.written.append(effect.text)
        self.times.append(attempt.happened_at)

    @executes
    def greet(self, effect: Welcome) -> None:
        self.written.append("welcome")


class LedgerThatIsAway(MemoryLedger):
    is_away = False

    async def enrol(self, intents: Sequence[Intent], caps: Caps, **more: Any) -> Enrolment:
        if self.is_away:
            raise InfrastructureError("redis", "away")
        return await super().enrol(intents, caps, **more)


class World:
    """A worker that settles, and a sender that sends when it is told to."""

    most_in_a_chain = 3

    def __init__(self, *modes: Mode, own_events: bool = False) -> None:
        self.notes, self.clock = Notes(), ManualClock()
        platform = Platform(
            packages=[Package(name="notes", components=(self.notes,))], types=FACT_TYPES
        )
        codec = Codec(platform.catalog)
        boards = MemoryBoards(codec, self.clock)
        self.ledger = LedgerThatIsAway(codec, self.clock)
        self.sender = Sender(
            ledger=self.ledger,
            tries=Tries(
                platform=platform,
                executor=Executor(),
                now=self.clock.now,
                monotonic_s=self.clock.monotonic_s,
                pause=lambda failures: timedelta(seconds=1),
            ),
            caps=CAPS,
            clock=self.clock,
            owner="w",
        )
        self.worker = Worker(
            listeners=[
                Listener(
                    reaction=Reaction(
                        name=f"r{number}-{mode}",
                        on=("issues",),
                        effects=mode,
                        own_events=own_events,
                    ),
                    scope=Scope.platform(),
                    when=None,
                )
                for number, mode in enumerate(modes or ("live",))
            ],
            reader=GitHubReader(OwnIdentity(login="reactor[bot]")),
            runner=Runner(platform=platform, boards=boards, clock=self.clock, owner="w"),
            boards=boards,
            journal=MemoryJournalLog(),
            outlet=self.sender,
            gate=StormGate(
                max_causation=self.most_in_a_chain,
                bot_events=MemoryBotEvents(self.clock, limit=99, window=timedelta(minutes=1)),
                outcomes=MemoryOutcomes(),
                boards=boards,
                sent=self.ledger,
            ),
        )

    async def send_all(self) -> list[str]:
        """Everything that can be sent now; what was changed so far."""
        self.clock.move(timedelta(seconds=1))
        for waiting in await self.ledger.waiting(now=self.clock.now(), limit=99):
            while not isinstance(found := await self._begin(waiting.subject), NotNow):
                tried = await self.sender.tries.make(found)
                await self.ledger.finish(found, tried.outcome, now=self.clock.now())
        return self.notes.written

    async def _begin(self, subject: str) -> Any:
        lease = timedelta(seconds=30)
        return await self.ledger.begin(subject, owner="w", lease=lease, now=self.clock.now())


def opened(id: str = "d-1", by: Payload | None = None, **fields: object) -> Delivery:
    crash = issue("It crashes", **fields)
    return delivery("issues.opened", id=id, issue=crash, sender=by or account())


async def test_a_delivery_is_settled_before_anything_is_sent() -> None:
    world = World()

    settled = await world.worker.settle(opened())

    assert [head.status for head in settled.heads] == [Status.TERMINATED]
    assert world.notes.written == []
    assert await world.send_all() == ["It crashes", "welcome"]


async def test_an_executor_is_told_when_what_caused_it_happened() -> None:
    world = World()

    await world.worker.settle(opened(updated_at="2026-03-01T09:30:00Z"))
    await world.send_all()

    assert world.notes.times == [datetime(2026, 3, 1, 9, 30, tzinfo=UTC)]


async def test_a_delivery_is_not_settled_while_the_ledger_is_away() -> None:
    world = World()
    world.ledger.is_away = True
    with pytest.raises(InfrastructureError):
        await world.worker.settle(opened())
    world.ledger.is_away = False

    await world.worker.settle(opened())

    assert await world.send_all() == ["It crashes", "welcome"]


@pytest.mark.parametrize("id", ["d-1", "d-2"])
async def test_a_redelivery_and_a_second_hook_change_nothing_more(id: str) -> None:
    world = World()
    await world.worker.settle(opened("d-1"))
    await world.send_all()

    await world.worker.settle(opened(id))

    assert await world.send_all() == ["It crashes", "welcome"]


async def test_two_reactions_that_want_the_same_change_make_it_once() -> None:
    world = World("live", "live")

    await world.worker.settle(opened())

    assert await world.send_all() == ["It crashes", "welcome"]


async def test_the_next_attempt_at_a_delivery_repeats_no_effect() -> None:
    world = World()
    world.notes.is_broken = True
    (failed,) = (await world.worker.settle(opened())).heads
    first = list(await world.send_all())
    world.notes.is_broken = False

    (head,) = (await world.worker.settle(replace(opened(), attempt=2))).heads

    assert (failed.status, head.attempt) == (Status.FAILED, 2)
    assert head.id != failed.id
    assert first == await world.send_all() == ["It crashes", "welcome"]


async def test_a_later_wish_is_a_change_of_its_own_but_not_what_happens_once_ever() -> None:
    world = World()
    await world.worker.settle(opened("d-1"))

    await world.worker.settle(opened("d-2", updated_at=TOMORROW))

    assert await world.send_all() == ["It crashes", "welcome", "It crashes"]


async def test_what_was_observed_before_a_reaction_was_live_does_not_count_as_done() -> None:
    world = World("observe", "live")

    await world.worker.settle(opened())

    assert await world.send_all() == ["It crashes", "welcome"]


async def test_a_process_that_only_observes_sends_nothing() -> None:
    world = World("observe")

    await world.worker.settle(opened())

    assert await world.send_all() == []
    assert await world.ledger.subjects_waiting() == 0


async def test_a_reaction_to_what_it_has_brought_about_itself_comes_to_an_end() -> None:
    """Whoever asks for our own events answers himself; the chain is followed by what we sent."""
    world = World(own_events=True)
    await world.worker.settle(opened("d-0"))
    ours = account("reactor[bot]", type="Bot")

    for number in range(1, 9):
        await world.send_all()
        later = f"2026-06-{number:02}T00:00:00Z"
        settled = await world.worker.settle(opened(f"d-{number}", ours, updated_at=later))
        if settled.ignored:
            break

    assert (number, settled.ignored) == (world.most_in_a_chain + 1, "too_deep")
    assert world.notes.written.count("It crashes") == world.most_in_a_chain + 1


async def test_an_event_can_bring_about_only_so_many_changes() -> None:
    world = World("live", "live")
    world.sender.caps = replace(CAPS, per_event=1)

    await world.worker.settle(opened())

    assert await world.send_all() == ["It crashes"]
