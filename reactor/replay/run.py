"""A run: all deliveries of a source, in order, and what was found kept so that it can go on.

    source -> which are meant -> replayed -> results, stores and progress written together

One delivery after the other: what the replay's own stores answer depends on the order, and a run
that was killed and goes on must find what one finds that was not.  Memory stays flat: what was
found is written down about once a second, and forgotten.
"""

import asyncio
import json
from collections.abc import AsyncIterator, Callable, Mapping
from dataclasses import dataclass, replace
from itertools import islice
from typing import Protocol

from reactor.delivery import Delivery
from reactor.ports import Clock
from reactor.replay.clock import StandingClock
from reactor.replay.document import Replayed
from reactor.replay.engine import Replaying
from reactor.replay.folder import Cursor, Progress, Run
from reactor.replay.selection import Selection
from reactor.replay.stores import OwnStores

_WRITE_EVERY_S = 1.0
_READ_AT_ONCE = 1_000  # lines that stores are filled with
_MOST_LINES = 50  # that wait to be written


@dataclass(frozen=True, slots=True)
class Came:
    """A record of a source."""

    delivery: Delivery | None  # None: it is not meant, or is none (a poison record)
    cursor: Cursor  # where the source goes on after it


class Source(Protocol):
    """Where recorded deliveries come from; the same ones in the same order each time."""

    @property
    def total(self) -> int:
        """Records that it has, in all; 0 where nobody knows."""
        ...

    def records(self, cursor: Cursor) -> AsyncIterator[Came]:
        """From there on; an empty cursor: all.  Raises `InfrastructureError`."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Running:
    """What a run is made of."""

    run: Run
    source: Source
    selection: Selection
    replaying: Replaying
    stores: OwnStores
    standing: StandingClock  # that of `replaying`
    clock: Clock  # the real one
    on_found: Callable[[Replayed], None] = lambda _found: None
    on_progress: Callable[[Progress], None] = lambda _progress: None

    async def to_end(self, request: Mapping[str, object]) -> Progress:
        """Begin, or go on, until all of it is done.

        `on_found` hears only what is found now, not what an earlier part has found.  Raises
        `InfrastructureError` where a server is away (call again), `OtherRequest`, `DamagedRun`.
        """
        progress = await asyncio.to_thread(self.run.begin, request)
        if await asyncio.to_thread(lambda: self.run.is_done):
            return progress
        told = self.run.told()
        while some := await asyncio.to_thread(lambda: list(islice(told, _READ_AT_ONCE))):
            await self.stores.fill(some, self.standing)
        progress = replace(progress, total=progress.total or self.source.total)
        kept = _Kept(self, progress)
        async for came in self.source.records(progress.cursor):
            found = list[Replayed]()
            meant = came.delivery is not None and self.selection.has(came.delivery)
            if came.delivery is not None and meant:
                found = await self.replaying.replay(came.delivery)
            await kept.add(came, found, meant=meant)
        return await kept.end()


class _Kept:
    """What is found, on its way into the folder."""

    def __init__(self, running: Running, progress: Progress) -> None:
        self._running, self._progress = running, progress
        self._lines = list[str]()
        self._begun_s = self._written_s = running.clock.monotonic_s()
        self._before_s = progress.elapsed_s

    async def add(self, came: Came, found: list[Replayed], *, meant: bool) -> None:
        progress = self._progress
        summary = progress.summary.plus(found) if meant else progress.summary
        self._progress = replace(
            progress, summary=summary, read=progress.read + 1, cursor=came.cursor
        )
        for each in found:
            self._lines.append(json.dumps(each))
            self._running.on_found(each)
        now_s = self._running.clock.monotonic_s()
        if now_s - self._written_s >= _WRITE_EVERY_S or len(self._lines) >= _MOST_LINES:
            await self._write(now_s)

    async def end(self) -> Progress:
        """All is written, and nothing is left to do."""
        await self._write(self._running.clock.monotonic_s(), is_done=True)
        return self._progress

    async def _write(self, now_s: float, *, is_done: bool = False) -> None:
        self._written_s = now_s
        elapsed_s = self._before_s + now_s - self._begun_s
        lines, self._lines = self._lines, []
        told = self._running.stores.told.take()

        def write() -> Progress:
            results, stores = self._running.run.append(results=lines, stores=told)
            progress = replace(
                self._progress, elapsed_s=elapsed_s, results_bytes=results, stores_bytes=stores
            )
            self._running.run.note(progress, is_done=is_done)
            return progress

        self._progress = await asyncio.to_thread(write)
        self._running.on_progress(self._progress)
