"""The answer to one state of a task: a plan and its proof, or why there is none.

A pure function of task and state.  Nothing is carried over from what was solved before, so a
cache in front of it, warm or cold, can't change a decision.
"""

from dataclasses import dataclass

from reactor.plan.decision import Outcome
from reactor.plan.goap.footing import Approach
from reactor.plan.goap.greedy import some_plan
from reactor.plan.goap.price import NO_PRICE
from reactor.plan.goap.schedule import without_detours
from reactor.plan.goap.search import Search
from reactor.plan.goap.task import Task

# A search may expand so many nodes times steps, at least _FEWEST_NODES: about two seconds.  It
# counts work and not time, so that the same problem has the same answer on every machine.
_WORK = 500_000
_FEWEST_NODES, _MOST_NODES = 500, 10_000
_GREEDY_STATES = 1_000  # each takes longer than a node of the search


@dataclass(frozen=True, slots=True)
class Solution:
    """What is known of a state."""

    outcome: Outcome
    steps: tuple[int, ...] | None  # the best plan known; None: there is none, or none was found
    bound: int = 0  # the price that no plan undercuts
    expanded: int = 0  # nodes of the search; 0: the bound was enough


class Solver:
    """Solves one task from any state."""

    def __init__(self, task: Task, node_limit: int | None = None) -> None:
        self._task = task
        self._approach = Approach(task)
        if node_limit is None:
            work = _WORK // max(1, len(task.steps))
            node_limit = min(max(work, _FEWEST_NODES), _MOST_NODES)
        self._node_limit = node_limit

    def solve(self, state: int) -> Solution:
        """The cheapest plan from `state`."""
        task = self._task
        if not task.goal & ~state:
            return Solution("satisfied", ())
        footing = self._approach.footing(state)
        if footing is None:
            return Solution("unreachable", None)
        if footing.is_proved:
            return Solution("optimal", tuple(footing.plan.steps or ()), footing.bound)
        search = Search(task, state, footing)
        plan, bound = search.run(self._node_limit)
        if plan.price <= bound < NO_PRICE:
            return Solution("optimal", tuple(plan.steps or ()), bound, search.expanded)
        if bound >= NO_PRICE:
            return Solution("unreachable", None, expanded=search.expanded)
        if plan.steps is None:
            plan = some_plan(task, state, _GREEDY_STATES)
        if plan.steps is None:
            return Solution("limit", None, bound, search.expanded)
        steps = without_detours(task, state, plan.steps)
        return Solution("limit", tuple(steps), bound, search.expanded)
