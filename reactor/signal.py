"""A signal: what somebody tells one process, as a record on the signals topic.

It travels as a delivery whose subject is the process, so that what one process is told stays in
order.  The body is JSON: `{"kind", "process", "by", "reason", "answer", "ruling"}`, the last two
with an answer and with a ruling only, as the fields of `Answer` and of `EffectRuling`.
"""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields
from datetime import datetime
from typing import Any, Literal, get_args

from reactor.delivery import OWN_HOST, Delivery, Subject, digest
from reactor.topic import GivenUp
from reactor.waiting import Answer, Wish, process_of

Kind = Literal["answer", "wake", "retry", "rule", Wish]
"""What is told; "wake": a process that is STUCK on a passing error tries again; "retry": the next
attempt begins at what a FAILED process was for; "rule": an effect of it that is held is approved
or rejected."""

EVENT = "signal"
TIMER = "timer"  # who says so, where nobody does
LIFECYCLE = "lifecycle"  # who says so, where what a process is about has gone
_KINDS: Mapping[str, Kind] = {kind: kind for kind in get_args(Kind)}
_WISHES: Mapping[str, Wish] = {wish: wish for wish in get_args(Wish)}
_ANSWER_FIELDS = frozenset(field.name for field in fields(Answer))


@dataclass(frozen=True, slots=True, kw_only=True)
class EffectRuling:
    """Whether an effect that is held shall be sent."""

    subject: str  # a `Subject.key`
    key: str  # the idempotency key, in which its content is: another one has another key
    is_approved: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Signal:
    """Something that a process is told."""

    id: str  # as a delivery's: 1 to 64 characters of [0-9A-Za-z-]; heard once
    kind: Kind
    process_id: str
    by: str = ""  # who says so
    reason: str = ""
    answer: Answer | None = None  # with "answer"
    ruling: EffectRuling | None = None  # with "rule"

    @property
    def document(self) -> dict[str, object]:
        """The body, but for the id."""
        told: dict[str, object] = {
            "kind": self.kind,
            "process": self.process_id,
            "by": self.by,
            "reason": self.reason,
        }
        if self.ruling:
            told["ruling"] = asdict(self.ruling)
        return told | ({"answer": asdict(self.answer)} if self.answer else {})

    @property
    def wish(self) -> Wish | None:
        """What is wished of the process, where that is all."""
        return _WISHES.get(self.kind)

    @property
    def subject(self) -> Subject:
        """What it is kept in order with."""
        return Subject(key=self.process_id, name=self.process_id)


class BadSignal(GivenUp):
    """A record on the signals topic that tells nothing."""

    def __init__(self, signal_id: str, why: str) -> None:
        super().__init__(signal_id, why)
        self.signal_id, self.why = signal_id, why

    def __str__(self) -> str:
        return f"{self.signal_id} is no signal: {self.why}; write signals with `reactor answer`"


def answering(answer: Answer) -> Signal:
    """The signal that carries an answer; the same one for the same answer."""
    return Signal(
        id=_short(answer.form_id, answer.id),
        kind="answer",
        process_id=process_of(answer.form_id),
        by=answer.by,
        answer=answer,
    )


def retrying(process_id: str, *, attempt: int, by: str = "") -> Signal:
    """The signal that begins the `attempt`th attempt, after one that ended FAILED."""
    return Signal(
        id=f"retry-{attempt}-{process_id}",
        kind="retry",
        process_id=process_id,
        by=by,
        reason=str(attempt),
    )


def ruling_on(ruling: EffectRuling, *, process_id: str, by: str, reason: str = "") -> Signal:
    """The signal that approves or rejects an effect of a process; the same one for the same."""
    return Signal(
        id=_short(ruling.key, str(ruling.is_approved), by, reason),
        kind="rule",
        process_id=process_id,
        by=by,
        reason=reason,
        ruling=ruling,
    )


def as_delivery(signal: Signal, *, at: datetime) -> Delivery:
    """How it travels."""
    return delivery_of(signal.document, id=signal.id, subject=signal.subject, at=at)


def delivery_of(
    document: Mapping[str, object], *, id: str, subject: Subject, at: datetime
) -> Delivery:
    """A signal's document as a delivery; the document may be any that `document` has given."""
    body = json.dumps(document).encode()
    return Delivery(
        id=id,
        event=EVENT,
        action=str(document.get("kind")),
        host=OWN_HOST,
        subject=subject,
        body=body,
        media_type="application/json",
        payload=document,
        received_at=at,
        digest=digest(body),
        source="signal",
    )


def read_signal(delivery: Delivery) -> Signal:
    """The way back.  Raises `BadSignal`."""
    told = delivery.payload
    kind, process_id = _KINDS.get(str(told.get("kind"))), told.get("process")
    if kind is None:
        raise BadSignal(delivery.id, f"its kind is {str(told.get('kind'))[:40]!r}")
    if not isinstance(process_id, str) or process_id != delivery.subject.key:
        raise BadSignal(delivery.id, "its process is not the one it is kept in order with")
    return Signal(
        id=delivery.id,
        kind=kind,
        process_id=process_id,
        by=str(told.get("by", "")),
        reason=str(told.get("reason", "")),
        answer=_answer(delivery, told.get("answer")) if kind == "answer" else None,
        ruling=_ruling(delivery, told.get("ruling")) if kind == "rule" else None,
    )


def _answer(delivery: Delivery, told: Any) -> Answer:
    match told:
        case {"id": str(), "form_id": str(form_id)} if process_of(form_id) == delivery.subject.key:
            # fields that a later version added are passed over
            return Answer(**{name: told[name] for name in told if name in _ANSWER_FIELDS})
    raise BadSignal(delivery.id, "its answer is none, or belongs to another process")


def _ruling(delivery: Delivery, told: Any) -> EffectRuling:
    match told:
        case {"subject": str(subject), "key": str(key), "is_approved": bool(is_approved)}:
            return EffectRuling(subject=subject, key=key, is_approved=is_approved)
    raise BadSignal(delivery.id, "it rules on no effect")


def _short(*parts: str) -> str:
    """An id that may stand wherever a delivery's may."""
    return f"signal-{hashlib.sha256(chr(31).join(parts).encode()).hexdigest()[:24]}"
