"""The utility planner: each time the runnable action that is worth most.

It looks one step ahead.  The endless goal takes the best action there is.  A real goal takes
the best of those that reach it in one step; once it holds, whatever is best still goes on.
"""

from collections.abc import Sequence
from functools import partial

from reactor.plan.choice import GoalPlan, choose, decision, in_order, plan_for
from reactor.plan.decision import Decision, Reasons
from reactor.plan.problem import Aim, Problem
from reactor.plan.ranking import Ranking
from reactor.plan.reasons import explain, first_unmet
from reactor.plan.recent import Recent
from reactor.plan.world import World

RANKINGS = 8  # sets of steps kept ranked


class UtilityPlanner:
    """Value minus cost decides; negative included."""

    def __init__(self) -> None:
        self._ranking = Recent(Ranking, size=RANKINGS)

    def decide(self, problem: Problem) -> Decision:
        """The best plan of at most one step."""
        world, ranking = World(problem), self._ranking(problem.steps)
        chosen = look_ahead(world, ranking, problem.aims)
        return decision(chosen, partial(reasons, problem.aims, world, ranking), world.evaluated)


def look_ahead(world: World, ranking: Ranking, aims: Sequence[Aim]) -> GoalPlan | None:
    """Over several goals, the plan of at most one step that nets most."""
    plans = (plan_to(aim, world, ranking) for aim in in_order(aims))
    return choose(plan for plan in plans if plan is not None)


def plan_to(aim: Aim, world: World, ranking: Ranking) -> GoalPlan | None:
    """The plan of at most one step to one goal."""
    if aim.nirvana:
        best = ranking.best(world)
        return plan_for(aim, (best,)) if best else None
    if world.holds(aim.pre):
        best = ranking.best(world)
        return plan_for(aim, (best,) if best else ())
    best = ranking.best_reaching(aim, world)
    return plan_for(aim, (best,)) if best else None


def reasons(aims: Sequence[Aim], world: World, ranking: Ranking) -> Reasons:
    """Why this and not that, for a planner that looks one step ahead."""
    missed = [aim for aim in aims if not aim.nirvana and plan_to(aim, world, ranking) is None]
    return explain(world, ranking, first_unmet(missed, world))
