"""Recounting: what was decided last on a subject, and what came of it.

    subject -> its latest processes -> those of one delivery -> in sentences, as `explain` says them

A service of the platform, for whatever tells people where they are.  Reads, and nothing else.
"""

import asyncio
from dataclasses import dataclass
from datetime import datetime
from typing import Protocol

from reactor.explain import ToldProcess, told_process
from reactor.journal import JournalRecord
from reactor.ledger import Fate, Ledger
from reactor.ports import Stored
from reactor.sentences import effect_sentence, plan_sentences, unmet_sentence
from reactor.status import ProcessHead

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


@dataclass(frozen=True, slots=True, kw_only=True)
class Recounted:
    """One process, in sentences; what strangers wrote may stand in them."""

    title: str  # "issues.opened in the reaction triage: COMPLETED"
    at: datetime  # when it changed last
    delivery: str  # by which `reactor explain` tells all of it
    steps: tuple[str, ...]  # what ran and why that, in order; or why nothing could
    changes: tuple[str, ...]  # what was wanted, and what has become of it
    blocked: tuple[str, ...]  # what could not run in the end, and why


class Explanations(Protocol):
    """Tells what was decided."""

    async def last(self, subject: str, *, asked_in: ProcessHead) -> list[Recounted]:
        """The processes of the newest delivery by which anything was done; else of the newest.

        Left out is what people have asked for: deliveries that started a process of the reaction
        in which it is asked, this one among them.  Nothing where none is kept.  Raises
        `InfrastructureError`.
        """
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class SubjectExplanations:
    """Fits `Explanations`."""

    boards: LatestBoards
    ledger: Ledger | None = None  # None where nothing is ever sent

    async def last(self, subject: str, *, asked_in: ProcessHead) -> list[Recounted]:
        """From the index of the subject, then by delivery."""
        newest: list[ToldProcess] = []
        looked_at = {asked_in.delivery}
        for process_id in await self.boards.latest(subject, limit=LOOKED_AT):
            stored = await self.boards.read(process_id)
            if stored is None or stored.head.delivery in looked_at:
                continue
            looked_at.add(stored.head.delivery)
            told = await self._beside(stored.head)
            if any(each["reaction"] == asked_in.reaction for each in told):
                continue
            if any(tick["chosen"] for each in told for tick in each["ticks"]):
                return [recounted(each) for each in told]
            newest = newest or told
        return [recounted(each) for each in newest]

    async def _beside(self, head: ProcessHead) -> list[ToldProcess]:
        """All that its delivery started, and it."""
        started = await self.boards.started_by(head.delivery)
        told = [await self._told(each) for each in dict.fromkeys((*started, head.id))]
        return [each for each in told if each is not None]

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


def recounted(told: ToldProcess) -> Recounted:
    """The same in sentences."""
    last = told["ticks"][-1]["not_runnable"] if told["ticks"] else []
    return Recounted(
        title=f"{told['event']} in the reaction {told['reaction']}: {told['status']}",
        at=datetime.fromisoformat(told["updated_at"]),
        delivery=told["delivery"],
        steps=tuple(plan_sentences(told)),
        changes=tuple(effect_sentence(each) for each in told["effects"]),
        blocked=tuple(
            f"{each['action']}: {'; '.join(map(unmet_sentence, each['unmet']))}" for each in last
        ),
    )
