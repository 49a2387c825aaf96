"""Sync actions that hang: what they cost themselves, their component, and everybody else."""

import asyncio
import pickle
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator

import pytest

from reactor import Platform, RetryPolicy, action, component
from reactor.execution import Executor
from reactor.failure import ActionTimeout
from reactor.threads import MAX_HANGING, ActionHangs, ComponentHangs, NoFreeThread

PlatformOf = Callable[..., Platform]

TWICE = RetryPolicy(attempts=2, first_delay_s=0.0)
SOON = 0.01  # seconds; for actions that hang until the test lets them go


class Gate:
    """Holds sync actions until it is opened, and knows how many came."""

    def __init__(self) -> None:
        self._came, self._open = threading.Semaphore(0), threading.Event()

    def hold(self) -> None:
        self._came.release()
        assert self._open.wait(timeout=30)

    async def until(self, calls: int) -> None:
        """Until so many more calls have come."""
        for _ in range(calls):
            assert await asyncio.to_thread(self._came.acquire, timeout=10)

    def nobody_else_came(self) -> bool:
        return not self._came.acquire(blocking=False)

    def open(self) -> None:
        self._open.set()


@pytest.fixture
def gate() -> Iterator[Gate]:
    made = Gate()
    yield made
    made.open()


@pytest.fixture
def platform(platform_of: PlatformOf, gate: Gate) -> Platform:
    @component
    class Hung:
        @action(timeout_s=SOON, retry=TWICE)
        def act(self) -> None:
            gate.hold()

        @action(retry=TWICE)
        def reply(self) -> int:
            return 1

        @action(retry=TWICE)
        async def wait(self) -> int:
            return 2

        @action(timeout_s=SOON, retry=RetryPolicy(attempts=1))
        async def wait_in_vain(self) -> None:
            await asyncio.Event().wait()

    @component
    class Slow:
        @action
        def act(self) -> None:
            gate.hold()

    @component
    class Well:
        @action(retry=TWICE)
        def act(self) -> str:
            return threading.current_thread().name

    return platform_of(Hung, Slow, Well)


async def test_a_hung_thread_is_replaced(platform: Platform) -> None:
    with Executor(threads=1) as executor:
        await executor.run(platform.actions["hung.act"], dict)

        execution = await executor.run(platform.actions["well.act"], dict)

    assert execution.outcome == "done"


async def test_an_action_that_hangs_is_not_tried_again_at_once(
    platform: Platform, gate: Gate
) -> None:
    with Executor() as executor:
        execution = await executor.run(platform.actions["hung.act"], dict)
        await gate.until(1)

    assert (execution.outcome, execution.kind) == ("timeout", "passing")
    assert execution.attempts == 1
    assert gate.nobody_else_came()
    assert str(execution.error) == (
        "hung.act was given up after 0.01 s (its timeout_s), "
        "but its thread still runs: it is not tried again at once"
    )


async def test_waiting_for_a_thread_is_no_part_of_an_actions_time(
    platform: Platform, gate: Gate
) -> None:
    with Executor(threads=1) as executor:
        busy = asyncio.ensure_future(executor.run(platform.actions["slow.act"], dict))
        await gate.until(1)
        waiting = asyncio.ensure_future(executor.run(platform.actions["hung.act"], dict))
        later = asyncio.ensure_future(executor.run(platform.actions["hung.wait_in_vain"], dict))
        assert (await later).outcome == "timeout"  # with the same time-out

        busy.cancel()
        await gate.until(1)  # it was not given up while it waited
        execution = await waiting

    assert isinstance(execution.error, ActionHangs)
    assert execution.attempts == 1


async def test_the_wait_for_a_thread_is_bounded(platform: Platform, gate: Gate) -> None:
    with Executor(threads=1, wait_s=SOON) as executor:
        async with asyncio.TaskGroup() as group:
            group.create_task(executor.run(platform.actions["slow.act"], dict))
            await gate.until(1)
            execution = await executor.run(platform.actions["well.act"], dict)
            gate.open()

    assert (execution.outcome, execution.kind) == ("failed", "passing")
    assert execution.attempts == 2
    assert isinstance(execution.error, NoFreeThread)
    assert str(execution.error).startswith("well.act was not run: no thread was free for 0.01 s; ")


