"""Processes that end their workers: given up after a few times, and they alone."""

import asyncio
import copy
from collections.abc import Callable
from dataclasses import dataclass
from datetime import timedelta

from reactor import Platform, Runner, Start, Status, action, component
from reactor.adapters.clock import ManualClock
from reactor.adapters.memory import MemoryBoards
from reactor.codec import Codec
from reactor.crashes import ALONE_AFTER, MOST_OPENS

PlatformOf = Callable[..., Platform]


@dataclass(frozen=True)
class Issue:
    title: str


@component
class Deadly:
    """What a killed worker was at, without the killing."""

    def __init__(self) -> None:
        self.calls: list[str] = []
        self.together = self.most_together = 0
        self.two_work, self.others_wait = asyncio.Event(), asyncio.Event()

    @action(value=0.9)
    async def work(self, issue: Issue) -> None:
        self.calls.append(issue.title)
        self.together += 1
        self.most_together = max(self.most_together, self.together)
        if self.together == 2:
            self.two_work.set()
        await self.others_wait.wait()
        self.together -= 1


class World:
    """A worker that can be killed and started anew."""

    def __init__(self, platform: Platform, clock: ManualClock) -> None:
        self.platform, self.clock = platform, clock
        self.boards = MemoryBoards(Codec(platform.catalog), clock)

    async def killed_while_it_ran(self, start: Start, *, times: int) -> None:
        for _ in range(times):
            await self.boards.open(
                start.process_id, delivery=start.delivery, owner="w", lease=timedelta(seconds=30)
            )
            self.boards.session += "1"

    def runner(self) -> Runner:
        return Runner(platform=self.platform, boards=self.boards, clock=self.clock, owner="w")


def start(name: str) -> Start:
    return Start(
        process_id=name,
        delivery=f"github.com/{name}",
        reaction="triage",
        subject="github.com/1#7",
        facts=[("event", Issue(name))],
    )


async def test_a_process_that_has_ended_its_worker_often_enough_has_failed_and_says_why(
    platform_of: PlatformOf, clock: ManualClock
) -> None:
    deadly = Deadly()
    world = World(platform_of(deadly), clock)
    await world.killed_while_it_ran(start("p-1"), times=MOST_OPENS)

    ran = await world.runner().run(start("p-1"))

    assert ran.head.status is Status.FAILED
    assert f"ended {MOST_OPENS} times" in ran.head.failure
    assert deadly.calls == []
    stored = await world.boards.read("p-1")
    assert stored is not None
    assert stored.head == ran.head
    assert [record.kind for record in ran.unsent] == ["seeded", "ended"]


async def test_until_then_it_has_its_chances_and_ending_well_is_the_end_of_it(
    platform_of: PlatformOf, clock: ManualClock
) -> None:
    deadly = Deadly()
    deadly.others_wait.set()
    world = World(platform_of(deadly), clock)
    await world.killed_while_it_ran(start("p-1"), times=MOST_OPENS - 1)

    ran = await world.runner().run(start("p-1"))

    assert ran.head.status is Status.STUCK
    assert deadly.calls == ["p-1"]
    again = await world.boards.open("p-1", delivery="d", owner="x", lease=timedelta(seconds=1))
    assert again.opens == 1


async def test_suspects_run_one_at_a_time_and_those_that_wait_are_not_counted(
    platform_of: PlatformOf, clock: ManualClock
) -> None:
    deadly = Deadly()
    world = World(platform_of(deadly), clock)
    names = ["p-1", "p-2", "p-3"]
    for name in names:
        await world.killed_while_it_ran(start(name), times=ALONE_AFTER)
    runner = world.runner()

    async with asyncio.TaskGroup() as group:
        for name in names:
            group.create_task(runner.run(start(name)))
        unsuspected = group.create_task(runner.run(start("p-4")))
        await deadly.two_work.wait()
        counted = await opens_of_a_successor(world, names)
        deadly.others_wait.set()

    assert deadly.most_together == 2  # a suspect, and the one that nobody suspects
    assert sorted(deadly.calls) == [*names, "p-4"]
    assert unsuspected.result().head.status is Status.STUCK
    assert sorted(counted) == [ALONE_AFTER + 1, ALONE_AFTER + 1, ALONE_AFTER + 2]


async def opens_of_a_successor(world: World, names: list[str]) -> list[int]:
    """What the next worker would count, were this one killed now."""
    boards = copy.deepcopy(world.boards)
    boards.session += "1"
    found = []
    for name in names:
        opened = await boards.open(name, delivery="d", owner="w", lease=timedelta(seconds=1))
        found.append(opened.opens)
    return found
