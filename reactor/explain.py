"""Explain a delivery: what came, what was weighed, what was chosen and why not the others.

Takes what is stored of the processes and their decision records; gives one JSON-ready document,
and the short form of it, six lines, one for each noun of the path.  Pure.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, TypedDict, cast

from reactor.effect import EffectRecord
from reactor.journal import EndedData, FactData, JournalRecord, NotRunnableData, TickData
from reactor.ports import Stored
from reactor.preview import preview_effect

NOUNS = ("delivery", "topic", "blackboard", "plan", "action", "effect")


class ToldTick(TypedDict):
    """One planning: the fields of `journal.TickData`; `chosen` is None where nothing could run."""

    chosen: str | None
    candidates: list[Any]
    not_runnable: list[NotRunnableData]


class ToldProcess(TypedDict):
    """One process."""

    id: str
    reaction: str
    status: str
    planner: str
    reason: str  # why it came to rest
    failure: str
    facts: list[FactData]  # what it was seeded with
    ticks: list[ToldTick]  # the last one, where nothing was chosen, included
    effects: list[dict[str, Any]]  # "kind", "key", "state", "action", "would", and its own fields


class ToldDelivery(TypedDict):
    """A delivery and all that came of it."""

    delivery: str
    event: str
    subject: str
    topic: str | None  # where it lies: "reactor.deliveries[2]@17"; None: it never was on one
    ignored: str  # why nothing was started, where that is known
    processes: list[ToldProcess]


def told_process(stored: Stored, records: Sequence[JournalRecord]) -> ToldProcess:
    """What is known of a process, for people and programs."""
    head = stored.head
    seeds = [cast("Any", record.data) for record in records if record.kind == "seeded"]
    ticks = [_tick(cast("TickData", r.data)) for r in records if r.kind == "tick"]
    ends = [cast("EndedData", r.data) for r in records if r.kind == "ended"]
    last = ends[-1] if ends else None
    if last and (last["candidates"] or last["not_runnable"]):
        ticks.append(_last_look(last))
    return ToldProcess(
        id=head.id,
        reaction=head.reaction,
        status=head.status.value,
        planner=head.planner,
        reason=last["reason"] if last else "",
        failure=head.failure,
        facts=seeds[0]["facts"] if seeds else [],
        ticks=ticks,
        effects=[_effect(stored_effect) for stored_effect in stored.effects],
    )


def six_lines(told: ToldDelivery) -> list[str]:
    """The path of one delivery, a line for each noun."""
    said: Mapping[str, str] = {
        "delivery": f"{told['delivery']}  {told['event']}  {told['subject']}",
        "topic": told["topic"] or "none: read from a file, no server involved",
        "blackboard": _joined(_facts(told["processes"]), told["ignored"] or "no process"),
        "plan": _joined(_plans(told["processes"]), "nothing could run"),
        "action": _joined(_actions(told["processes"]), "none ran"),
        "effect": _joined(_effects(told["processes"]), "none"),
    }
    return [f"{noun:<11} {said[noun]}" for noun in NOUNS]


def why_not(told: ToldProcess, action: str) -> list[str]:
    """Why an action did not run, tick by tick; no line for a tick in which it did."""
    lines = []
    for number, tick in enumerate(told["ticks"], start=1):
        unmet = next((n["unmet"] for n in tick["not_runnable"] if n["action"] == action), None)
        worth = next((c for c in tick["candidates"] if c["action"] == action), None)
        if unmet:
            said = "; ".join(unmet_sentence(each) for each in unmet)
            lines.append(f"tick {number}: it could not run: {said}")
        elif worth and tick["chosen"] != action:
            lines.append(
                f"tick {number}: it could run, for {worth['net_value']:+.2f},"
                f" but {tick['chosen']} was worth more"
            )
    return lines


def unmet_sentence(unmet: Mapping[str, Any]) -> str:
    """One unmet condition, for people."""
    reason = f" ({unmet['reason']})" if unmet.get("reason") else ""
    return f"{unmet['condition']} is {unmet['is']}, needs {unmet['needs']}{reason}"


def _tick(data: TickData) -> ToldTick:
    return cast("ToldTick", {name: value for name, value in data.items() if name != "v"})


def _last_look(ended: EndedData) -> ToldTick:
    return ToldTick(chosen=None, candidates=ended["candidates"], not_runnable=ended["not_runnable"])


def _effect(record: EffectRecord) -> dict[str, Any]:
    effect = record.effect
    return {
        **effect.model_dump(mode="json"),
        "kind": effect.kind,
        "key": record.key,
        "state": record.state,
        "mode": record.mode,
        "subject": record.subject,
        "action": record.action,
        "would": preview_effect(effect),
    }


def _facts(processes: Iterable[ToldProcess]) -> Iterator[str]:
    for process in processes:
        names = (f["type"] if f["name"] == "it" else _bound(f) for f in process["facts"])
        yield _of(process, processes, ", ".join(names))


def _bound(fact: FactData) -> str:
    return f"{fact['name']}: {fact['type']}"


def _plans(processes: Iterable[ToldProcess]) -> Iterator[str]:
    for process in processes:
        for tick in process["ticks"]:
            if tick["chosen"]:
                best, *others = tick["candidates"]
                over = ", ".join(f"{c['action']} {c['net_value']:+.2f}" for c in others[:3])
                yield f"{best['action']} {best['net_value']:+.2f}" + (f" over {over}" * bool(over))


def _actions(processes: Iterable[ToldProcess]) -> Iterator[str]:
    for process in processes:
        for tick in process["ticks"]:
            if tick["chosen"]:
                outcome = str(cast("Any", tick).get("outcome", ""))
                given = [fact["type"] for fact in cast("Any", tick).get("outputs", [])]
                made = f" -> {', '.join(given)}" if given else ""
                yield tick["chosen"] + (made if outcome == "done" else f" ({outcome})")


def _effects(processes: Iterable[ToldProcess]) -> Iterator[str]:
    for process in processes:
        for effect in process["effects"]:
            does = "would" if effect["state"] == "observed" else effect["state"]
            yield f"{does} {effect['would']}"


def _of(process: ToldProcess, processes: Iterable[ToldProcess], said: str) -> str:
    several = len(list(processes)) > 1
    return f"[{process['reaction']}] {said}" if several else said


def _joined(parts: Iterable[str], otherwise: str) -> str:
    return "; ".join(parts) or otherwise