async def test_a_component_that_hangs_too_often_is_refused_and_nobody_else(
    platform: Platform, gate: Gate
) -> None:
    with Executor(threads=1) as executor:
        for _ in range(MAX_HANGING):
            await executor.run(platform.actions["hung.act"], dict)
        await gate.until(MAX_HANGING)

        refused = await executor.run(platform.actions["hung.reply"], dict)
        its_async = await executor.run(platform.actions["hung.wait"], dict)
        other = await executor.run(platform.actions["well.act"], dict)

    assert (refused.outcome, refused.kind, refused.attempts) == ("failed", "passing", 1)
    assert isinstance(refused.error, ComponentHangs)
    assert "hung.reply was not run: 4 calls of component hung were given up" in str(refused.error)
    assert (its_async.value, other.outcome) == (2, "done")
    assert gate.nobody_else_came()


async def test_calls_that_waited_for_their_turn_are_refused_as_well(
    platform: Platform, gate: Gate
) -> None:
    with Executor(threads=1) as executor:
        async with asyncio.TaskGroup() as group:
            act = platform.actions["hung.act"]
            runs = [group.create_task(executor.run(act, dict)) for _ in range(MAX_HANGING + 3)]
        await gate.until(MAX_HANGING)

    assert [run.result().outcome for run in runs] == ["timeout"] * MAX_HANGING + ["failed"] * 3
    assert gate.nobody_else_came()


async def test_a_component_may_go_on_once_its_calls_have_ended(
    platform: Platform, gate: Gate
) -> None:
    before = set(threading.enumerate())
    with Executor() as executor:
        for _ in range(MAX_HANGING):
            await executor.run(platform.actions["hung.act"], dict)
        left_behind = set(threading.enumerate()) - before
        gate.open()
        for thread in left_behind:
            await asyncio.to_thread(thread.join, 10)

        execution = await executor.run(platform.actions["hung.reply"], dict)

    assert len(left_behind) == MAX_HANGING
    assert execution.value == 1


async def test_a_call_whose_process_was_ended_gives_its_place_to_others(
    platform: Platform, gate: Gate
) -> None:
    with Executor(threads=1) as executor:
        run = asyncio.ensure_future(executor.run(platform.actions["slow.act"], dict))
        await gate.until(1)
        run.cancel()
        await asyncio.wait([run])

        execution = await executor.run(platform.actions["well.act"], dict)

    assert run.cancelled()
    assert execution.outcome == "done"


async def test_threads_are_used_again_and_end_with_the_executor(platform: Platform) -> None:
    before = set(threading.enumerate())
    with Executor() as executor:
        names = [(await executor.run(platform.actions["well.act"], dict)).value for _ in range(3)]
        (thread,) = set(threading.enumerate()) - before
    await asyncio.to_thread(thread.join, 10)

    assert names == ["action_0"] * 3
    assert not thread.is_alive()


async def test_an_iteration_that_ends_in_an_action_is_an_error_and_no_hang(
    platform_of: PlatformOf,
) -> None:
    @component
    class Team:
        @action
        def act(self) -> int:
            return next(iter(list[int]()))

    with Executor() as executor:
        execution = await executor.run(platform_of(Team).actions["team.act"], dict)

    assert execution.outcome == "failed"
    assert str(execution.error) == "the action raised StopIteration"


def test_a_call_that_never_returns_does_not_keep_python_from_ending() -> None:
    program = """
import asyncio, threading
from reactor import Package, Platform, action, component
from reactor.execution import Executor

@component
class Hung:
    @action(timeout_s=0.01)
    def act(self) -> None:
        threading.Event().wait()

platform = Platform(packages=[Package(name="team", components=[Hung])])
with Executor() as executor:
    print(asyncio.run(executor.run(platform.actions["hung.act"], dict)).outcome)
"""

    ended = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, timeout=60, check=False
    )

    assert (ended.returncode, ended.stdout, ended.stderr) == (0, "timeout\n", "")


@pytest.mark.parametrize(
    "error",
    [
        ActionTimeout("a.act", 1.0),
        ActionHangs("a.act", 1.0),
        ComponentHangs("a.act", "a", 4),
        NoFreeThread("a.act", 1.0),
    ],
)
def test_the_errors_of_threads_survive_pickling(error: Exception) -> None:
    copy = pickle.loads(pickle.dumps(error))

    assert (type(copy), str(copy)) == (type(error), str(error))
