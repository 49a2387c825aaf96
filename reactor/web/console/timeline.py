"""What a process did, in order, each step with what lay on its blackboard before it.  Pure."""

from collections.abc import Sequence
from typing import Any, Literal, TypedDict

from reactor.explain import ToldProcess

MOST_STEPS = 25  # on one page
MOST_FACTS = 40  # that are shown of a blackboard, the newest


class Step(TypedDict):
    """One tick, or one answer."""

    kind: Literal["tick", "answered"]
    told: Any  # `ToldTick` or `AnsweredData`
    board: Sequence[Any]  # `FactData`, newest first: what had been put there before
    more: int  # older facts than those
    fresh: int  # how many of them are the doing of the step before
    number: int  # 1, 2, 3, ...: of ticks and of answers, each by themselves
    blocked: Sequence[Any]  # `NotRunnableData` of the tick, but for those
    as_before: Sequence[str]  # actions that the same kept as at the tick before


class Timeline(TypedDict):
    """Some steps, one after the other."""

    steps: list[Step]
    earlier: int  # steps before them
    later: int  # steps after them


def timeline(told: ToldProcess, until: str = "") -> Timeline:
    """Ticks and answers in the order of their numbers, the last look at everything at the end.

    Of many, those up to the step number `until`, the last ones if that is no number.  An action
    may clear the blackboard, which records do not tell: shown is what was ever put there.
    """
    steps = _steps(told)
    end = min(int(until), len(steps)) if until.isdecimal() and len(until) < 10 else len(steps)
    begin = max(0, end - MOST_STEPS)
    shown = steps[begin:end]
    _leave_out_what_was_told(shown)
    return Timeline(steps=shown, earlier=begin, later=len(steps) - end)


def _leave_out_what_was_told(steps: Sequence[Step]) -> None:
    """What kept an action is told once, where it goes on; all of it at the first and last step."""
    told: dict[str, Any] = {}
    for step in steps:
        if step["kind"] != "tick":
            continue
        now = {each["action"]: each["unmet"] for each in step["blocked"]}
        if step is not steps[-1]:
            same = [action for action, unmet in now.items() if told.get(action) == unmet]
            step["as_before"] = same
            step["blocked"] = [each for each in step["blocked"] if each["action"] not in set(same)]
        told = now


def _steps(told: ToldProcess) -> list[Step]:
    facts, fresh, steps = list(told["facts"]), len(told["facts"]), list[Step]()
    numbers = {"tick": 0, "answered": 0}
    for kind, each in _in_order(told):
        numbers[kind] += 1
        newest = facts[: -MOST_FACTS - 1 : -1]
        more = len(facts) - len(newest)
        steps.append(
            Step(
                kind=kind,
                told=each,
                board=newest,
                more=more,
                fresh=fresh,
                number=numbers[kind],
                blocked=each.get("not_runnable", []),
                as_before=[],
            )
        )
        added = each.get("outputs", [])
        facts, fresh = facts + added, len(added)
    return steps


def _in_order(told: ToldProcess) -> list[tuple[Literal["tick", "answered"], Any]]:
    ticks: list[Any] = [tick for tick in told["ticks"] if tick["chosen"]]
    steps: list[tuple[int, Literal["tick", "answered"], Any]] = [
        *((tick.get("tick", place), "tick", tick) for place, tick in enumerate(ticks, start=1)),
        *((answer["tick"], "answered", answer) for answer in told["answers"]),
    ]
    steps.sort(key=lambda step: step[0])
    last = [tick for tick in told["ticks"] if not tick["chosen"]]
    return [(kind, each) for _, kind, each in steps] + [("tick", each) for each in last]
