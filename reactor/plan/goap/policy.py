"""The answers for one goal, kept per state.

A state is the literals that the goal can need, so a change that it cannot see changes nothing,
and a state that was met before, in whichever process, is answered by one look-up.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache

from reactor.plan.choice import GoalPlan, plan_for
from reactor.plan.decision import Outcome
from reactor.plan.goap.solver import Solver
from reactor.plan.goap.task import Domain, Task
from reactor.plan.problem import Aim, Step
from reactor.plan.recent import Recent

_STATES = 4_096  # answers kept for a goal; an answer is some hundred bytes
_GOALS = 32  # goals kept compiled for one set of steps
_EXCLUSIONS = 4  # sets of excluded steps for which a goal is kept compiled


@dataclass(frozen=True, slots=True)
class Answer:
    """What to do in one state."""

    outcome: Outcome
    steps: tuple[int, ...]  # of the task; empty also where there is no plan
    plan: GoalPlan | None  # the same with its worth; None: there is none, or none was found
    bound: int  # the price that no plan undercuts

    def is_as_good_as(self, other: "Answer") -> bool:
        """Whether this is proved, and costs no more than what the other one may."""
        return self.outcome == other.outcome != "limit" and self.bound == other.bound


class Policy:
    """Answers states of one task."""

    def __init__(self, aim: Aim, task: Task, node_limit: int | None = None) -> None:
        self.aim, self.task = aim, task
        self._solve = Solver(task, node_limit).solve
        self.answer = lru_cache(maxsize=_STATES)(self._answer)
        """What to do in `state`: the literals of `task` that hold."""

    def _answer(self, state: int) -> Answer:
        solution = self._solve(state)
        if solution.steps is None:
            return Answer(solution.outcome, (), None, solution.bound)
        plan = plan_for(self.aim, tuple(self.task.steps[j] for j in solution.steps))
        return Answer(solution.outcome, solution.steps, plan, solution.bound)


class Policies:
    """The policies for one set of steps, compiled when a goal is first asked for."""

    def __init__(self, steps: Sequence[Step], node_limit: int | None = None) -> None:
        self._domain, self._node_limit = Domain(steps), node_limit
        self._of = Recent(self._compiler, size=_GOALS)

    def of(self, aim: Aim, excluded: frozenset[str]) -> Policy:
        """The policy for a goal, without the steps called `excluded`."""
        return self._of(aim)(excluded)

    def _compiler(self, aim: Aim) -> Callable[[frozenset[str]], Policy]:
        def compiled(excluded: frozenset[str]) -> Policy:
            return Policy(aim, self._domain.compile(aim, excluded), self._node_limit)

        return lru_cache(maxsize=_EXCLUSIONS)(compiled)
