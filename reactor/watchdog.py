"""Watching an event loop from a thread: who holds it up, and letting go of what never would.

A worker is one event loop.  An `async` action that blocks (it sleeps, or asks a server, without
awaiting) holds up all others with it.  A loop that did not come round for `blocked_s` is reported
with the line that it is at; where that is code of a component for `cut_off_s`, `LoopBlocked` is
raised in it, so that the action fails and the rest goes on.

What does not let itself be interrupted (a native library) is beyond this: `streams.serve` ends the
process then, and `reactor.crashes` sees that this does not go on for ever.
"""

import asyncio
import linecache
import signal
import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from types import FrameType, TracebackType
from typing import Self

import structlog

from reactor.failure import LoopBlocked

_RUNNING = frozenset({"reactor.execution", "reactor.asking"})
"""The modules that call components, and make an answer of whatever those raise."""

_OURS = frozenset({"reactor", "streams", "asyncio", "tenacity"})
"""What else those modules call."""

_SIGNAL = signal.SIGURG  # does nothing where nobody has asked for it
_MOST_LINES = 20  # of a stack that are told, the innermost ones


@dataclass(frozen=True, slots=True, kw_only=True)
class Bounds:
    """How long a loop may be held up, in seconds."""

    blocked_s: float = 1.0  # then it is reported
    cut_off_s: float = 10.0  # then it is raised in the component that does it, again and again
    look_every_s: float = 0.25


@dataclass(frozen=True, slots=True)
class Place:
    """Where a loop is held up."""

    where: str  # "module:line in function"
    is_component: bool  # code that an action or a condition has run


class LoopWatchdog:
    """Watches the running loop from `__enter__` to `__exit__`; its thread is a daemon.

    Can raise only in the main thread, as Python runs handlers of signals nowhere else.
    """

    def __init__(self, bounds: Bounds | None = None, *, tell: "Tell | None" = None) -> None:
        """`tell` is called in the watching thread; without it, a line is logged."""
        self._bounds, self._tell = bounds or Bounds(), tell or log_blocked
        self._beats = 0
        self._cut_off_at: int | None = None  # the beat in which the component is to be stopped
        self._ending = threading.Event()

    def __enter__(self) -> Self:
        self._loop, self._watched = asyncio.get_running_loop(), threading.get_ident()
        self._can_raise = threading.current_thread() is threading.main_thread()
        if self._can_raise:
            self._before = signal.signal(_SIGNAL, self._raise_in_component)
        self._beat()
        self._thread = threading.Thread(target=self._watch, name="watchdog", daemon=True)
        self._thread.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._ending.set()
        self._thread.join()
        self._next_beat.cancel()
        if self._can_raise:
            signal.signal(_SIGNAL, self._before)

    def _beat(self) -> None:
        self._beats += 1
        self._next_beat = self._loop.call_later(self._bounds.look_every_s, self._beat)

    def _watch(self) -> None:
        # Its own looks are counted, not the time: a process that was stopped as a whole stands
        # still here as well, and nothing in it is to blame.
        bounds, beats, held_up_s, next_cut_off_s = self._bounds, 0, 0.0, self._bounds.cut_off_s
        is_told = False
        while not self._ending.wait(bounds.look_every_s):
            if self._beats != beats:
                beats, held_up_s, next_cut_off_s = self._beats, 0.0, bounds.cut_off_s
                is_told = False
                continue
            held_up_s += bounds.look_every_s
            if held_up_s >= bounds.blocked_s and not is_told:
                is_told = self._report()
            if held_up_s >= next_cut_off_s and self._can_raise:
                next_cut_off_s += bounds.cut_off_s
                self._cut_off_at = beats
                signal.pthread_kill(self._watched, _SIGNAL)

    def _report(self) -> bool:
        frame = sys._current_frames().get(self._watched)
        if frame is not None:
            self._tell(place_of(frame), list(stack_of(frame)))
        return frame is not None

    def _raise_in_component(self, _signal: int, frame: FrameType | None) -> None:
        """In the main thread, wherever it is: only if it still is where it was seen."""
        wanted, self._cut_off_at = self._cut_off_at, None
        if wanted != self._beats or frame is None:
            return
        place = place_of(frame)
        if place.is_component:
            raise LoopBlocked(place.where, self._bounds.cut_off_s)


Tell = Callable[[Place, Sequence[str]], None]


def log_blocked(place: Place, stack: Sequence[str]) -> None:
    """Log where a loop is held up."""
    log = structlog.get_logger("reactor.watchdog")
    log.error("loop_blocked", where=place.where, is_component=place.is_component, stack=stack)


def place_of(frame: FrameType) -> Place:
    """Where a thread is: the line of the component that was called last, if it is in one."""
    called, caller = frame, frame.f_back
    while caller is not None:
        if _module(caller) in _RUNNING:
            is_component = _module(called).partition(".")[0] not in _OURS
            return Place(_where(called if is_component else frame), is_component)
        called, caller = caller, caller.f_back
    return Place(_where(frame), is_component=False)


def stack_of(frame: FrameType) -> Iterator[str]:
    """The innermost lines of a stack, innermost first."""
    each: FrameType | None = frame
    for _ in range(_MOST_LINES):
        if each is None:
            return
        line = linecache.getline(each.f_code.co_filename, each.f_lineno).strip()
        yield f"{_where(each)}: {line}"
        each = each.f_back


def _where(frame: FrameType) -> str:
    return f"{_module(frame)}:{frame.f_lineno} in {frame.f_code.co_name}"


def _module(frame: FrameType) -> str:
    return str(frame.f_globals.get("__name__", "?"))
