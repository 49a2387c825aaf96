"""A process that is stuck on an error that can pass is woken later, a bounded number of times."""

import threading
from collections.abc import Callable
from dataclasses import dataclass, replace

import pytest

from reactor import (
    PassingError,
    Platform,
    ProcessOptions,
    RetryPolicy,
    Runner,
    Start,
    Status,
    action,
    component,
)
from reactor.adapters.clock import ManualClock
from reactor.adapters.memory import MemoryBoards
from reactor.codec import Codec
from reactor.status import ProcessHead

PlatformOf = Callable[..., Platform]
ONCE = RetryPolicy(attempts=1)


@dataclass(frozen=True)
class Issue:
    title: str


@dataclass(frozen=True)
class Answer:
    text: str


class Away(Exception):
    """An error of which nobody knows whether it can pass."""


@component
class Model:
    """Answers when it is up."""

    def __init__(self) -> None:
        self.error: Exception | None = PassingError("down")
        self.calls = 0

    @action(retry=ONCE)
    async def answer(self, issue: Issue) -> Answer:
        self.calls += 1
        if self.error:
            raise self.error
        return Answer(issue.title)


START = Start(
    process_id="p-1",
    delivery="github.com/d-1",
    reaction="triage",
    subject="github.com/1#7",
    facts=[("event", Issue("why"))],
    options=ProcessOptions(max_wakes=2, terminate_when_stuck=True),
)
WAKE = replace(START, wake=True)


@pytest.fixture
def model() -> Model:
    return Model()


@pytest.fixture
def runner(platform_of: PlatformOf, clock: ManualClock, model: Model) -> Runner:
    platform = platform_of(model)
    return Runner(
        platform=platform,
        boards=MemoryBoards(Codec(platform.catalog), clock),
        clock=clock,
        owner="worker-1",
    )


async def head_after(runner: Runner, start: Start) -> ProcessHead:
    return (await runner.run(start)).head


async def test_a_failure_that_can_pass_leaves_the_process_stuck_and_says_why(
    runner: Runner,
) -> None:
    head = await head_after(runner, START)

    assert head.status is Status.STUCK
    assert head.failure == "model.answer: PassingError: down"


async def test_it_goes_on_where_it_stopped_when_it_is_woken(runner: Runner, model: Model) -> None:
    await head_after(runner, START)
    tried = model.calls

    model.error = None
    head = await head_after(runner, WAKE)

    assert head.status is Status.TERMINATED
    assert (head.failure, head.wakes) == ("", 1)
    assert model.calls == tried + 1


async def test_after_the_last_wake_it_has_failed(runner: Runner) -> None:
    heads = [await head_after(runner, start) for start in (START, WAKE, WAKE)]

    assert [head.status for head in heads] == [Status.STUCK, Status.STUCK, Status.FAILED]
    assert heads[-1].failure == "model.answer: PassingError: down"


async def test_each_wake_gives_the_action_as_many_tries_as_the_first_time(
    runner: Runner, model: Model
) -> None:
    await head_after(runner, START)
    at_first = model.calls

    await head_after(runner, WAKE)

    assert model.calls == 2 * at_first


async def test_reading_the_delivery_again_wakes_nobody(runner: Runner, model: Model) -> None:
    first = await head_after(runner, START)
    tried = model.calls

    assert await head_after(runner, START) == first
    assert model.calls == tried


@pytest.mark.parametrize("error", [Away("who knows"), ValueError("never")])
async def test_what_may_not_pass_is_a_failure_at_once(
    runner: Runner, model: Model, error: Exception
) -> None:
    model.error = error

    head = await head_after(runner, START)

    assert head.status is Status.FAILED


async def test_an_error_that_turns_out_to_be_permanent_ends_it(
    runner: Runner, model: Model
) -> None:
    await head_after(runner, START)

    model.error = ValueError("never")
    head = await head_after(runner, WAKE)

    assert head.status is Status.FAILED
    assert head.failure == "model.answer: ValueError: never"


async def test_without_wakes_it_fails_as_ever(runner: Runner) -> None:
    head = await head_after(runner, replace(START, options=ProcessOptions()))

    assert head.status is Status.FAILED


@component
class Hanging:
    """A sync action whose thread nobody can stop."""

    def __init__(self) -> None:
        self.calls = 0
        self.can_end = threading.Event()

    @action(retry=ONCE, timeout_s=0.01)
    def answer(self, issue: Issue) -> Answer:
        self.calls += 1
        assert self.can_end.wait(timeout=30)
        return Answer(issue.title)


async def test_an_action_whose_thread_hangs_is_called_once_each_time_it_is_woken(
    platform_of: PlatformOf, clock: ManualClock
) -> None:
    hanging = Hanging()
    platform = platform_of(hanging)
    boards = MemoryBoards(Codec(platform.catalog), clock)
    with Runner(platform=platform, boards=boards, clock=clock, owner="w") as runner:
        first = (await runner.run(START)).head
        calls = hanging.calls
        second = (await runner.run(replace(START, wake=True))).head
        hanging.can_end.set()

    assert (first.status, second.status) == (Status.STUCK, Status.STUCK)
    assert (calls, hanging.calls) == (1, 2)
    stored = await boards.read("p-1")
    assert stored is not None
    assert [run.hangs for run in stored.history] == [True, True]
