"""Choosing among several goals: the plan of the highest net value."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from reactor.plan.decision import Decision, Reasons
from reactor.plan.problem import Aim, Step
from reactor.plan.worth import amount, exact, net, worth


@dataclass(frozen=True, slots=True)
class GoalPlan:
    """A plan to one goal."""

    aim: Aim
    steps: tuple[Step, ...]  # empty: the goal holds
    cost: int  # the sum of the costs, in billionths
    net: int  # value of the goal and of the steps, less their costs, in billionths

    @property
    def preference(self) -> tuple[int, bool, str]:
        """Smaller is better: net value, then a real goal before the endless one, then the name."""
        return -self.net, self.aim.nirvana, self.aim.name


def plan_for(aim: Aim, steps: tuple[Step, ...]) -> GoalPlan:
    """The plan of these steps, with its worth."""
    cost = sum([exact(step.cost) for step in steps])
    return GoalPlan(aim, steps, cost, worth(aim) + sum(map(net, steps)))


def choose(plans: Iterable[GoalPlan]) -> GoalPlan | None:
    """The plan that nets most, if there is any."""
    return min(plans, key=lambda plan: plan.preference, default=None)


def in_order(aims: Sequence[Aim]) -> list[Aim]:
    """Real goals by name, then endless ones: the order in which questions are asked."""
    return sorted(aims, key=lambda aim: (aim.nirvana, aim.name))


def decision(
    chosen: GoalPlan | None, explain: Callable[[], Reasons], evaluated: tuple[str, ...] = ()
) -> Decision:
    """The answer that carries out the plan, or that there is none."""
    if chosen is None:
        return Decision("unreachable", None, None, evaluated=evaluated, explain=explain)
    return Decision(
        "optimal" if chosen.steps else "satisfied",
        chosen.aim.name,
        tuple([step.name for step in chosen.steps]),
        cost=amount(chosen.cost),
        net_value=amount(chosen.net),
        evaluated=evaluated,
        explain=explain,
    )
