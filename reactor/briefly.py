"""An explanation in one screen: what ran and why that, what it changed, and why the rest did not run.

Takes the documents of `explain`; gives lines of text, which whoever shows them cuts to its width.
What stands in each planning again is told once (`reactor.shortfall`); `reactor explain --all` has
all of it.  Pure.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, cast

from reactor.blackboard import snake_case
from reactor.explain import ToldDelivery, ToldProcess, ToldTick
from reactor.rounds import PICK
from reactor.sentences import (
    answer_sentence,
    effect_sentence,
    known_facts,
    over_others,
    spent_sentence,
    topic_sentence,
    what_came_of,
)
from reactor.shortfall import Stood, spans, standings
from reactor.why_not import missing, wishes

_NONE: Mapping[str, str] = MappingProxyType({})
_MOST_REACTIONS = 20
MORE = "more: --why-not ACTION (one action, each tick), --all (every tick), --json (for programs)"


@dataclass(frozen=True, slots=True)
class _Room:
    """How many lines each part of a process may have."""

    steps: int
    changes: int
    near: int
    wants: int

    @classmethod
    def among(cls, processes: int) -> "_Room":
        """The same screen for all of them, but a few lines for each."""
        return cls(
            steps=max(4, 12 // processes),
            changes=max(3, 6 // processes),
            near=max(2, 4 // processes),
            wants=max(2, 7 // processes),
        )


def brief(told: ToldDelivery, unstarted: Mapping[str, str] = _NONE) -> list[str]:
    """All that a person wants to know at first; the headings are not indented.

    `unstarted`: by reaction, why it began nothing; told where none did.
    """
    lines = [
        f"delivery    {told['delivery']}  {told['event']}  {told['subject']}",
        f"topic       {topic_sentence(told['topic'])}",
    ]
    if not told["processes"]:
        why = [f"{name}: {said}" for name, said in unstarted.items()]
        lines.append(f"no process  {told['ignored'] or 'nothing has come of it so far'}")
        return [*lines, *_part("reactions that did not want it", _cut(why, _MOST_REACTIONS))]
    room = _Room.among(len(told["processes"]))
    for process in told["processes"]:
        lines += ["", *_process(process, room)]
    return [*lines, MORE]


def _process(told: ToldProcess, room: _Room) -> Iterator[str]:
    attempt = f", attempt {told['attempt']}" if told["attempt"] > 1 else ""
    why = told["failure"] or told["reason"]
    yield f"{told['reaction']}{attempt}  {told['id']}  {told['status']}{f': {why}' if why else ''}"
    yield f"knew        {known_facts(told) or 'nothing'}"
    if spent := spent_sentence(told):
        yield f"spent       {spent}"
    yield from _part("ran", _steps(told["ticks"], room.steps))
    yield from _part("asked", _asked(told))
    changes = [f"{effect_sentence(each)}  ({each['action']})" for each in told["effects"]]
    yield from _part("changes", _cut(changes, room.changes))
    idle = [each for each in standings(told) if not each.ran and each.action != PICK]
    able = [f"{each.action}: {_passed_over(each)}" for each in idle if each.could]
    yield from _part("could have run", _cut(able, room.near))
    near = sorted((each for each in idle if each.is_near), key=_nearness)[: room.near]
    near_lines = [f"{each.action}: {wishes(each)}" for each in near]
    near_lines += _spoken_of(told, near)[: room.near]
    yield from _part("would have run, if", near_lines)
    yield from _part("nothing to work on", _cut(_wants(idle), room.wants))
    if told["left_out"]:
        yield from _part("not for this event", [", ".join(told["left_out"])])


def _part(title: str, lines: Sequence[str]) -> Iterator[str]:
    if lines:
        yield title
        yield from (f"  {line}" for line in lines)


def _cut(lines: list[str], most: int) -> list[str]:
    if len(lines) <= most:
        return lines
    return [*lines[: most - 1], f"... {len(lines) - most + 1} more"]


def _steps(ticks: Sequence[ToldTick], most: int) -> list[str]:
    """One line for each tick that ran something: the last ones as well, where there are many."""
    ran = [(number, tick) for number, tick in enumerate(ticks, start=1) if tick["chosen"]]
    if not ran:
        return ["nothing"]
    width = max(len(str(tick["chosen"])) for _, tick in ran)
    lines = [_step(number, tick, width) for number, tick in ran]
    if len(lines) <= most:
        return lines
    last = most // 3
    first = most - last - 1
    return [*lines[:first], f"... {len(lines) - first - last} more ticks", *lines[-last:]]


def _step(number: int, tick: ToldTick, width: int) -> str:
    worth = {each["action"]: each["net_value"] for each in tick["candidates"]}
    name = str(tick["chosen"])
    net = f"{worth[name]:+.2f}" if name in worth else " " * 5
    asked = f" (asked {', '.join(tick['models'])})" if tick.get("models") else ""
    over = over_others(tick)
    return (
        f"{number:>2} {name:<{width}} {net}  {what_came_of(tick)}{asked}{f', {over}' * bool(over)}"
    )


def _asked(told: ToldProcess) -> list[str]:
    answers = [answer_sentence(each) for each in told["answers"]]
    waits = [
        f"waits for an answer to {each['title']!r}: `reactor answer {each['id']}`"
        for each in told["forms"]
    ]
    return [*answers, *waits]


def _passed_over(each: Stood) -> str:
    notes = [
        f"others went first in {spans(each.outdone)}" if each.outdone else "",
        f"nothing was chosen in {spans(each.unchosen)}" if each.unchosen else "",
    ]
    return ", ".join(note for note in notes if note)


def _nearness(each: Stood) -> tuple[tuple[int, int], str]:
    assert each.lack is not None, "what is near lacks something"
    return each.lack.size, each.action


def _spoken_of(told: ToldProcess, near: Sequence[Stood]) -> list[str]:
    """What actions have put on the blackboard that the conditions speak of: how near it was."""
    words = {
        word
        for each in near
        if each.lack is not None
        for unmet in each.lack.conditions
        for word in re.findall(r"\w+", unmet["condition"])
    }
    facts = dict[str, str]()  # the newest of each name counts
    for tick in told["ticks"]:
        for fact in cast("Any", tick).get("outputs", []):
            name = snake_case(fact["type"]) if fact["name"] == "it" else fact["name"]
            facts[name] = fact["preview"]
    return [f"{name} is {said}" for name, said in facts.items() if name in words]


def _wants(idle: Sequence[Stood]) -> list[str]:
    """By what was not there: the actions that are for it."""
    waiting = dict[tuple[str, ...], list[str]]()
    for each in idle:
        if each.lack is not None and each.lack.facts:
            waiting.setdefault(each.lack.facts, []).append(each.action)
    groups = sorted(waiting.items(), key=lambda group: (len(group[0]), group[0]))
    return [f"{missing(facts)}: {', '.join(actions)}" for facts, actions in groups]
