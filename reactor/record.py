"""What is kept of a process besides where it stands: board, history, effects, decision records.

All of it only grows, so what a store does not have yet is what lies beyond a known extent.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from reactor.blackboard import Blackboard, Change, Entry
from reactor.effect import EffectRecord
from reactor.history import History
from reactor.journal import (
    Acted,
    JournalRecord,
    Kind,
    ServiceCallData,
    Weighed,
    answered,
    ended,
    rescued,
    seeded,
    ticked,
)
from reactor.landing import Landed
from reactor.ports import Commit, Stored
from reactor.scope import Scope
from reactor.status import ProcessHead, Run
from reactor.waiting import Answer, FormRequest
from reactor.weighing import Weighings


@dataclass(frozen=True, slots=True)
class Extent:
    """How much there is: numbers of changes, runs, effects and records."""

    changes: int = 0
    runs: int = 0
    effects: int = 0
    records: int = 0


class Record:
    """The record of one process; a new one, or what was stored and what is added to it."""

    def __init__(
        self,
        *,
        now: Callable[[], datetime],
        stored: Stored | None = None,
        inherited: Sequence[Change] = (),
        calls: Sequence[ServiceCallData] = (),
    ) -> None:
        """`inherited`: the board that a new process begins with; `calls`: for the next record."""
        self._calls = calls
        forgiven = stored.head.woken_after if stored else 0
        self.board = Blackboard(now=now, changes=stored.changes if stored else inherited)
        self.history = History(stored.history if stored else (), forgiven=forgiven)
        self.journal: list[JournalRecord] = []  # those that were made here
        self._effects = {found.key: found for found in (stored.effects if stored else ())}
        self._first_seq = stored.journal_seq + 1 if stored else 1
        self._weighings = Weighings()
        self.now = now
        self._kept = self.extent if stored else Extent()

    @property
    def effects(self) -> tuple[EffectRecord, ...]:
        """Each key once, oldest first."""
        return tuple(self._effects.values())

    # What happens --------------------------------------------------------------------------

    def begin(self, head: ProcessHead, *, scope: Scope, actions: Iterable[str]) -> None:
        """The process begins with what is on the board."""
        told = seeded(head, self.board.entries, scope=str(scope), actions=actions)
        if scope.left_out:
            told["left_out"] = list(scope.left_out)
        self._write(head, "seeded", told)

    def tick(
        self,
        head: ProcessHead,
        weighed: Weighed,
        run: Run,
        inputs: Sequence[tuple[str, Entry]],
        landed: Landed,
    ) -> None:
        """An action has run.  An effect that was asked for before is not added again."""
        repeated = frozenset(effect.key for effect in landed.effects) & self._effects.keys()
        for effect in landed.effects:
            self._effects.setdefault(effect.key, effect)
        self.history.add(run)
        acted = Acted(
            run=run,
            inputs=inputs,
            outputs=landed.outputs,
            effects=landed.effects,
            repeated=repeated,
            answers=landed.answers,
            calls=landed.calls,
        )
        told = self._weighings.tell(weighed, seq=self._next_seq)
        self._write(head, "tick", ticked(len(self.history.runs), weighed.decision, told, acted))

    def answer(
        self, head: ProcessHead, run: Run, asked: tuple[FormRequest, Answer], facts: Iterable[Entry]
    ) -> None:
        """What an action waited for has come."""
        self.history.add(run)
        form, answer = asked
        self._write(head, "answered", answered(len(self.history.runs), form, answer, facts))

    def rescue(self, head: ProcessHead, facts: Iterable[Entry]) -> None:
        """The stuck handler had an idea."""
        self._write(head, "rescued", rescued(head, facts))

    def end(self, head: ProcessHead, reason: str, weighed: Weighed | None) -> None:
        """The process has come to rest."""
        told = self._weighings.tell(weighed, seq=self._next_seq)
        data = ended(head, reason, told, ticks=len(self.history.runs))
        self._write(head, "ended", data)

    # What is not kept yet ------------------------------------------------------------------

    @property
    def extent(self) -> Extent:
        """How much there is by now."""
        return Extent(
            self.board.version, len(self.history.runs), len(self._effects), len(self.journal)
        )

    def beyond_kept(self, head: ProcessHead) -> Commit:
        """What a store does not have yet."""
        kept = self._kept
        return Commit(
            head=head,
            changes=self.board.changes_since(kept.changes),
            history=self.history.runs[kept.runs :],
            effects=self.effects[kept.effects :],
            journal=self.journal[kept.records :],
        )

    def mark_kept(self, extent: Extent) -> None:
        """Everything up to there is stored."""
        self._kept = extent

    @property
    def _next_seq(self) -> int:
        return self._first_seq + len(self.journal)

    def _write(self, head: ProcessHead, kind: Kind, told: Mapping[str, Any]) -> None:
        if self._calls:
            told = {**told, "calls": [*self._calls, *told.get("calls", ())]}
            self._calls = ()
        self.journal.append(
            JournalRecord(
                process_id=head.id,
                seq=self._next_seq,
                kind=kind,
                at=self.now(),
                data=told,
            )
        )
