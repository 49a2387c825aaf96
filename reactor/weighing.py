"""What each planning weighed, as data: what could not run is told as differences, and read in full.

Most of what kept an action from running still keeps it one tick later, so a record lists only
what has changed since the record before.  `Weighings` writes that, `in_full` reads it.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, cast

from reactor.journal import (
    CandidateData,
    JournalRecord,
    NotRunnableData,
    UnmetData,
    Weighed,
    WeighedData,
)
from reactor.plan.decision import Candidate, NotRunnable, Unmet
from reactor.truth import Truth

MOST_CANDIDATES = 20  # that are listed, best first
MOST_NOT_RUNNABLE = 100  # that are listed, by name

_WORDS: Mapping[Truth | None, str] = {None: "absent", **{truth: truth.value for truth in Truth}}
"""A table, as looking up the value of an enum's member takes long, and this is done often."""


class Weighings:
    """Tells the plannings of one process, as long as it is in one worker's hands."""

    def __init__(self) -> None:
        self._told: dict[str, NotRunnable] = {}  # by action
        self._reasons: Mapping[str, str] = {}  # that were told with it, by condition
        self._seq = 0  # of the record that told it last

    def tell(self, weighed: Weighed | None, *, seq: int) -> WeighedData:
        """The data for the record of that number; None: nothing was weighed."""
        if weighed is None:
            self._told, self._reasons, self._seq = {}, {}, seq
            return WeighedData(candidates=[], since=0, not_runnable=[], no_longer=[], left_out=0)
        found, reasons = weighed.decision.reasons, weighed.reasons
        listed = found.not_runnable[:MOST_NOT_RUNNABLE]
        blocked = {each.action: each for each in listed}
        told = WeighedData(
            candidates=[_candidate(each) for each in found.candidates[:MOST_CANDIDATES]],
            since=self._seq,
            not_runnable=[_not_runnable(each, reasons) for each in self._new(listed, reasons)],
            no_longer=[action for action in self._told if action not in blocked],
            left_out=max(len(found.candidates) - MOST_CANDIDATES, 0)
            + len(found.not_runnable)
            - len(listed),
        )
        if weighed.calls:
            told["calls"] = list(weighed.calls)
        self._told, self._reasons, self._seq = blocked, reasons, seq
        return told

    def _new(self, listed: Sequence[NotRunnable], reasons: Mapping[str, str]) -> list[NotRunnable]:
        """Those that were not told just so."""
        before = self._reasons
        conditions = before.keys() | reasons.keys()
        differ = {each for each in conditions if before.get(each) != reasons.get(each)}
        return [
            each
            for each in listed
            if self._told.get(each.action) != each
            or (differ and not differ.isdisjoint([unmet.condition for unmet in each.unmet]))
        ]


def in_full(records: Iterable[JournalRecord]) -> Iterator[JournalRecord]:
    """The records of one process, in order, each with all that could not run.

    What an incomplete journal does not tell stays untold.
    """
    listed: dict[str, NotRunnableData] = {}
    last = 0
    for record in records:
        if "not_runnable" not in record.data:
            yield record
            continue
        told = cast("WeighedData", record.data)
        if told.get("since", 0) != last:  # version 1 has no `since`: each list was complete
            listed = {}
        for action in told.get("no_longer", ()):
            listed.pop(action, None)
        listed |= {each["action"]: each for each in told["not_runnable"]}
        last = record.seq
        yield replace(record, data=_completed(told, listed))


def _completed(told: WeighedData, listed: Mapping[str, NotRunnableData]) -> Mapping[str, Any]:
    full = [listed[action] for action in sorted(listed)]
    return {**told, "since": 0, "no_longer": [], "not_runnable": full}


def _candidate(candidate: Candidate) -> CandidateData:
    return CandidateData(
        action=candidate.action,
        net_value=candidate.net_value,
        cost=candidate.cost,
        value=candidate.value,
    )


def _not_runnable(found: NotRunnable, reasons: Mapping[str, str]) -> NotRunnableData:
    unmet = [_unmet(each, reasons.get(each.condition)) for each in found.unmet]
    return NotRunnableData(action=found.action, unmet=unmet)


def _unmet(unmet: Unmet, reason: str | None) -> UnmetData:
    told: UnmetData = {
        "condition": unmet.condition,
        "needs": _WORDS[unmet.needs],
        "is": _WORDS[unmet.actual],
    }
    if reason:
        told["reason"] = reason
    return told
