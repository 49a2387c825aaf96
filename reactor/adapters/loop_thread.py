"""An event loop in a thread of its own, for a library that can't be trusted with ours.

What blocks it, or leaves tasks behind, troubles nobody but itself.
"""

import asyncio
import threading
from collections.abc import Awaitable, Callable, Coroutine
from contextlib import suppress
from typing import Any, TypeVar

T = TypeVar("T")

_END_S = 10.0  # how long its tasks may take to end


class LoopThread:
    """Started by the first call, ended by `close`; `at_end` is awaited in it before that."""

    def __init__(self, name: str, *, at_end: Callable[[], Awaitable[None]] | None = None) -> None:
        self._name, self._at_end = name, at_end
        self._lock = threading.Lock()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._thread: threading.Thread | None = None

    async def run(self, make: Callable[[], Coroutine[Any, Any, T]]) -> T:
        """What the coroutine gives that `make` makes, in there.  Cancelled with whoever waits."""
        loop = self._started()

        async def made() -> T:
            return await make()

        return await asyncio.wrap_future(asyncio.run_coroutine_threadsafe(made(), loop))

    def close(self) -> None:
        """End its tasks, and it."""
        with self._lock:
            loop, thread = self._loop, self._thread
            self._loop = self._thread = None
        if loop is None or thread is None:
            return
        ended = asyncio.run_coroutine_threadsafe(self._end(), loop)
        with suppress(TimeoutError):
            ended.result(_END_S)
        loop.call_soon_threadsafe(loop.stop)
        thread.join(_END_S)

    def _started(self) -> asyncio.AbstractEventLoop:
        with self._lock:
            if self._loop is None:
                self._loop = asyncio.new_event_loop()
                self._thread = threading.Thread(
                    target=_serve, args=(self._loop,), name=self._name, daemon=True
                )
                self._thread.start()
            return self._loop

    async def _end(self) -> None:
        if self._at_end is not None:
            await self._at_end()
        left = asyncio.all_tasks() - {asyncio.current_task()}
        for task in left:
            task.cancel()
        await asyncio.gather(*left, return_exceptions=True)
        await asyncio.get_running_loop().shutdown_asyncgens()


def _serve(loop: asyncio.AbstractEventLoop) -> None:
    asyncio.set_event_loop(loop)
    try:
        loop.run_forever()
    finally:
        loop.close()
