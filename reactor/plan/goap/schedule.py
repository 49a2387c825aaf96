"""An order in which a set of steps runs for real, with everything that they undo."""

from collections.abc import Sequence
from typing import NamedTuple

from reactor.plan.goap.price import NO_PRICE
from reactor.plan.goap.task import Task


class Plan(NamedTuple):
    """Steps that run in this order and reach the goal, and their price."""

    price: int
    steps: list[int] | None  # None: no plan is known; its price is above every other


NO_PLAN = Plan(NO_PRICE, None)


def schedule(task: Task, state: int, steps: Sequence[int]) -> Plan:
    """The steps, each used at most once, in an order that runs; `NO_PLAN` if none is found.

    As near to the given order as can be, but a step waits while it would give nothing new, and
    one that undoes what the goal or another step still wants is put off as long as anything else
    can run.  Greedy, so it may miss an order that exists.
    """
    left, ordered = list(steps), list[int]()
    while left:
        put_off: list[int] = []
        for k, j in enumerate(left):
            undone = task.drop[j] & state
            if not _has_use(task, state, j) or (
                undone and _wants(task, [*put_off, *left[k + 1 :]], undone)
            ):
                put_off.append(j)
            else:
                ordered.append(j)
                state = task.after(state, j)
        if len(put_off) == len(left):
            forced = next((j for j in left if _has_use(task, state, j)), None)
            if forced is None:
                break
            ordered.append(forced)
            state = task.after(state, forced)
            put_off.remove(forced)
        left = put_off
    if task.goal & ~state:
        return NO_PLAN
    return Plan(sum([task.price[j] for j in ordered]), ordered)


def _has_use(task: Task, state: int, j: int) -> bool:
    """Whether the step can run and would give something new."""
    return bool(task.add[j] & ~state) and not task.pre[j] & ~state


def _wants(task: Task, steps: Sequence[int], literals: int) -> bool:
    """Whether the goal or one of the steps wants one of the literals."""
    return bool(literals & task.goal) or any(literals & task.pre[k] for k in steps)


def without_detours(task: Task, state: int, steps: Sequence[int]) -> list[int]:
    """The plan less every step, and run of steps, that it also reaches the goal without."""
    kept, length = list(steps), len(steps)
    while length:
        for start in range(len(kept) - length, -1, -1):
            shorter = kept[:start] + kept[start + length :]
            if _runs(task, state, shorter):
                kept = shorter
        length -= 1
    return kept


def _runs(task: Task, state: int, steps: Sequence[int]) -> bool:
    for j in steps:
        if task.pre[j] & ~state:
            return False
        state = task.after(state, j)
    return not task.goal & ~state
