"""Running one action: sync methods in threads, time-outs, and retries.

Whatever an action raises becomes an `Execution`; only trouble with a server (which is waited out
by the caller, and is nobody's failure) and cancellation go through.
"""

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from contextvars import copy_context
from dataclasses import dataclass
from functools import partial
from types import TracebackType
from typing import Self

from tenacity import AsyncRetrying, retry_if_exception, stop_after_attempt, wait_exponential

from reactor.errors import InfrastructureError
from reactor.failure import (
    ActionCrash,
    ActionTimeout,
    Kind,
    PassingLater,
    ReplanRequested,
    TerminateAction,
    TerminateProcess,
    kind_of,
)
from reactor.installed import Action
from reactor.log_context import bound
from reactor.marks import RetryPolicy
from reactor.status import RunOutcome
from reactor.threads import MAX_THREADS, MAX_WAIT_S, ActionHangs, ComponentHangs, Threads
from reactor.tracing import span
from reactor.wait_for import WaitRequested

_REQUESTS = (ReplanRequested, TerminateAction, TerminateProcess, WaitRequested)
"""No failures, whatever a policy says: never tried again."""

_NOT_SOON = (ActionHangs, ComponentHangs, PassingLater)
"""They can pass, but not soon: another try would cost one more thread, or was made already."""

Pause = Callable[[float], Awaitable[None]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Execution:
    """What came of one run of an action, before its result is looked at."""

    outcome: RunOutcome
    attempts: int
    value: object = None  # with "done"
    error: Exception | None = None  # with everything else
    kind: Kind = "unclear"  # of the error


class Executor:
    """Runs actions.  Use it as a context manager, or call `close`."""

    def __init__(
        self,
        *,
        threads: int = MAX_THREADS,
        wait_s: float = MAX_WAIT_S,
        pause: Pause = asyncio.sleep,
    ) -> None:
        """`pause`: waits so many seconds before another try."""
        self._limit, self._wait_s, self._pause = threads, wait_s, pause
        self._threads: Threads | None = None  # made for the first sync action

    async def run(self, action: Action, arguments: Callable[[], Mapping[str, object]]) -> Execution:
        """Run the action, trying again as its policy says.

        `arguments` is called before each try.  Raises `InfrastructureError`.
        """
        names = {"component": action.component.name, "action": action.name}
        with bound(**names), span("action", **names) as step:
            execution = await self._run(action, arguments)
            step.note(outcome=execution.outcome, attempts=execution.attempts)
        return execution

    async def _run(
        self, action: Action, arguments: Callable[[], Mapping[str, object]]
    ) -> Execution:
        tries = _Tries(action.retry, lambda: self._try(action, arguments()), self._pause)
        try:
            value = await tries.run()
        except InfrastructureError:
            raise
        except Exception as error:  # noqa: BLE001 - a component may raise anything
            return Execution(
                outcome=_outcome_of(error),
                attempts=tries.made,
                error=error,
                kind=kind_of(error, passing=action.retry.on),
            )
        return Execution(outcome="done", attempts=tries.made, value=value)

    async def _try(self, action: Action, arguments: Mapping[str, object]) -> object:
        call = partial(action.call, **arguments)
        try:
            if action.signature.is_async:
                return await _in_time(action, call)
            return await self._pool().call(action, partial(copy_context().run, call))
        except (Exception, KeyboardInterrupt):
            raise
        except BaseException as error:
            if isinstance(error, asyncio.CancelledError) and _is_being_cancelled():
                raise
            raise ActionCrash(action.name, type(error).__name__) from error

    def _pool(self) -> Threads:
        if self._threads is None:
            self._threads = Threads(limit=self._limit, wait_s=self._wait_s)
        return self._threads

    def close(self) -> None:
        """Let the threads end; a sync action that is still running can't be stopped."""
        if self._threads is not None:
            self._threads.close()
            self._threads = None

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()


async def _in_time(action: Action, call: Callable[[], object]) -> object:
    try:
        async with asyncio.timeout(action.mark.timeout_s) as limit:
            return await call()  # type: ignore[misc]  # a coroutine, as it is async
    except TimeoutError:
        if limit.expired():  # not one of the action's own
            raise ActionTimeout(action.name, action.mark.timeout_s) from None
        raise


def _is_being_cancelled() -> bool:
    """Whether somebody outside wants this task to end."""
    task = asyncio.current_task()
    return task is not None and task.cancelling() > 0


class _Tries:
    """One call, tried again while its errors can pass."""

    def __init__(
        self, policy: RetryPolicy, call: Callable[[], Awaitable[object]], pause: Pause
    ) -> None:
        self.made = 0
        self._policy, self._call, self._pause = policy, call, pause
        self._first_error: Exception | None = None

    async def run(self) -> object:
        """What the call gives, or its last error."""
        try:
            return await self._once()
        except Exception as error:
            if self._policy.attempts == 1 or not self._can_pass(error):
                raise
            self._first_error = error
        return await self._again()

    async def _again(self) -> object:
        """Only now, as it costs more than most actions do."""
        retrying = AsyncRetrying(
            stop=stop_after_attempt(self._policy.attempts),
            wait=wait_exponential(self._policy.first_delay_s, max=self._policy.max_delay_s),
            retry=retry_if_exception(self._can_pass),
            sleep=self._pause,
            reraise=True,
        )
        return await retrying(self._once)

    async def _once(self) -> object:
        if self._first_error is not None:  # it has happened already: now its delay is due
            error, self._first_error = self._first_error, None
            raise error
        self.made += 1
        return await self._call()

    def _can_pass(self, error: BaseException) -> bool:
        if not isinstance(error, Exception):
            return False
        if isinstance(error, (InfrastructureError, *_REQUESTS, *_NOT_SOON)):
            return False
        return kind_of(error, passing=self._policy.on) == "passing"


def _outcome_of(error: Exception) -> RunOutcome:
    match error:
        case ReplanRequested():
            return "replan"
        case TerminateAction() | TerminateProcess():
            return "terminated"
        case WaitRequested():
            return "waiting"
        case ActionTimeout():
            return "timeout"
        case _:
            return "failed"
