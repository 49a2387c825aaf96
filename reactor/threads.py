"""Threads for sync actions: a bounded number of calls at once, and none lost to one that hangs.

Python can't stop a thread.  One whose call is given up is left behind: others get its place, and
it ends with its call.  A component may leave a few behind, then its sync actions are refused.
The threads are daemons, so that a call that never returns doesn't keep the worker from ending.
"""

import asyncio
from collections import defaultdict
from collections.abc import Callable
from concurrent.futures import Future
from functools import partial
from itertools import count
from queue import SimpleQueue
from threading import Thread

from reactor.failure import ActionTimeout, PassingError
from reactor.installed import Action

MAX_THREADS = 16  # sync actions that run at once; beyond that they wait for their turn
MAX_WAIT_S = 120.0  # for their turn; twice the usual time-out, in case the others hang
MAX_HANGING = 4  # calls of one component that were given up and still run


class ActionHangs(ActionTimeout):
    """A sync action was given up, but still runs: another try now would run beside it."""

    def __str__(self) -> str:
        return f"{super().__str__()}, but its thread still runs: it is not tried again at once"


class ComponentHangs(PassingError):
    """A sync action was refused, as too many calls of its component hang."""

    def __init__(self, action: str, component: str, hanging: int) -> None:
        super().__init__(action, component, hanging)
        self.action, self.component, self.hanging = action, component, hanging

    def __str__(self) -> str:
        return (
            f"{self.action} was not run: {self.hanging} calls of component {self.component} were "
            "given up and still run, so its sync actions are refused until some of them end; give "
            "what they wait for a time-out of its own, then restart the worker"
        )


class NoFreeThread(PassingError):
    """A sync action did not get its turn: all threads were busy."""

    def __init__(self, action: str, wait_s: float) -> None:
        super().__init__(action, wait_s)
        self.action, self.wait_s = action, wait_s

    def __str__(self) -> str:
        return (
            f"{self.action} was not run: no thread was free for {self.wait_s:g} s; give slow sync "
            "actions a shorter timeout_s, make them async, or run more workers"
        )


class Threads:
    """The threads of one event loop; they start when they are first needed."""

    def __init__(self, *, limit: int = MAX_THREADS, wait_s: float = MAX_WAIT_S) -> None:
        self._wait_s = wait_s
        self._turns = asyncio.Semaphore(limit)
        self._idle: list[_Thread] = []
        self._given_up: defaultdict[str, list[Future[object]]] = defaultdict(list)
        self._numbers, self._is_closed = count(), False

    async def call(self, action: Action, function: Callable[[], object]) -> object:
        """What the function gives or raises; its time is counted from where it has a thread.

        Raises `ActionTimeout`, `ActionHangs`, `ComponentHangs`, `NoFreeThread`.
        """
        self._refuse_if_hanging(action)
        try:
            async with asyncio.timeout(self._wait_s):
                await self._turns.acquire()
        except TimeoutError:
            raise NoFreeThread(action.name, self._wait_s) from None
        try:
            self._refuse_if_hanging(action)  # the turn may have come from one that was given up
            return await self._call(action, function)
        finally:
            self._turns.release()

    async def _call(self, action: Action, function: Callable[[], object]) -> object:
        thread = self._idle.pop() if self._idle else _Thread(f"action_{next(self._numbers)}")
        answer = thread.call(function)
        try:
            async with asyncio.timeout(action.mark.timeout_s) as limit:
                return await asyncio.wrap_future(answer)
        except TimeoutError:
            if not limit.expired():  # one of the action's own
                raise
            error = ActionTimeout if answer.done() else ActionHangs
            raise error(action.name, action.mark.timeout_s) from None
        finally:  # also where the caller was cancelled
            if answer.done() and not self._is_closed:
                self._idle.append(thread)
            else:
                thread.end()
                self._given_up[action.component.name].append(answer)

    def _refuse_if_hanging(self, action: Action) -> None:
        component = action.component.name
        hanging = [answer for answer in self._given_up.pop(component, ()) if not answer.done()]
        if not hanging:
            return
        self._given_up[component] = hanging
        if len(hanging) >= MAX_HANGING:
            raise ComponentHangs(action.name, component, len(hanging))

    def close(self) -> None:
        """End the threads, each after the call that it is at."""
        self._is_closed = True
        while self._idle:
            self._idle.pop().end()


class _Thread:
    """One thread that makes one call after the other."""

    def __init__(self, name: str) -> None:
        self._calls: SimpleQueue[Callable[[], None] | None] = SimpleQueue()
        Thread(target=self._work, name=name, daemon=True).start()

    def call(self, function: Callable[[], object]) -> Future[object]:
        """The answer to come.  It can't be cancelled: it is done when the function has ended."""
        answer = Future[object]()
        answer.set_running_or_notify_cancel()
        self._calls.put(partial(_make, function, answer))
        return answer

    def end(self) -> None:
        self._calls.put(None)

    def _work(self) -> None:
        for make in iter(self._calls.get, None):
            make()
            del make  # an idle thread must not keep a board alive


def _make(function: Callable[[], object], answer: Future[object]) -> None:
    try:
        value = function()
    except StopIteration as error:  # no future can hold it; coroutines turn it into this as well
        wrong = RuntimeError("the action raised StopIteration")
        wrong.__cause__ = error
        answer.set_exception(wrong)
    except BaseException as error:  # noqa: BLE001 - a component may raise anything
        answer.set_exception(error)
    else:
        answer.set_result(value)
