"""The limit that remains: a worker that stops between looking and writing, and then goes on.

What happens outside can't be fenced.  The ledger sees to it that nobody else is in between for as
long as the turn lasts, and that what comes too late does not count; the change is there twice.
"""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from datetime import timedelta

from reactor import (
    AlreadyDone,
    Attempt,
    Effect,
    EffectRecord,
    Package,
    Platform,
    ProcessHead,
    component,
    executes,
)
from reactor.adapters.clock import ManualClock
from reactor.adapters.memory_ledger import MemoryLedger
from reactor.codec import Codec
from reactor.execution import Executor
from reactor.ledger import Caps, Enrolled, Intent, Sending
from reactor.sending import Sender
from reactor.trying import Tried, Tries

SUBJECT = "github.com/1#7"
LEASE = timedelta(seconds=30)


class Note(Effect):
    text: str = "hello"


@component(effects=(Note,))
class Notes:
    """Looks first whatever it is told, and still stops in the one place where that is no help."""

    def __init__(self) -> None:
        self.written: list[str] = []
        self.looked, self.go_on = asyncio.Event(), asyncio.Event()

    @executes
    async def note(self, effect: Note, attempt: Attempt) -> object:
        if attempt.key in self.written:
            return AlreadyDone()
        if attempt.number == 1:
            self.looked.set()
            await self.go_on.wait()  # SIGSTOP, a long garbage collection, a machine put to sleep
        self.written.append(attempt.key)
        return attempt.number


@dataclass
class Losses:
    keys: list[str] = field(default_factory=list)

    def enrolled(self, intent: Intent, enrolled: Enrolled) -> None: ...

    def tried(self, sending: Sending, tried: Tried) -> None: ...

    def lost(self, intent: Intent) -> None:
        self.keys.append(intent.key)

    def in_trouble(self, error: Exception) -> None: ...


@asynccontextmanager
async def running(sender: Sender) -> AsyncIterator[Sender]:
    async with asyncio.TaskGroup() as group:
        task = group.create_task(sender.run())
        yield sender
        task.cancel()


async def eventually(holds: Callable[[], bool]) -> None:
    async with asyncio.timeout(10):
        while not holds():  # noqa: ASYNC110 - what is looked at has no event
            await asyncio.sleep(0.002)


async def test_a_stop_between_look_and_write_for_longer_than_the_turn_makes_the_change_twice() -> (
    None
):
    notes, clock, losses = Notes(), ManualClock(), Losses()
    platform = Platform(packages=[Package(name="notes", components=(notes,))])
    ledger = MemoryLedger(Codec(platform.catalog), clock)
    senders = [_sender(owner, platform, ledger, clock, losses) for owner in ("a", "b")]

    async with running(senders[0]) as stopped:
        await stopped.take(_head(clock), [_record()])
        await notes.looked.wait()
        clock.move(LEASE)
        async with running(senders[1]):
            await eventually(lambda: notes.written == ["k1"])
            notes.go_on.set()
            await eventually(lambda: losses.keys == ["k1"])

    fate = (await ledger.fates(SUBJECT, ["k1"]))["k1"]
    assert notes.written == ["k1", "k1"]
    assert (fate.state, fate.result, fate.attempts) == ("done", "2", 2)


def _sender(
    owner: str, platform: Platform, ledger: MemoryLedger, clock: ManualClock, losses: Losses
) -> Sender:
    return Sender(
        ledger=ledger,
        tries=Tries(
            platform=platform,
            executor=Executor(),
            now=clock.now,
            monotonic_s=clock.monotonic_s,
            pause=lambda failures: timedelta(seconds=1),
        ),
        caps=Caps(per_event=9, per_day=9, per_subject=9, window=timedelta(minutes=1)),
        clock=clock,
        owner=owner,
        observers=(losses,),
        lease=LEASE,
        look_every=timedelta(milliseconds=5),
    )


def _head(clock: ManualClock) -> ProcessHead:
    return ProcessHead(
        id="p1",
        delivery="github.com/d-1",
        reaction="notes",
        subject=SUBJECT,
        agent="reactor",
        planner="utility",
        created_at=clock.now(),
        updated_at=clock.now(),
    )


def _record() -> EffectRecord:
    return EffectRecord(
        key="k1",
        effect=Note(),
        subject=SUBJECT,
        action="notes.want",
        mode="live",
        state="intended",
    )
