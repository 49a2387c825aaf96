"""Running one action: threads, time-outs, retries, and actions that try to end more than that."""

import asyncio
import contextvars
import sys
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import pytest

from reactor import Platform, RetryPolicy, action, component
from reactor.execution import Execution, Executor
from reactor.failure import ActionCrash, ActionTimeout
from reactor.installed import Action

PlatformOf = Callable[..., Platform]


@dataclass(frozen=True)
class Answer:
    text: str


@pytest.fixture
def executor() -> Iterator[Executor]:
    with Executor(threads=2) as made:
        yield made


def action_of(platform: Platform) -> Action:
    (only,) = platform.actions.values()
    return only


async def test_a_sync_action_runs_beside_the_event_loop_with_its_context(
    platform_of: PlatformOf, executor: Executor
) -> None:
    delivery = contextvars.ContextVar[str]("delivery")

    @component
    class Team:
        @action
        def act(self) -> Answer:
            return Answer(f"{delivery.get()} {threading.current_thread() is main}")

    main = threading.current_thread()
    delivery.set("d-1")

    execution = await executor.run(action_of(platform_of(Team)), dict)

    assert execution.value == Answer("d-1 False")


async def test_sync_actions_run_in_a_bounded_number_of_threads(
    platform_of: PlatformOf, executor: Executor
) -> None:
    both_run, names = threading.Barrier(2), set[str]()

    @component
    class Team:
        @action
        def act(self) -> None:
            both_run.wait(timeout=10)  # the four of them get through two by two
            names.add(threading.current_thread().name)

    one = action_of(platform_of(Team))

    async with asyncio.TaskGroup() as group:
        runs = [group.create_task(executor.run(one, dict)) for _ in range(4)]

    assert [run.result().outcome for run in runs] == ["done"] * 4
    assert len(names) <= 2


async def test_an_async_action_that_takes_too_long_is_given_up_and_tried_again(
    platform_of: PlatformOf, executor: Executor
) -> None:
    @component
    class Team:
        @action(timeout_s=0.01, retry=RetryPolicy(attempts=2, first_delay_s=0.0))
        async def act(self) -> Answer:
            await asyncio.Event().wait()
            return Answer("never")

    execution = await executor.run(action_of(platform_of(Team)), dict)

    assert (execution.outcome, execution.attempts) == ("timeout", 2)
    assert isinstance(execution.error, ActionTimeout)
    assert str(execution.error).endswith(".act was given up after 0.01 s (its timeout_s)")


async def test_an_actions_own_timeout_is_a_failure_like_any_other(
    platform_of: PlatformOf, executor: Executor
) -> None:
    @component
    class Team:
        @action(retry=RetryPolicy(attempts=1))
        async def act(self) -> None:
            raise TimeoutError("of a client")

    execution = await executor.run(action_of(platform_of(Team)), dict)

    assert (execution.outcome, execution.kind) == ("failed", "passing")


async def test_arguments_are_made_for_each_try(platform_of: PlatformOf, executor: Executor) -> None:
    made: list[int] = []

    def arguments() -> dict[str, object]:
        made.append(len(made) + 1)
        return {"number": len(made)}

    @component
    class Team:
        @action(retry=RetryPolicy(attempts=3, first_delay_s=0.0, on=(LookupError,)))
        async def act(self, number: int) -> int:
            if number < 3:
                raise LookupError
            return number

    execution = await executor.run(action_of(platform_of(Team)), arguments)

    assert execution == Execution(outcome="done", attempts=3, value=3)
    assert made == [1, 2, 3]


@pytest.mark.parametrize("is_async", [True, False])
async def test_an_action_can_not_end_the_worker(
    platform_of: PlatformOf, executor: Executor, *, is_async: bool
) -> None:
    @component
    class Exits:
        @action
        def act(self) -> None:
            sys.exit(3)

    @component
    class ExitsLater:
        @action
        async def act(self) -> None:
            sys.exit(3)

    execution = await executor.run(action_of(platform_of(ExitsLater if is_async else Exits)), dict)

    assert (execution.outcome, execution.kind) == ("failed", "permanent")
    assert isinstance(execution.error, ActionCrash)
    assert "raised SystemExit; an action may only return or raise an error" in str(execution.error)


async def test_an_action_that_cancels_itself_has_failed(
    platform_of: PlatformOf, executor: Executor
) -> None:
    @component
    class Team:
        @action
        async def act(self) -> None:
            raise asyncio.CancelledError

    execution = await executor.run(action_of(platform_of(Team)), dict)

    assert isinstance(execution.error, ActionCrash)


async def test_cancellation_from_outside_goes_through(
    platform_of: PlatformOf, executor: Executor
) -> None:
    begun = asyncio.Event()

    @component
    class Team:
        @action
        async def act(self) -> None:
            begun.set()
            await asyncio.Event().wait()

    task = asyncio.ensure_future(executor.run(action_of(platform_of(Team)), dict))
    await begun.wait()
    task.cancel()

    with pytest.raises(asyncio.CancelledError):
        await task


async def test_a_closed_executor_starts_anew_when_it_is_needed_again(
    platform_of: PlatformOf,
) -> None:
    @component
    class Team:
        @action
        def act(self) -> int:
            return 1

    executor = Executor()
    executor.close()

    execution = await executor.run(action_of(platform_of(Team)), dict)
    executor.close()

    assert execution.value == 1
