"""The planner that textbooks and frameworks have: A* with the count of unmet goal conditions.

An honest one: states are frozen sets, what can run is found by subset tests in C, the queue is a
heap, and a state is expanded once at its lowest cost.  The count is no lower bound where a step
costs less than one, or meets two conditions at once, so its plans need not be the cheapest;
everybody uses it all the same.  What it has not found in time it has not found.
"""

import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from heapq import heappop, heappush
from typing import NamedTuple

from reactor.plan import Problem, Truth

State = frozenset[str]  # the conditions that are true; all others are false


@dataclass(frozen=True, slots=True)
class _Action:
    name: str
    needs: State
    needs_not: State
    gives: State
    takes: State
    cost: float


class Answer(NamedTuple):
    """What came of it."""

    plan: list[str] | None = None
    cost: float = 0.0
    has_given_up: bool = False


def plan(problem: Problem, *, give_up_s: float) -> Answer:
    """The plan that A* finds, after at most so long."""
    actions = [
        _Action(
            step.name,
            _those(step.pre, Truth.TRUE),
            _those(step.pre, Truth.FALSE),
            frozenset(c for c, value in step.effects.items() if value),
            frozenset(c for c, value in step.effects.items() if not value),
            step.cost,
        )
        for step in problem.steps
    ]
    goal = problem.aims[0].pre
    wanted, unwanted = _those(goal, Truth.TRUE), _those(goal, Truth.FALSE)
    start = _those(problem.state, Truth.TRUE)
    costs: dict[State, float] = {start: 0.0}
    came: dict[State, tuple[State, str]] = {}
    queue: list[tuple[float, int, State]] = [(0.0, 0, start)]
    closed: set[State] = set()
    deadline = time.process_time() + give_up_s
    while queue:
        _, _, state = heappop(queue)
        if wanted <= state and not unwanted & state:
            return Answer(list(_way(came, state))[::-1], costs[state])
        if state in closed:
            continue
        if time.process_time() > deadline:
            return Answer(has_given_up=True)
        closed.add(state)
        for action in actions:
            if not action.needs <= state or action.needs_not & state:
                continue
            after, cost = state - action.takes | action.gives, costs[state] + action.cost
            if cost < costs.get(after, float("inf")):
                costs[after], came[after] = cost, (state, action.name)
                unmet = len(wanted - after) + len(unwanted & after)
                heappush(queue, (cost + unmet, len(costs), after))
    return Answer()


def _those(values: Mapping[str, Truth], truth: Truth) -> State:
    return frozenset(condition for condition, value in values.items() if value is truth)


def _way(came: dict[State, tuple[State, str]], state: State) -> Iterator[str]:
    while state in came:
        state, name = came[state]
        yield name
