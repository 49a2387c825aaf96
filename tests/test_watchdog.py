"""A loop that is held up: by whom is told, and a component that does it is stopped."""

import asyncio
import re
import threading
import time
from collections.abc import Sequence
from dataclasses import dataclass, field

import pytest

from reactor import Platform, ProcessOptions, Start, Status, action, component, condition
from reactor.adapters.clock import SystemClock
from reactor.adapters.memory import MemoryBoards
from reactor.codec import Codec
from reactor.failure import LoopBlocked
from reactor.package import Package
from reactor.runner import Ran, Runner
from reactor.watchdog import Bounds, LoopWatchdog, Place

BOUNDS = Bounds(blocked_s=0.1, cut_off_s=0.3, look_every_s=0.05)


@dataclass
class Told:
    """What a watchdog has told."""

    places: list[Place] = field(default_factory=list)
    stacks: list[Sequence[str]] = field(default_factory=list)
    first: threading.Event = field(default_factory=threading.Event)

    def __call__(self, place: Place, stack: Sequence[str]) -> None:
        self.places.append(place)
        self.stacks.append(stack)
        self.first.set()


@dataclass(frozen=True)
class Issue:
    title: str


@dataclass(frozen=True)
class Verdict:
    by: str


@component
class Sleeps:
    """Asks a server without awaiting it."""

    @action(value=0.9)
    async def block(self, issue: Issue) -> Verdict:
        time.sleep(60)  # noqa: ASYNC251 - that is the point
        return Verdict("never")

    @action(value=0.1)
    async def go_around(self, issue: Issue) -> Verdict:
        return Verdict("the other way")


@component
class Spins:
    """Never comes to an end."""

    @action
    async def block(self, issue: Issue) -> Verdict:
        number = 0
        while True:
            number += 1


@component
class Swallows:
    """Blocks, and lets no error through the first time."""

    @action
    async def block(self, issue: Issue) -> Verdict:
        for _ in range(2):
            try:
                time.sleep(60)  # noqa: ASYNC251 - that is the point
            except Exception:  # noqa: BLE001 - that is the point
                time.sleep(60)  # noqa: ASYNC251
        return Verdict("never")


@component
class Ponders:
    """Blocks while it is asked."""

    @condition
    def is_urgent(self, issue: Issue) -> bool:
        time.sleep(60)
        return True

    @action(pre=["is_urgent"])
    async def escalate(self, issue: Issue) -> Verdict:
        return Verdict("never")


async def ran(component: object) -> Ran:
    platform = Platform(
        packages=[Package(name="p", components=(component,))], types=[Issue, Verdict]
    )
    clock = SystemClock()
    boards = MemoryBoards(Codec(platform.catalog), clock)
    start = Start(
        process_id="p-1",
        delivery="github.com/d-1",
        reaction="triage",
        subject="github.com/1#7",
        facts=[("event", Issue("why"))],
        options=ProcessOptions(),
    )
    with Runner(platform=platform, boards=boards, clock=clock, owner="w") as runner:
        return await runner.run(start)


async def test_an_action_that_blocks_the_loop_fails_for_good_and_the_plan_goes_around_it() -> None:
    told = Told()

    with LoopWatchdog(BOUNDS, tell=told):
        head = (await ran(Sleeps)).head

    assert head.status is Status.STUCK
    assert head.failure == ""
    (place,) = told.places
    assert place.is_component
    assert re.fullmatch(r".*test_watchdog:\d+ in block", place.where)
    assert "time.sleep(60)" in told.stacks[0][0]


@pytest.mark.parametrize("component", [Spins, Swallows])
async def test_one_that_nothing_can_replace_has_failed_and_the_place_is_told(
    component: type,
) -> None:
    with LoopWatchdog(BOUNDS, tell=Told()):
        head = (await ran(component)).head

    assert head.status is Status.FAILED
    assert "LoopBlocked: stopped at" in head.failure
    assert " in block, where it held up the whole worker for 0.3 s" in head.failure


async def test_a_condition_that_blocks_is_unknown_and_says_so() -> None:
    with LoopWatchdog(BOUNDS, tell=Told()):
        came = await ran(Ponders)

    assert came.head.status is Status.STUCK
    assert "LoopBlocked" in str(came.unsent[-1].data)


async def test_what_is_not_a_component_is_told_and_left_alone() -> None:
    told = Told()

    with LoopWatchdog(BOUNDS, tell=told):
        told.first.wait(timeout=30)  # holds up the loop itself
        time.sleep(2 * BOUNDS.cut_off_s)  # noqa: ASYNC251 - beyond the point of being cut off

    (place,) = told.places
    assert not place.is_component


async def test_a_loop_that_only_waits_is_not_held_up() -> None:
    told = Told()

    with LoopWatchdog(BOUNDS, tell=told):
        await asyncio.to_thread(told.first.wait, 5 * BOUNDS.blocked_s)

    assert told.places == []


async def test_it_leaves_no_thread_behind() -> None:
    before = threading.active_count()

    with LoopWatchdog(BOUNDS):
        during = threading.active_count()

    assert (during, threading.active_count()) == (before + 1, before)


def test_on_a_loop_of_another_thread_nothing_is_raised() -> None:
    told = Told()

    async def block() -> None:
        with LoopWatchdog(BOUNDS, tell=told):
            told.first.wait(timeout=30)

    thread = threading.Thread(target=lambda: asyncio.run(block()))
    thread.start()
    thread.join()

    assert len(told.places) == 1
    assert LoopBlocked("m:1 in f", 10).args == ("m:1 in f", 10)
