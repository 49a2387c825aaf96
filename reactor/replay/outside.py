"""What came to a process from outside, as its records of then tell: answers, wakes, wishes.

A replay lets the process of now hear the same at the same point: when it has come to rest for the
same time.  Pure.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Literal

from reactor.follow_up import waking
from reactor.journal import JournalRecord
from reactor.signal import Signal, answering
from reactor.status import ProcessHead, Status
from reactor.waiting import Answer, FormRequest, Wish, expiry

_RESTS = frozenset({"STUCK", "WAITING", "PAUSED"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Heard:
    """One thing that a process was told while it rested."""

    kind: Literal["answer", "wake"] | Wish
    at: datetime
    record: JournalRecord  # that tells of it: "answered" with an answer
    reason: str = ""  # of a kill or a termination


def heard(records: Sequence[JournalRecord]) -> list[Heard]:
    """All of it, in order."""
    found = list[Heard]()
    resting = ""
    for record in records:
        if record.kind == "answered":
            found.append(Heard(kind="answer", at=record.at, record=record))
            resting = ""
            continue
        if resting:
            found += _heard_at_rest(resting, record)
        status = record.data.get("status") if record.kind == "ended" else ""
        resting = status if isinstance(status, str) and status in _RESTS else ""
    return found


def _heard_at_rest(resting: str, record: JournalRecord) -> list[Heard]:
    """What had a process go on that rested like this; the record is the next one."""
    status, reason = record.data.get("status"), str(record.data.get("reason", ""))
    if record.kind == "ended" and status == "KILLED":
        return [Heard(kind="kill", at=record.at, record=record, reason=reason)]
    if record.kind == "ended" and status == "TERMINATED" and resting != "STUCK":
        return [Heard(kind="terminate", at=record.at, record=record, reason=reason)]
    if resting == "PAUSED":
        return [Heard(kind="resume", at=record.at, record=record)]
    if resting == "STUCK":
        return [Heard(kind="wake", at=record.at, record=record)]
    return []  # several forms were open, and one was answered


def signal_of(event: Heard, head: ProcessHead) -> Signal | None:
    """What tells the process of now the same; None where it does not rest as it did then."""
    if head.status.is_final:
        return None
    if event.kind == "answer":
        form = _asked(event.record, head)
        answer = _answer(event.record, form) if form else None
        return answering(answer) if answer else None
    if event.kind == "wake":
        return waking(head) if head.status is Status.STUCK else None
    return Signal(
        id=f"{event.kind}-{event.record.seq}-{head.id}",
        kind=event.kind,
        process_id=head.id,
        reason=event.reason,
    )


def _asked(record: JournalRecord, head: ProcessHead) -> FormRequest | None:
    """The same question: by its id, or else by who asks and what."""
    told = record.data
    same = [form for form in head.forms if form.action == told.get("action")]
    by_id = [form for form in same if form.id == told.get("form")]
    by_title = [form for form in same if form.title == told.get("title")]
    return next(iter((*by_id, *by_title)), None)


def _answer(record: JournalRecord, form: FormRequest) -> Answer | None:
    """What was answered; None where the record does not tell, as of older versions."""
    told = record.data
    if told.get("expired") is True:
        return expiry(form)
    approved = told.get("approved")
    if "value" not in told and not isinstance(approved, bool):
        return None
    return Answer(
        id=str(told.get("answer")),
        form_id=form.id,
        by=str(told.get("by", "")),
        value=told.get("value"),
        approved=approved if isinstance(approved, bool) else None,
    )
