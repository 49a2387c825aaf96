"""Explain a delivery: what came, what was weighed, what was chosen and why not the others.

Takes what is stored of the processes and their decision records; gives JSON-ready documents, for
programs and for whatever shows them to people (`reactor.sentences` says them in words).  Pure.
"""

import json
from collections.abc import Mapping, Sequence
from typing import Any, NotRequired, TypedDict, cast

from reactor.codec import UnknownEffect
from reactor.delivery import Delivery
from reactor.effect import Effect, EffectRecord
from reactor.journal import (
    AnsweredData,
    EffectData,
    EndedData,
    FactData,
    JournalRecord,
    NotRunnableData,
    TickData,
)
from reactor.ledger import Fate
from reactor.ports import Stored
from reactor.preview import preview_effect
from reactor.status import ProcessHead
from reactor.waiting import FormRequest
from reactor.weighing import in_full

LONGEST_PAYLOAD = 16_000  # characters of one that are told
_OF_RECORDS = frozenset({"v", "since", "no_longer", "answers", "calls"})
"""What is not told: how records are written, and what models and services answered: it is long."""


class ToldTick(TypedDict):
    """One planning: the fields of `journal.TickData`; `chosen` is None where nothing could run."""

    chosen: str | None
    chosen_by: NotRequired[str]  # where that was not the planner: "supervisor, round 2"
    models: NotRequired[list[str]]  # that answered the action, each once; kept answers count
    candidates: list[Any]
    not_runnable: list[NotRunnableData]
    left_out: int  # how many more of both there were


class ToldHead(TypedDict):
    """What a list of processes says of each."""

    id: str
    reaction: str
    status: str
    event: str  # "issues.opened"
    subject: str  # "octo/hello#7", for people
    delivery: str  # the id, without its host
    host: str
    attempt: int
    created_at: str  # ISO 8601, UTC
    updated_at: str
    failure: str


class ToldForm(TypedDict):
    """What a person is asked, in short; `reactor forms` has all of it."""

    id: str
    title: str
    action: str  # that asks
    asked_at: str  # ISO 8601, UTC
    expires_at: str | None


class ToldFate(TypedDict):
    """Where an effect stands that is in the ledger."""

    attempts: int
    changed_at: str  # ISO 8601, UTC
    due_at: str | None  # where it is to be tried again
    result: Any  # what its executor gave, of one that is done
    reason: str  # why it was refused, or is due only later
    process: str  # whose wish it is: another process's, where both wanted the same
    ruled_by: NotRequired[str]  # who approved or rejected it, where somebody has


class ToldProcess(ToldHead):
    """One process."""

    planner: str
    reason: str  # why it came to rest
    usage: dict[str, float]  # "model_calls", "tokens", "cost_usd", ...: what its actions have spent
    scope: str  # which actions it may use, for people: "packages(triage)"; "" if not known
    left_out: list[str]  # components that would be in scope, and are not for this event
    actions: list[str]  # all of them, by name; none if not known
    facts: list[FactData]  # what it was seeded with
    ticks: list[ToldTick]  # the last one, where nothing was chosen, included
    answers: list[AnsweredData]  # of people, and of timers in their place
    forms: list[ToldForm]  # that wait for an answer
    effects: list[dict[str, Any]]
    """Each with "kind", "key", "state", "action", "would" and its own fields; with "reason", why
    less came of it than its reaction says; and with "fate", a `ToldFate`, where it is in the
    ledger."""


class ToldRequest(TypedDict):
    """What came, as the topic has it."""

    host: str
    received_at: str  # ISO 8601, UTC
    source: str  # "webhook", ...
    size_bytes: int
    digest: str  # SHA-256 of the body
    replayed: bool  # the same bytes had come under another id before
    unclaimed: bool  # nobody could check whether the id was new
    headers: dict[str, str]
    payload: str  # indented JSON, its first `LONGEST_PAYLOAD` characters
    is_cut: bool


class ToldDelivery(TypedDict):
    """A delivery and all that came of it."""

    delivery: str
    event: str
    subject: str
    topic: str | None
    """Where it lies, as "reactor.deliveries[2]@17"; "" where it never was on a topic, None where
    nobody knows: it may have come while Redis was away, and not be settled yet."""
    ignored: str  # why nothing was started, where that is known
    processes: list[ToldProcess]
    request: NotRequired[ToldRequest | None]  # where it was asked for; None: it can't be read


def told_head(head: ProcessHead) -> ToldHead:
    """What is known of a process without reading its board."""
    host, _, delivery = head.delivery.rpartition("/")
    return ToldHead(
        id=head.id,
        reaction=head.reaction,
        status=head.status.value,
        event=head.event,
        subject=head.subject_name,
        delivery=delivery,
        host=host,
        attempt=head.attempt,
        created_at=head.created_at.isoformat(),
        updated_at=head.updated_at.isoformat(),
        failure=head.failure,
    )


