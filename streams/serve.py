"""Running a processor as a process of its own: until SIGTERM or Ctrl-C, or until it fails."""

import asyncio
import faulthandler
import os
import signal
from collections.abc import AsyncIterator, Callable, Coroutine
from contextlib import asynccontextmanager, suppress
from types import FrameType

import structlog

from streams.processor import Processor

STOP_S = 10.0  # beyond the drain: within it a process has ended that was told to
_LEFT_S = 2.0  # before that, whoever has not said goodbye leaves without
_CANCEL_AGAIN_S = 0.5
_BLOCKED_S = 120.0  # an event loop that does nothing for so long never will


async def serve(processor: Processor) -> None:
    """Work until told to stop, then stop in order.  Raises what the processor failed with."""
    async with told_to_stop(within_s=processor.drain_s + STOP_S) as stop:
        await work(processor, stop)


@asynccontextmanager
async def told_to_stop(*, within_s: float) -> AsyncIterator[asyncio.Event]:
    """An event that SIGTERM or Ctrl-C sets.  A second signal changes nothing.

    If the context has not ended a little before `within_s` after the signal, the process does:
    what is left then is saying goodbye to servers that hang.  Where something blocks the loop it
    does so at `within_s`, with exit code 1 and the stack of every thread on stderr.  Nothing is
    lost by either: what was not settled is read again, by whoever has the partitions next.
    """
    stopping = _Stopping(within_s)
    signals = (signal.SIGTERM, signal.SIGINT)
    before = {number: signal.signal(number, stopping.tell) for number in signals}
    try:
        yield stopping.told
    finally:
        stopping.end()
        for number, handler in before.items():
            signal.signal(number, handler)


class _Stopping:
    """What goes on from the first signal on."""

    def __init__(self, within_s: float) -> None:
        self.told = asyncio.Event()
        self._within_s, self._loop = within_s, asyncio.get_running_loop()
        self._is_told = False
        self._leaving: asyncio.TimerHandle | None = None

    def tell(self, _number: int, _frame: FrameType | None) -> None:
        """Called between any two instructions of the main thread, so also in a blocked loop."""
        if not self._is_told:
            self._is_told = True
            faulthandler.dump_traceback_later(self._within_s, exit=True)
            self._loop.call_soon_threadsafe(self._heed)

    def _heed(self) -> None:
        # once more, as the guard may have set it again
        faulthandler.dump_traceback_later(self._within_s, exit=True)
        self._leaving = self._loop.call_later(self._within_s - _LEFT_S, _leave)
        self.told.set()

    def end(self) -> None:
        """The work is over."""
        faulthandler.cancel_dump_traceback_later()
        if self._leaving:
            self._leaving.cancel()


def _leave() -> None:
    """End the process: nobody waits for anything but goodbyes any more."""
    structlog.get_logger("streams.serve").warning("left_without_goodbye")
    os._exit(0)


async def unless_told(
    stop: asyncio.Event, begin: Callable[[asyncio.Event], Coroutine[object, object, None]]
) -> None:
    """Run `begin`; while the event that it is given is not set, being told to stop cancels it.

    It sets the event when it has something in hand, and sees to the stop itself from then on.
    """
    has_begun = asyncio.Event()
    begun, stopping = asyncio.create_task(begin(has_begun)), asyncio.create_task(stop.wait())
    try:
        await asyncio.wait({begun, stopping}, return_when=asyncio.FIRST_COMPLETED)
        while not (has_begun.is_set() or begun.done()):
            begun.cancel()  # again and again: there are clients that swallow it while they connect
            await asyncio.wait({begun}, timeout=_CANCEL_AGAIN_S)
        with suppress(asyncio.CancelledError):
            await begun
    finally:
        stopping.cancel()
        begun.cancel()


async def work(processor: Processor, stop: asyncio.Event) -> None:
    """Work until `stop` is set, then stop in order.  Raises what the processor failed with."""
    guard = asyncio.create_task(_end_when_blocked(stop))
    try:
        await processor.run(stop)
    finally:
        guard.cancel()
        with suppress(asyncio.CancelledError):
            await guard


async def _end_when_blocked(stop: asyncio.Event) -> None:
    """End the process, with the stack of every thread on stderr, if the loop is ever blocked.

    There is one such timer in a process: once told to stop, it is the one of `told_to_stop`.
    """
    try:
        while not stop.is_set():
            faulthandler.dump_traceback_later(_BLOCKED_S, exit=True)
            with suppress(TimeoutError):
                async with asyncio.timeout(_BLOCKED_S / 4):
                    await stop.wait()
    finally:
        if not stop.is_set():
            faulthandler.cancel_dump_traceback_later()
