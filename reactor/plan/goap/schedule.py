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
    """The steps, each used once, in an order that runs; `NO_PLAN` if none is found.

    As near to the given order as can be: a step goes first that undoes nothing which the goal or
    another one still wants.  Greedy, so it may miss an order that exists.
    """
    left, ordered = list(steps), list[int]()
    while left:
        ready = [j for j in left if not task.pre[j] & ~state]
        if not ready:
            return NO_PLAN
        j = next((j for j in ready if not _spoils(task, state, j, left)), ready[0])
        ordered.append(j)
        left.remove(j)
        state = task.after(state, j)
    if task.goal & ~state:
        return NO_PLAN
    return Plan(sum([task.price[j] for j in ordered]), ordered)


def _spoils(task: Task, state: int, j: int, left: Sequence[int]) -> bool:
    """Whether the step would undo what the goal or another step still wants."""
    undone = task.drop[j] & state
    return bool(undone) and bool(
        undone & task.goal or any(undone & task.pre[k] for k in left if k != j)
    )


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
