"""What a process did, in order, each step with what lay on its blackboard before it.  Pure."""

from collections.abc import Sequence
from typing import Any, Literal, TypedDict

from reactor.explain import ToldProcess

MOST_FACTS = 40  # that are shown of a blackboard, the newest


class Step(TypedDict):
    """One tick, or one answer."""

    kind: Literal["tick", "answered"]
    told: Any  # `ToldTick` or `AnsweredData`
    board: Sequence[Any]  # `FactData`, newest first: what had been put there before
    more: int  # older facts than those
    fresh: int  # how many of them are the doing of the step before


def timeline(told: ToldProcess) -> list[Step]:
    """Ticks and answers in the order of their numbers, the last look at everything at the end.

    An action may clear the blackboard, which records do not tell: shown is what was ever put there.
    """
    facts, fresh, steps = list(told["facts"]), len(told["facts"]), list[Step]()
    for kind, each in _in_order(told):
        newest = facts[: -MOST_FACTS - 1 : -1]
        more = len(facts) - len(newest)
        steps.append(Step(kind=kind, told=each, board=newest, more=more, fresh=fresh))
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
