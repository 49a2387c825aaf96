"""Everything that happened to one subject, in order of time: the nouns of the path as moments.

Takes what is known of its deliveries, processes, dead letters and timers; gives one JSON-ready
document.  What is to come (a timer) is a moment as well, and the last one.  Pure.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Literal, TypedDict, cast

from reactor.dead import Entry
from reactor.errors import ReactorError
from reactor.explain import ToldFate, ToldProcess, ToldTick
from reactor.journal import AnsweredData, EffectData, EndedData, JournalRecord, TickData
from reactor.records import DeliveryMark
from reactor.sentences import (
    answer_sentence,
    effect_sentence,
    known_facts,
    over_others,
    what_came_of,
)
from reactor.timer import Timer
from reactor.weighing import in_full

What = Literal[
    "delivery", "began", "tick", "effect", "asked", "answered", "rescued", "ended", "dead", "timer"
]


class ToldMoment(TypedDict):
    """One thing that happened, or will."""

    at: str  # ISO 8601, UTC
    what: What
    says: str  # for people; what strangers wrote may stand in it
    delivery: str  # its id, "" where there is none
    process: str  # the same
    reaction: str  # the same
    subject: str  # "octo/hello#7", as it was called then
    details: Mapping[
        str, Any
    ]  # what the kind has: of a tick its action, of an effect its state, ...


class ToldSubject(TypedDict):
    """All that is known of what was asked for."""

    asked: str
    keys: list[str]  # "github.com/1296269#7"
    names: list[str]  # "octo/hello#7"; several where it was renamed, the newest first
    moments: list[ToldMoment]  # oldest first
    left_out: int  # older ones, at least
    unread: list[str]  # what could not be asked, and why


class UnknownSubject(ReactorError):
    """Nothing is known of a subject."""

    def __init__(self, subject: str, near: tuple[str, ...] = (), unread: tuple[str, ...] = ()):
        super().__init__(subject, near, unread)
        self.subject, self.near, self.unread = subject, near, unread

    def __str__(self) -> str:
        near = f"; did you mean one of: {', '.join(self.near)}" if self.near else ""
        unread = f"; not asked: {'; '.join(self.unread)}" if self.unread else ""
        return (
            f"nothing is known here of {self.subject!r}{near}; name it as octo/hello#7,"
            f" octo/hello or github.com/1296269#7{unread}"
        )


def of_delivery(mark: DeliveryMark, processes: Sequence[str]) -> ToldMoment:
    """It came; `processes`: that it started."""
    key_host, _, name = mark.key.rpartition("/")
    caused = f", caused by {mark.causation[-1]}" if mark.causation else ""
    source = f" ({mark.source})" if mark.source != "webhook" else ""
    nothing = "" if processes else "; it started nothing"
    return ToldMoment(
        at=mark.received_at.isoformat(),
        what="delivery",
        says=f"{mark.event} {name}{source}{caused}{nothing}",
        delivery=name,
        process="",
        reaction="",
        subject=mark.subject_name,
        details={"host": key_host, "event": mark.event, "processes": list(processes)},
    )


def of_process(told: ToldProcess, records: Iterable[JournalRecord]) -> Iterator[ToldMoment]:
    """What it decided and what came of it; `records`: its own, in order."""
    effects = {each["key"]: each for each in told["effects"]}
    questions = {each["action"]: repr(each["title"]) for each in told["answers"]}
    questions |= {
        form["action"]: f"{form['title']!r}: `reactor answer {form['id']}`"
        for form in told["forms"]
    }
    for record in in_full(records):
        yield from _of_record(told, record, effects, questions)
    for effect in told["effects"]:
        if (fate := effect.get("fate")) and fate["process"] == told["id"]:
            said = f"{effect_sentence(effect)}  ({effect['action']})"
            details = {"effect": effect["kind"], "key": effect["key"], "state": effect["state"]}
            yield _moment(told, fate["changed_at"], "effect", said, details)


def _of_record(
    told: ToldProcess,
    record: JournalRecord,
    effects: Mapping[str, Mapping[str, Any]],
    questions: Mapping[str, str],
) -> Iterator[ToldMoment]:
    at, data = record.at.isoformat(), cast("Any", record.data)
    match record.kind:
        case "seeded":
            attempt = f", attempt {told['attempt']}" if told["attempt"] > 1 else ""
            said = f"{told['id']} began{attempt}, knowing {known_facts(told) or 'nothing'}"
            yield _moment(told, at, "began", said, {"planner": told["planner"]})
        case "tick":
            yield from _of_tick(told, at, data, effects)
            if data["outcome"] == "waiting":
                said = f"{data['chosen']} asks a person {questions.get(data['chosen'], '')}".strip()
                yield _moment(told, at, "asked", said, {"action": data["chosen"]})
        case "answered":
            answered = cast("AnsweredData", data)
            details = {"action": answered["action"], "by": answered["by"]}
            yield _moment(told, at, "answered", answer_sentence(answered), details)
        case "rescued":
            yield _moment(told, at, "rescued", "nothing was left to do, and it was rescued", {})
        case "ended":
            ended = cast("EndedData", data)
            why = ended["failure"] or ended["reason"]
            said = f"{ended['status']}{f': {why}' if why else ''}"
            yield _moment(told, at, "ended", said, {"status": ended["status"]})


def _of_tick(
    told: ToldProcess, at: str, data: TickData, effects: Mapping[str, Mapping[str, Any]]
) -> Iterator[ToldMoment]:
    name, tick = data["chosen"], cast("ToldTick", data)
    net = {each["action"]: each["net_value"] for each in data["candidates"]}.get(name)
    worth = "" if net is None else f" {net:+.2f}"
    over = f", {said}" if (said := over_others(tick)) else ""
    said = f"{data['tick']} {name}{worth}  {what_came_of(tick)}{over}"
    yield _moment(told, at, "tick", said, {"action": name, "outcome": data["outcome"]})
    for effect in data["effects"]:
        known = effects.get(effect["key"])
        fate = known.get("fate") if known else None
        if fate is None or fate["process"] != told["id"]:  # else it is told when it was decided
            yield _moment(
                told,
                at,
                "effect",
                _wanted(effect, name) if fate is None else _wanted_before(effect, name, fate),
                {"effect": effect["kind"], "key": effect["key"], "state": effect["state"]},
            )


def _wanted(effect: EffectData, action: str) -> str:
    does = {"observed": "would", "intended": "wants to"}.get(effect["state"], effect["state"])
    reason = f" ({effect['reason']})" if effect.get("reason") else ""
    again = ", as before" if effect["repeated"] else ""
    return f"{does} {effect['preview']}{reason}{again}  ({action})"


def _wanted_before(effect: EffectData, action: str, fate: ToldFate) -> str:
    """Another process asked for the same: what became of that is told where it is told of."""
    return f"not again: {effect['preview']}, which {fate['process']} wanted before  ({action})"


def of_letter(entry: Entry) -> Iterator[ToldMoment]:
    """It was given up, and what somebody did about that."""
    letter = entry.letter
    told = ToldMoment(
        at=entry.at.isoformat(),
        what="dead",
        says=f"given up ({letter.reason}): {letter.detail}; `reactor dead show {entry.id}`",
        delivery=entry.delivery.rpartition("/")[2],
        process=letter.about.get("process", ""),
        reaction=letter.about.get("reaction", ""),
        subject=entry.subject,
        details={"letter": entry.id, "reason": letter.reason, "attempt": entry.attempt},
    )
    yield told
    if handled := entry.handling:
        by = f" by {handled.by}" if handled.by else ""
        said = f"dead letter {entry.id} was {handled.what}{by}"
        yield {**told, "at": handled.at.isoformat(), "says": said}


def of_timer(timer: Timer, told: ToldProcess | None) -> ToldMoment:
    """It will be due; `told`: the process that it belongs to, if any."""
    about = f" {told['id']}" if told else ""
    return ToldMoment(
        at=timer.due_at.isoformat(),
        what="timer",
        says=f"due: {timer.name}{about}",
        delivery=told["delivery"] if told else "",
        process=told["id"] if told else "",
        reaction=told["reaction"] if told else "",
        subject=told["subject"] if told else timer.subject.name,
        details={"timer": timer.id, "repeats": timer.repeats is not None},
    )


def _moment(
    told: ToldProcess, at: str, what: What, says: str, details: Mapping[str, Any]
) -> ToldMoment:
    return ToldMoment(
        at=at,
        what=what,
        says=says,
        delivery=told["delivery"],
        process=told["id"],
        reaction=told["reaction"],
        subject=told["subject"],
        details=details,
    )


def chronicle_lines(told: ToldSubject) -> list[str]:
    """The same in words, a line for each moment; times are UTC, to the second."""
    first, *others = told["names"] or [told["asked"]]
    earlier = f"; earlier {', '.join(others)}" if others and len(told["keys"]) == 1 else ""
    lines = [f"{first}  ({', '.join(told['keys'][:3]) or 'no key known'}{earlier})"]
    if told["left_out"]:
        lines.append(f"... {told['left_out']} earlier moments or more: --limit")
    several = len(told["keys"]) > 1
    for each in told["moments"]:
        when = each["at"][:19].replace("T", " ")
        where = f"{each['subject']}  " if several else ""
        whose = f"[{each['reaction']}] " if each["reaction"] else ""
        lines.append(f"{when}  {each['what']:<8}  {where}{whose}{each['says']}")
    return [*lines, *(f"not asked: {each}" for each in told["unread"])]