def told_process(
    stored: Stored, records: Sequence[JournalRecord], fates: Mapping[str, Fate] | None = None
) -> ToldProcess:
    """What is known of a process, for people and programs.

    `fates`: by key, where its effects stand that are in the ledger.
    """
    known = fates or {}
    head, records = stored.head, list(in_full(records))
    said = {each["key"]: each for r in records if r.kind == "tick" for each in _effects(r)}
    seeds = [cast("Any", record.data) for record in records if record.kind == "seeded"]
    ticks = [_tick(cast("TickData", r.data)) for r in records if r.kind == "tick"]
    ends = [cast("EndedData", r.data) for r in records if r.kind == "ended"]
    last = ends[-1] if ends else None
    if last and (last["candidates"] or last["not_runnable"]):
        ticks.append(_last_look(last))
    return ToldProcess(
        **told_head(head),
        planner=head.planner,
        reason=last["reason"] if last else "",
        usage=dict(head.usage),
        scope=seeds[0].get("scope", "") if seeds else "",
        left_out=seeds[0].get("left_out", []) if seeds else [],
        actions=seeds[0].get("actions", []) if seeds else [],
        facts=seeds[0]["facts"] if seeds else [],
        ticks=ticks,
        answers=[cast("AnsweredData", r.data) for r in records if r.kind == "answered"],
        forms=[_form(form) for form in head.forms],
        effects=[
            _effect(record, known.get(record.key), said.get(record.key))
            for record in stored.effects
        ],
    )


def told_request(delivery: Delivery) -> ToldRequest:
    """A delivery for people; a large payload costs no more than a small one."""
    payload, is_cut = _beginning(delivery.payload, LONGEST_PAYLOAD)
    return ToldRequest(
        host=delivery.host,
        received_at=delivery.received_at.isoformat(),
        source=delivery.source,
        size_bytes=len(delivery.body),
        digest=delivery.digest,
        replayed=delivery.replayed,
        unclaimed=delivery.unclaimed,
        headers=dict(delivery.headers),
        payload=payload,
        is_cut=is_cut,
    )


def _beginning(payload: Mapping[str, object], longest: int) -> tuple[str, bool]:
    """The first characters of the payload as indented JSON, and whether that is not all."""
    written, length = list[str](), 0
    for piece in json.JSONEncoder(indent=2, ensure_ascii=False).iterencode(payload):
        written.append(piece)
        length += len(piece)
        if length > longest:
            return "".join(written)[:longest], True
    return "".join(written), False


def _tick(data: TickData) -> ToldTick:
    told = {name: value for name, value in data.items() if name not in _OF_RECORDS}
    answers = [each for each in data.get("answers", []) if each["finish"] != "failed"]
    if models := list(dict.fromkeys(answer["model"] for answer in answers)):
        told["models"] = models
    return cast("ToldTick", told)


def _last_look(ended: EndedData) -> ToldTick:
    return ToldTick(
        chosen=None,
        candidates=ended["candidates"],
        not_runnable=ended["not_runnable"],
        left_out=ended["left_out"],
    )


def _form(form: FormRequest) -> ToldForm:
    return ToldForm(
        id=form.id,
        title=form.title,
        action=form.action,
        asked_at=form.asked_at.isoformat(),
        expires_at=form.expires_at.isoformat() if form.expires_at else None,
    )


def _effects(record: JournalRecord) -> list[EffectData]:
    return cast("TickData", record.data)["effects"]


def _effect(record: EffectRecord, fate: Fate | None, said: EffectData | None) -> dict[str, Any]:
    """`said`: what the journal says of it, which tells more where its type is not known here."""
    effect = record.effect
    is_known = not isinstance(effect, UnknownEffect)
    # one that was observed or refused is nothing else, whatever others with its key have become
    is_sent = fate is not None and record.state not in ("observed", "refused")
    return {
        **(effect.model_dump(mode="json") if is_known else _as_stored(effect)),
        "kind": effect.kind,
        "key": record.key,
        "state": fate.state if fate and is_sent else record.state,
        "mode": record.mode,
        "subject": record.subject,
        "action": record.action,
        "would": preview_effect(effect) if is_known or said is None else said["preview"],
        **({"reason": record.reason} if record.reason else {}),
        **({"fate": _fate(fate)} if fate and is_sent else {}),
    }


def _as_stored(effect: Effect) -> dict[str, Any]:
    found = json.loads(cast("UnknownEffect", effect).raw)
    return found if isinstance(found, dict) else {}


def _fate(fate: Fate) -> ToldFate:
    told = ToldFate(
        attempts=fate.attempts,
        changed_at=fate.changed_at.isoformat(),
        due_at=fate.due_at.isoformat() if fate.due_at else None,
        result=json.loads(fate.result) if fate.result else None,
        reason=fate.reason,
        process=fate.process_id,
    )
    if fate.ruled_by:
        told["ruled_by"] = fate.ruled_by
    return told
