"""Every step of a process is told, and no listener can harm it."""

from collections.abc import Callable
from dataclasses import dataclass

import pytest

from reactor import (
    Goal,
    Platform,
    ProcessOptions,
    Runner,
    Start,
    Status,
    UtilityInvocation,
    action,
    component,
    wait_for,
)
from reactor.adapters.clock import ManualClock
from reactor.adapters.memory import MemoryBoards
from reactor.codec import Codec
from reactor.listening import ActionFinished, ActionStarted, PlanFormulated, ProcessEvent
from reactor.waiting import Answer, Confirmation

PlatformOf = Callable[..., Platform]


@dataclass(frozen=True)
class Fact:
    text: str


@dataclass(frozen=True)
class Done:
    pass


@component
class Team:
    @action(value=0.9)
    async def find(self) -> Fact:
        return Fact("found")

    @action(value=0.5)
    async def ask(self, fact: Fact) -> Confirmation:
        return wait_for.confirm(fact, "Right?")

    @action(value=0.1)
    async def finish(self, confirmation: Confirmation) -> Done:
        return Done()


class Heard(list[ProcessEvent]):
    """A listener that remembers."""

    def __call__(self, event: ProcessEvent, /) -> None:
        self.append(event)

    @property
    def names(self) -> list[str]:
        return [type(event).__name__ for event in self]


TICK = ["ReadyToPlan", "PlanFormulated", "ActionStarted", "ActionFinished"]


async def test_a_process_tells_all_of_its_steps(platform_of: PlatformOf) -> None:
    heard = Heard()
    platform = platform_of(Team, goals=(Goal(name="done", inputs=(Done,)),))
    invocation = (
        UtilityInvocation.on(platform)
        .with_planner("hybrid")
        .with_process_options(ProcessOptions(listeners=(heard,)))
    )

    process = await invocation.run_async()
    process.answer(Answer(id="a", form_id=process.head.forms[0].id, approved=True))
    await process.run()

    assert heard.names == [
        "ProcessCreated",
        *TICK,
        *TICK,
        "Waiting",
        "Answered",
        "Resumed",
        *TICK,
        "ReadyToPlan",
        "PlanFormulated",
        "GoalAchieved",
        "Completed",
    ]
    started = [event.action for event in heard if isinstance(event, ActionStarted)]
    assert started == ["team.find", "team.ask", "team.finish"]
    plans = [event.decision.chosen for event in heard if isinstance(event, PlanFormulated)]
    assert plans == [*started, None]
    outputs = [
        [entry.value for entry in event.outputs]
        for event in heard
        if isinstance(event, ActionFinished)
    ]
    assert outputs == [[Fact("found")], [], [Done()]]
    assert heard[-1].head == process.head


async def test_wishes_and_ends_are_told(platform_of: PlatformOf) -> None:
    heard = Heard()
    options = ProcessOptions(listeners=(heard,))
    invocation = UtilityInvocation.on(platform_of(Team)).with_process_options(options)
    process = await invocation.run_async()
    heard.clear()

    process.pause()
    process.resume()
    process.kill()

    assert heard.names == ["Paused", "Resumed", "Killed"]


@pytest.mark.parametrize("error", [ValueError, SystemExit, StopAsyncIteration])
async def test_a_listener_that_raises_harms_nobody(
    platform_of: PlatformOf, error: type[BaseException]
) -> None:
    def harmful(event: ProcessEvent) -> None:
        event.head.usage["tokens"] = 1_000_000.0
        raise error

    heard = Heard()
    quiet = await UtilityInvocation.on(platform_of(Team)).run_async()

    options = ProcessOptions(listeners=(harmful, heard))
    process = (
        await UtilityInvocation.on(platform_of(Team)).with_process_options(options).run_async()
    )

    assert process.head == quiet.head
    assert process.board.visible == quiet.board.visible
    assert heard.names[-1] == "Waiting"


async def test_a_runner_tells_of_all_its_processes(
    platform_of: PlatformOf, clock: ManualClock
) -> None:
    heard = Heard()
    platform = platform_of(Team)
    runner = Runner(
        platform=platform,
        boards=MemoryBoards(Codec(platform.catalog), clock),
        clock=clock,
        owner="w",
        listeners=(heard,),
    )

    for name in ("p-1", "p-2"):
        ran = await runner.run(
            Start(process_id=name, delivery="d", reaction="r", subject="s", facts=())
        )
        assert ran.head.status is Status.WAITING

    waiting = [event.head.id for event in heard if type(event).__name__ == "Waiting"]
    assert waiting == ["p-1", "p-2"]
