"""Unknown conditions: assumed in our favour, and looked into only where the answer hangs on them.

An unknown condition that could be looked into is taken to have every value at once.  The
cheapest plan under that assumption costs no more than any plan under any truth.  If it needs
none of the unknown values, or a plan of the same price does not, that one is therefore the
cheapest under every truth, and nothing has to be looked into; otherwise the first condition
that it leans on is, and planning is done again.  Planning costs microseconds; looking may cost
a call to a model.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from reactor.plan.choice import GoalPlan
from reactor.plan.decision import Outcome
from reactor.plan.goap.policy import Answer, Policy
from reactor.plan.goap.task import Task, bits
from reactor.plan.problem import Problem, Truth
from reactor.plan.world import World

_DEEPEST = 3  # hypotheses on top of each other; 3**3 plans are made before we rather look


@dataclass(frozen=True, slots=True)
class Outlook:
    """The cheapest plan if every doubt turns out in our favour."""

    answer: Answer
    doubts: tuple[str, ...] = ()  # conditions to look into, the first one first; none: certain

    @property
    def plan(self) -> GoalPlan | None:
        """The plan, if there is any."""
        return self.answer.plan

    @property
    def outcome(self) -> Outcome:
        """What is known of the plan, provided that all doubts turn out well."""
        return self.answer.outcome


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

    def outlook(self, found: Mapping[str, Truth], *, is_idea: bool = False) -> Outlook:
        """The plan, given what was found on looking; `is_idea`: what if that had been found."""
        state, doubted = self.state(found)
        answer = self.policy.answer(state)
        if not doubted or answer.plan is None:
            return Outlook(answer)
        literals = leaned_on(self.policy.task, answer.steps, doubted)
        if not literals:
            return Outlook(answer)
        if answer.outcome == "limit":  # each search is dear: find out everything at once
            return Outlook(answer, tuple(c for c in self._doubtful if c not in found))
        without = self.policy.answer(state & ~doubted)
        if without.is_as_good_as(answer):
            return Outlook(without)
        conditions = [self.policy.task.condition(literal) for literal in literals]
        torn = next((c for c in conditions if conditions.count(c) > 1), None)
        if torn is not None and not is_idea and self._is_idle(torn, found, without):
            return Outlook(without)
        return Outlook(answer, (torn or conditions[0],))

    def _is_idle(self, condition: str, found: Mapping[str, Truth], without: Answer) -> bool:
        """Whether a plan that leans on no doubt is the best one, whatever the condition is.

        Asked where the cheapest plan needs a condition to be two things at once.
        """
        ideas = (self.outlook({**found, condition: truth}, is_idea=True) for truth in Truth)
        return all(without.is_as_good_as(idea.answer) for idea in ideas)

    def could_win(self, found: Mapping[str, Truth], rival: GoalPlan, depth: int = _DEEPEST) -> bool:
        """Whether some truth about what is in doubt would make this goal's plan the better one."""
        outlook = self.outlook(found)
        if outlook.plan is None:
            return False
        if not outlook.doubts or not any(step.value for step in self.policy.task.steps):
            return outlook.plan.preference < rival.preference  # it can only get dearer
        if not depth or outlook.outcome == "limit":
            return True
        doubt = outlook.doubts[0]
        return any(self.could_win({**found, doubt: truth}, rival, depth - 1) for truth in Truth)


def leaned_on(task: Task, steps: Iterable[int], doubted: int) -> list[int]:
    """The doubted literals that a plan needs before one of its own steps settles them, in order."""
    literals: list[int] = []
    for j in steps:
        literals += bits(task.pre[j] & doubted)
        doubted &= ~(task.pre[j] | task.add[j])  # what it drops nothing can need any more
    return [*literals, *bits(task.goal & doubted)]


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
