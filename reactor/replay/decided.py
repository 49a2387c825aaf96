"""What a process decided, read out of its decision records: the same of then and of now.

Records of then come from a topic, a file or an index, written by any version: what is not there
is empty.  Pure.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from reactor.journal import JournalRecord
from reactor.replay.document import Decided, DecidedEffect, DecidedTick

_UNFINISHED = "RUNNING"


def decided(records: Sequence[JournalRecord]) -> Decided:
    """What these records of one process, in order, tell."""
    ends = [record.data for record in records if record.kind == "ended"]
    goes_on = bool(records) and records[-1].kind != "ended"
    last: Mapping[str, object] = ends[-1] if ends and not goes_on else {}
    goal = last.get("goal")
    return Decided(
        status=_text(last, "status") or _UNFINISHED,
        reason=_text(last, "reason"),
        goal=goal if isinstance(goal, str) else None,
        ticks=list(_ticks(records)),
        effects=list(_effects(records)),
    )


def is_at_rest(told: Decided) -> bool:
    """Whether the records tell how it came to rest."""
    return told["status"] != _UNFINISHED


def seed_of(records: Sequence[JournalRecord]) -> Mapping[str, object]:
    """The data of the record "seeded"; empty where it is not there."""
    return next((record.data for record in records if record.kind == "seeded"), {})


def _ticks(records: Sequence[JournalRecord]) -> Iterator[DecidedTick]:
    for record in records:
        data = record.data
        if record.kind == "tick":
            yield DecidedTick(
                tick=_number(data, "tick"),
                action=_text(data, "chosen"),
                outcome=_text(data, "outcome"),
                net_value=_value(data, "net_value"),
                error=_text(data, "error"),
                outputs=_outputs(data),
            )
        elif record.kind == "answered":
            yield DecidedTick(
                tick=_number(data, "tick"),
                action=_text(data, "action"),
                outcome="expired" if data.get("expired") is True else "answered",
                net_value=0.0,
                error="",
                outputs=_outputs(data),
            )


def _effects(records: Sequence[JournalRecord]) -> Iterator[DecidedEffect]:
    """Each key once, as the process has it."""
    seen = set[str]()
    for record in records:
        if record.kind != "tick":
            continue
        for effect in _dicts(record.data, "effects"):
            key = _text(effect, "key")
            if key in seen:
                continue
            seen.add(key)
            yield DecidedEffect(
                kind=_text(effect, "kind"),
                key=key,
                action=_text(record.data, "chosen"),
                state=_text(effect, "state"),
                preview=_text(effect, "preview"),
                reason=_text(effect, "reason"),
                rules=_text(effect, "rules"),
            )


def _outputs(data: Mapping[str, object]) -> list[str]:
    return [f"{_text(fact, 'type')}: {_text(fact, 'preview')}" for fact in _dicts(data, "outputs")]


def _dicts(data: Mapping[str, object], name: str) -> list[dict[str, Any]]:
    found = data.get(name)
    return [each for each in found if isinstance(each, dict)] if isinstance(found, list) else []


def _text(data: Mapping[str, object], name: str) -> str:
    found = data.get(name)
    return found if isinstance(found, str) else ""


def _number(data: Mapping[str, object], name: str) -> int:
    found = data.get(name)
    return found if isinstance(found, int) else 0


def _value(data: Mapping[str, object], name: str) -> float:
    found = data.get(name)
    return float(found) if isinstance(found, int | float) else 0.0
