"""Running one action: sync methods in a bounded number of threads, time-outs, and retries.

Whatever an action raises becomes an `Execution`; only trouble with a server (which is waited out
by the caller, and is nobody's failure) and cancellation go through.
"""

import asyncio
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextvars import copy_context
from dataclasses import dataclass
from functools import partial
from types import TracebackType
from typing import Self

from tenacity import AsyncRetrying, retry_if_exception, stop_after_attempt, wait_exponential

from reactor.errors import InfrastructureError
from reactor.failure import (
    ActionTimeout,
    Kind,
    ReplanRequested,
    TerminateAction,
    TerminateProcess,
    kind_of,
)
from reactor.installed import Action
from reactor.status import RunOutcome

MAX_THREADS = 16  # sync actions that run at once; beyond that they wait for their turn

_REQUESTS = (ReplanRequested, TerminateAction, TerminateProcess)


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

    def __init__(self, *, threads: int = MAX_THREADS) -> None:
        self._limit = threads
        self._threads: ThreadPoolExecutor | None = None  # made for the first sync action

    async def run(self, action: Action, arguments: Callable[[], Mapping[str, object]]) -> Execution:
        """Run the action, trying again as its policy says.

        `arguments` is called before each try.  Raises `InfrastructureError`.
        """
        policy = action.retry
        attempts = 0

        async def one_try() -> object:
            nonlocal attempts
            attempts += 1
            return await self._try(action, arguments())

        def may_pass(error: BaseException) -> bool:
            if isinstance(error, InfrastructureError) or not isinstance(error, Exception):
                return False
            return kind_of(error, passing=policy.on) == "passing"

        tries = AsyncRetrying(
            stop=stop_after_attempt(policy.attempts),
            wait=wait_exponential(policy.first_delay_s, max=policy.max_delay_s),
            retry=retry_if_exception(may_pass),
            reraise=True,
        )
        try:
            value: object = await tries(one_try)
        except InfrastructureError:
            raise
        except Exception as error:  # noqa: BLE001 - a component may raise anything
            kind = kind_of(error, passing=policy.on)
            return Execution(outcome=_outcome_of(error), attempts=attempts, error=error, kind=kind)
        return Execution(outcome="done", attempts=attempts, value=value)

    async def _try(self, action: Action, arguments: Mapping[str, object]) -> object:
        call = partial(action.call, **arguments)
        try:
            async with asyncio.timeout(action.mark.timeout_s) as limit:
                if action.signature.is_async:
                    return await call()  # type: ignore[misc]  # a coroutine, as it is async
                context = copy_context()
                loop = asyncio.get_running_loop()
                return await loop.run_in_executor(self._pool(), context.run, call)
        except TimeoutError:
            if limit.expired():  # not one of the action's own
                raise ActionTimeout(action.name, action.mark.timeout_s) from None
            raise

    def _pool(self) -> ThreadPoolExecutor:
        if self._threads is None:
            self._threads = ThreadPoolExecutor(self._limit, thread_name_prefix="action")
        return self._threads

    def close(self) -> None:
        """Start nothing more; a sync action that is still running can't be stopped."""
        if self._threads is not None:
            self._threads.shutdown(wait=False, cancel_futures=True)
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


def _outcome_of(error: Exception) -> RunOutcome:
    match error:
        case ReplanRequested():
            return "replan"
        case TerminateAction() | TerminateProcess():
            return "terminated"
        case ActionTimeout():
            return "timeout"
        case _:
            return "failed"
