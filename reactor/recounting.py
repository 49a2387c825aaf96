"""Recounting: what was decided last on a subject, and what came of it.

    subject -> its latest processes -> those of the newest delivery -> as `explain` tells them

A service of the platform, for whatever tells people where they are.  Reads, and nothing else.
"""

import asyncio
from collections.abc import Collection
from dataclasses import dataclass
from typing import Protocol

from reactor.explain import ToldProcess, told_process
from reactor.journal import JournalRecord
from reactor.ledger import Fate, Ledger
from reactor.ports import Stored

LOOKED_AT = 20  # of a subject's latest processes


class LatestBoards(Protocol):
    """What is asked of the store of processes."""

    async def latest(self, subject: str, *, limit: int) -> list[str]:
        """Ids of its processes, the one that came to rest last first; none within others.

        An index for people: one may be missing.  Raises `InfrastructureError`, as all of these.
        """
        ...

    async def started_by(self, delivery: str) -> list[str]:
        """Ids of the processes that a delivery started."""
        ...

    async def read(self, process_id: str) -> Stored | None:
        """The process."""
        ...

    async def journal(self, process_id: str) -> list[JournalRecord]:
        """Its decision records."""
        ...


class Explanations(Protocol):
    """Tells what was decided."""

    async def last(self, subject: str, *, but: Collection[str] = ()) -> list[ToldProcess]:
        """The processes of the delivery that was last decided on, but for reactions named `but`.

        Nothing where none is kept.  Raises `InfrastructureError`.
        """
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class SubjectExplanations:
    """Fits `Explanations`."""

    boards: LatestBoards
    ledger: Ledger | None = None  # None where nothing is ever sent

    async def last(self, subject: str, *, but: Collection[str] = ()) -> list[ToldProcess]:
        """From the index of the subject, then by delivery."""
        for process_id in await self.boards.latest(subject, limit=LOOKED_AT):
            stored = await self.boards.read(process_id)
            if stored is None or stored.head.reaction in but:
                continue
            beside = await self.boards.started_by(stored.head.delivery)
            told = [await self._told(each) for each in dict.fromkeys((*beside, process_id))]
            return [each for each in told if each is not None and each["reaction"] not in but]
        return []

    async def _told(self, process_id: str) -> ToldProcess | None:
        """None where it is gone, or within another one."""
        stored, records = await asyncio.gather(
            self.boards.read(process_id), self.boards.journal(process_id)
        )
        if stored is None or stored.head.parent_id is not None:
            return None
        return told_process(stored, records, await self._fates(stored))

    async def _fates(self, stored: Stored) -> dict[str, Fate]:
        keys = [record.key for record in stored.effects if record.mode != "observe"]
        if self.ledger is None or not keys:
            return {}
        return dict(await self.ledger.fates(stored.head.subject, keys))
