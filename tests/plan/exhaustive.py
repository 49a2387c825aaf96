"""Uniform-cost search: slow, simple, and right.  What planners are measured against.

It shares nothing with them but the shapes: states are tuples of truths, prices are tuples.
"""

from collections.abc import Mapping, Sequence
from heapq import heappop, heappush
from typing import NamedTuple

from reactor.plan import Problem, Step, Truth


class Price(NamedTuple):
    """Smaller is better: cost in billionths, steps, and preconditions, more of which are better."""

    cost: int
    steps: int
    minus_preconditions: int


class World(NamedTuple):
    """A state, hashable."""

    truths: frozenset[tuple[str, Truth]]
    ran: frozenset[str]


def price_of(steps: Sequence[Step]) -> Price:
    cost = sum(round(step.cost * 10**9) for step in steps)
    return Price(cost, len(steps), -sum(len(step.pre) for step in steps))


def start_of(problem: Problem) -> World:
    return World(frozenset(problem.state.items()), problem.ran)


def holds(world: World, wanted: Mapping[str, Truth]) -> bool:
    return world.truths >= wanted.items()


def can_run(world: World, step: Step) -> bool:
    return holds(world, step.pre) and (step.can_rerun or step.name not in world.ran)


def after(world: World, step: Step) -> World:
    truths = dict(world.truths) | {c: Truth.of(value) for c, value in step.effects.items()}
    ran = world.ran if step.can_rerun else world.ran | {step.name}
    return World(frozenset(truths.items()), ran)


def reaches(problem: Problem, plan: Sequence[str], goal: Mapping[str, Truth]) -> bool:
    """Whether the plan runs from the start, step by step, and the goal holds in the end."""
    named = {step.name: step for step in problem.steps if step.name not in problem.excluded}
    world = start_of(problem)
    for name in plan:
        if name not in named or not can_run(world, named[name]):
            return False
        world = after(world, named[name])
    return holds(world, goal)


def cheapest(problem: Problem, goal: Mapping[str, Truth]) -> Price | None:
    """The least price of reaching the goal; None: it can't be reached.  Looks into nothing."""
    steps = [step for step in problem.steps if step.name not in problem.excluded]
    start = start_of(problem)
    best = {start: Price(0, 0, 0)}
    queue = [(best[start], 0, start)]
    while queue:
        price, _, world = heappop(queue)
        if holds(world, goal):
            return price
        if price > best[world]:
            continue
        for step in steps:
            if not can_run(world, step):
                continue
            reached = after(world, step)
            total = Price(*map(sum, zip(price, price_of([step]), strict=True)))
            if reached not in best or total < best[reached]:
                best[reached] = total
                heappush(queue, (total, len(best), reached))
    return None
