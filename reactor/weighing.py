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
from reactor.plan.decision import Candidate, NotRunnable, Reasons, Unmet
from reactor.truth import Truth

MOST_CANDIDATES = 20  # that are listed, best first
MOST_NOT_RUNNABLE = 100  # that are listed, by name

_WORDS: Mapping[Truth | None, str] = {None: "absent", **{truth: truth.value for truth in Truth}}
"""A table, as looking up the value of an enum's member takes long, and this is done often."""

_Why = tuple[tuple[Unmet, ...], tuple[str | None, ...]]  # what was lacking, and the reasons


class Weighings:
    """Tells the plannings of one process, as long as it is in one worker's hands."""

    def __init__(self) -> None:
        self._told: dict[str, _Why] = {}  # by action that could not run
        self._seq = 0  # of the record that told it last

    def tell(self, weighed: Weighed | None, *, seq: int) -> WeighedData:
        """The data for the record of that number; None: nothing was weighed."""
        found = weighed.decision.reasons if weighed else Reasons()
        reasons = weighed.reasons if weighed else {}
        listed = found.not_runnable[:MOST_NOT_RUNNABLE]
        why = {each.action: _why(each, reasons) for each in listed}
        before, since = (self._told, self._seq) if weighed else ({}, 0)
        self._told, self._seq = why, seq
        return WeighedData(
            candidates=[_candidate(each) for each in found.candidates[:MOST_CANDIDATES]],
            since=since,
            not_runnable=[
                _not_runnable(action, now)
                for action, now in why.items()
                if before.get(action) != now
            ],
            no_longer=[action for action in before if action not in why],
            left_out=max(len(found.candidates) - MOST_CANDIDATES, 0)
            + len(found.not_runnable)
            - len(listed),
        )


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


def _why(found: NotRunnable, reasons: Mapping[str, str]) -> _Why:
    return found.unmet, tuple([reasons.get(unmet.condition) for unmet in found.unmet])


def _candidate(candidate: Candidate) -> CandidateData:
    return CandidateData(
        action=candidate.action,
        net_value=candidate.net_value,
        cost=candidate.cost,
        value=candidate.value,
    )


def _not_runnable(action: str, why: _Why) -> NotRunnableData:
    unmet, reasons = why
    return NotRunnableData(action=action, unmet=_several(unmet, reasons))


def _several(several: Sequence[Unmet], reasons: Sequence[str | None]) -> list[UnmetData]:
    return [_unmet(each, reason) for each, reason in zip(several, reasons, strict=True)]


def _unmet(unmet: Unmet, reason: str | None) -> UnmetData:
    told: UnmetData = {
        "condition": unmet.condition,
        "needs": _WORDS[unmet.needs],
        "is": _WORDS[unmet.actual],
    }
    if reason:
        told["reason"] = reason
    return told
