"""Unknown conditions: assumed in our favour, and looked into only where a plan leans on them.

An unknown condition that could be looked into is taken to have every value at once.  The
cheapest plan under that assumption costs no more than any plan under any truth.  If it needs
none of the unknown values, it is therefore the cheapest under every truth, and nothing has to
be looked into; otherwise the first one that it leans on is, and planning is done again.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from reactor.plan.choice import GoalPlan
from reactor.plan.decision import Outcome
from reactor.plan.goap.policy import Policy
from reactor.plan.goap.task import Task
from reactor.plan.problem import Problem, Truth
from reactor.plan.world import World

_DEEPEST = 3  # hypotheses on top of each other; 3**3 plans are made before we rather look


@dataclass(frozen=True, slots=True)
class Outlook:
    """The cheapest plan if every doubt turns out in our favour."""

    outcome: Outcome
    plan: GoalPlan | None
    bound: int  # the price that no plan undercuts
    doubts: tuple[str, ...]  # conditions to look into, the first one first; empty: it is certain


class Route:
    """The way to one goal in one problem, as more and more comes to be known."""

    def __init__(self, policy: Policy, problem: Problem) -> None:
        self.policy, self.aim = policy, policy.aim
        task = policy.task
        self._certain = task.state(problem.state, problem.ran)
        self._doubtful: list[str] = []
        if problem.resolve is not None:
            self._doubtful = [c for c in task.values if problem.state.get(c) is Truth.UNKNOWN]
        for condition in self._doubtful:
            self._certain &= ~task.literals_of(condition)

    def state(self, found: Mapping[str, Truth]) -> tuple[int, int]:
        """The literals that hold if doubts turn out well, and those among them in doubt."""
        task, certain, doubted = self.policy.task, self._certain, 0
        for condition in self._doubtful:
            if condition in found:
                certain |= task.values[condition].get(found[condition], 0)
            else:
                doubted |= task.literals_of(condition)
        return certain | doubted, doubted

    def outlook(self, found: Mapping[str, Truth]) -> Outlook:
        """The plan, given what was found on looking."""
        state, doubted = self.state(found)
        answer = self.policy.answer(state)
        bound, doubts = answer.solution.bound, tuple[str, ...]()
        if doubted and answer.plan is not None:
            doubts = self._leans_on(answer.solution.steps or (), doubted)
            if doubts and answer.outcome == "limit":  # each plan is dear: find out all at once
                doubts = tuple(c for c in self._doubtful if c not in found)
        return Outlook(answer.outcome, answer.plan, bound, doubts)

    def could_win(self, found: Mapping[str, Truth], rival: GoalPlan, depth: int = _DEEPEST) -> bool:
        """Whether some truth about what is in doubt would make this goal's plan the better one."""
        outlook = self.outlook(found)
        if outlook.plan is None:
            return False
        if not outlook.doubts or not any(step.value for step in self.policy.task.steps):
            return outlook.plan.preference < rival.preference  # it can only get dearer
        if not depth or outlook.outcome == "limit":
            return True
        return any(
            self.could_win({**found, outlook.doubts[0]: truth}, rival, depth - 1) for truth in Truth
        )

    def _leans_on(self, steps: Iterable[int], doubted: int) -> tuple[str, ...]:
        literal = first_leaned_on(self.policy.task, steps, doubted)
        return tuple(c for c in self._doubtful if literal & self.policy.task.literals_of(c))


def first_leaned_on(task: Task, steps: Iterable[int], doubted: int) -> int:
    """The first doubted literal that a plan needs before one of its own steps settles it, or 0."""
    for j in steps:
        if leaned_on := task.pre[j] & doubted:
            return leaned_on & -leaned_on
        doubted &= ~(task.add[j] | task.drop[j])
    leaned_on = task.goal & doubted
    return leaned_on & -leaned_on


def settle(routes: Sequence[Route], world: World) -> list[Outlook]:
    """Look into doubts, one by one, until none of them can change which plan is best."""
    while True:
        found = world.found
        outlooks = [route.outlook(found) for route in routes]
        doubts = _decisive_doubts(routes, outlooks, found)
        if not doubts:
            return outlooks
        for condition in doubts:
            world.look(condition)


def _decisive_doubts(
    routes: Sequence[Route], outlooks: Sequence[Outlook], found: Mapping[str, Truth]
) -> tuple[str, ...]:
    """What to look into next: what the best plan leans on, or what may make another one best."""
    planned = [
        (outlook.plan, outlook, route)
        for outlook, route in zip(outlooks, routes, strict=True)
        if outlook.plan is not None
    ]
    if not planned:
        return ()
    best, outlook, _ = min(planned, key=lambda item: item[0].preference)
    if outlook.doubts:
        return outlook.doubts
    rivals = ((other, route) for _, other, route in planned if other.doubts)
    return next((other.doubts for other, route in rivals if route.could_win(found, best)), ())
