"""Indexing: what was decided anywhere is read from its sources, and added to the index.

    topics, archive -> batches -> index, with up to where each source was read, in one step

Killed at any moment, it goes on where it was: what had been added is dropped when it comes again.
What the retention is over for goes a little at a time.
"""

import asyncio
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Protocol

import structlog

from reactor.errors import InfrastructureError
from reactor.ports import Clock
from reactor.records import Batch, RecordIndex

_FORGOTTEN_AT_ONCE = 200  # processes and deliveries: some milliseconds
_LOOKS_EVERY = timedelta(minutes=10)  # for what is too old


class Source(Protocol):
    """Where decision records and deliveries come from."""

    def batches(self, places: Mapping[str, str]) -> AsyncIterator[Batch]:
        """What has come since these places, until there is no more.

        Raises `InfrastructureError` where it can't be read now.
        """
        ...


@dataclass(slots=True, kw_only=True)
class Indexing:
    """Keeps an index up to date."""

    index: RecordIndex
    sources: Sequence[Source]
    clock: Clock
    keep: timedelta
    forget_files: Callable[[datetime], int] = lambda _: 0  # of the archive that are older
    every_s: float = 0.5  # between two looks
    added: Callable[[int], None] = lambda _: None  # hears how much was new
    _away: dict[int, str] = field(default_factory=dict, init=False)
    """By number, sources that could not be read when that was tried last, and why."""
    _looks_at: datetime | None = field(default=None, init=False)

    async def run(self) -> None:
        """Until cancelled.  Raises what the index does."""
        while True:
            await self.once()
            await self.forget()
            await asyncio.sleep(self.every_s)

    async def once(self) -> int:
        """Read all sources to their ends, as far as they can be read; how much was new."""
        new = 0
        for number, source in enumerate(self.sources):
            try:
                async for batch in source.batches(await self.index.places()):
                    added = await self.index.add(batch)
                    new += added
                    self.added(added)
            except InfrastructureError as error:
                self._tell_away(number, error)
            else:
                self._away.pop(number, None)
        return new

    @property
    def trouble(self) -> str:
        """Why not all sources could be read the last time; "" where all could."""
        return "; ".join(self._away.values())

    async def forget(self) -> None:
        """Drop some of what is too old, where there is any."""
        now = self.clock.now()
        if self._looks_at and now < self._looks_at:
            return
        before = now - self.keep
        if not await self.index.forget(before, at_most=_FORGOTTEN_AT_ONCE):
            await asyncio.to_thread(self.forget_files, before)
            self._looks_at = now + _LOOKS_EVERY

    def _tell_away(self, number: int, error: InfrastructureError) -> None:
        if number not in self._away:
            log = structlog.get_logger("reactor.journal")
            log.warning("journal_source_away", error=str(error))
        self._away[number] = str(error)
