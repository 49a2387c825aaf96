"""A process from its decision records alone: where its store has let it go, or is not there.

Takes records in order; gives what a store would have, as far as records tell it.  Values of facts
and fields of effects are not in them: only how they look in one line.  Pure.
"""

from collections.abc import Iterator, Sequence
from typing import Any, cast

from reactor.codec import UnknownEffect
from reactor.effect import EffectRecord, EffectState, Mode
from reactor.journal import EffectData, EndedData, JournalRecord, SeededData, TickData
from reactor.journal_versions import fault_of
from reactor.ports import Stored
from reactor.records import mark_of
from reactor.status import ProcessHead, Status

_STATES: dict[str, EffectState] = {
    "observed": "observed",
    "intended": "intended",
    "done": "done",
    "refused": "refused",
    "due": "due",
}


def stored_from(records: Sequence[JournalRecord]) -> tuple[Stored, list[JournalRecord]] | None:
    """The process, and those of its records that can be read; None where none of them can."""
    readable = [record for record in records if not fault_of(record)]
    mark = mark_of(readable[0].process_id, readable) if readable else None
    if mark is None:
        return None
    seed = cast("SeededData | None", _last(readable, "seeded"))
    end = cast("EndedData | None", _last(readable, "ended"))
    head = ProcessHead(
        id=mark.id,
        delivery=mark.delivery,
        reaction=mark.reaction,
        subject=mark.subject,
        agent=seed["agent"] if seed else "",
        planner=seed["planner"] if seed else "",
        status=_status(mark.status),
        attempt=mark.attempt,
        created_at=mark.began_at,
        updated_at=mark.changed_at,
        goal=end["goal"] if end else None,
        failure=mark.failure,
        event=mark.event,
        subject_name=mark.subject_name,
        usage=dict(end["usage"]) if end else {},
    )
    stored = Stored(
        head=head,
        changes=(),
        history=(),
        effects=tuple(_effects(readable, mark.subject)),
        journal_seq=readable[-1].seq,
        commits=0,
    )
    return stored, readable


def _last(records: Sequence[JournalRecord], kind: str) -> Any:
    return next((record.data for record in reversed(records) if record.kind == kind), None)


def _status(word: str) -> Status:
    return Status(word) if word in Status.__members__ else Status.RUNNING


def _effects(records: Sequence[JournalRecord], subject: str) -> Iterator[EffectRecord]:
    """Each key once, oldest first."""
    seen = set[str]()
    for record in records:
        if record.kind != "tick":
            continue
        tick = cast("TickData", record.data)
        for effect in tick["effects"]:
            if effect["key"] not in seen:
                seen.add(effect["key"])
                yield _effect(effect, tick["chosen"], subject)


def _effect(told: EffectData, action: str, subject: str) -> EffectRecord:
    state = _STATES.get(told["state"], "intended")
    mode: Mode = "observe" if state == "observed" else "live"
    return EffectRecord(
        key=told["key"],
        effect=UnknownEffect(type_name=f"journal:{told['kind']}", raw="{}"),
        subject=subject,
        action=action,
        mode=mode,
        state=state,
        reason=told.get("reason", ""),
        rules=told.get("rules", ""),
    )
