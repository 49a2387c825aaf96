"""Running a processor as a process of its own: until SIGTERM or Ctrl-C, or until it fails."""

import asyncio
import faulthandler
import signal
from contextlib import suppress

from streams.processor import Processor

_BLOCKED_S = 120.0  # an event loop that does nothing for so long never will


async def serve(processor: Processor) -> None:
    """Work until told to stop, then stop in order.  Raises what the processor failed with.

    A second signal while stopping is ignored: whoever loses patience has SIGKILL, and loses
    nothing by it.
    """
    stop = asyncio.Event()
    loop = asyncio.get_running_loop()
    for number in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(number, stop.set)
    guard = asyncio.create_task(_end_when_blocked())
    try:
        await processor.run(stop)
    finally:
        guard.cancel()
        with suppress(asyncio.CancelledError):
            await guard
        for number in (signal.SIGTERM, signal.SIGINT):
            loop.remove_signal_handler(number)


async def _end_when_blocked() -> None:
    """End the process, with the stack of every thread on stderr, if the loop is ever blocked."""
    try:
        while True:
            faulthandler.dump_traceback_later(_BLOCKED_S, exit=True)
            await asyncio.sleep(_BLOCKED_S / 4)
    finally:
        faulthandler.cancel_dump_traceback_later()
