"""Some plan, quickly, where the search for the best one was cut short without any.

Greedy best-first search: always on from the state that looks nearest by the additive estimate,
whatever it took to get there.
"""

from heapq import heappop, heappush

from reactor.plan.goap.estimate import estimate
from reactor.plan.goap.price import NO_PRICE
from reactor.plan.goap.schedule import NO_PLAN, Plan
from reactor.plan.goap.task import Task, bits


def some_plan(task: Task, start: int, state_limit: int) -> Plan:
    """A plan from `start` by looking at no more than so many states, or `NO_PLAN`."""
    came: dict[int, tuple[int, int] | None] = {start: None}  # the state and step before it
    queue = [(_distance(task, start), 0, start)]
    while queue:
        _, _, state = heappop(queue)
        if not task.goal & ~state:
            return _way(task, came, state)
        for j, pre in enumerate(task.pre):
            after = task.after(state, j)
            if pre & ~state or after in came:
                continue
            if len(came) >= state_limit:
                return NO_PLAN
            came[after] = state, j
            distance = _distance(task, after)
            if distance < NO_PRICE:
                heappush(queue, (distance, len(came), after))
    return NO_PLAN


def _distance(task: Task, state: int) -> int:
    reach = estimate(task, state).of_literal
    return sum([reach.get(literal, NO_PRICE) for literal in bits(task.goal)])


def _way(task: Task, came: dict[int, tuple[int, int] | None], state: int) -> Plan:
    steps: list[int] = []
    while before := came[state]:
        state, j = before
        steps.append(j)
    return Plan(sum([task.price[j] for j in steps]), steps[::-1])
