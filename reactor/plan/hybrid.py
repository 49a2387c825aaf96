"""The hybrid planner: as utility, but a goal that holds ends the run, whatever else could run."""

from functools import partial

from reactor.plan.choice import choose, decision, in_order, plan_for
from reactor.plan.decision import Decision
from reactor.plan.problem import Problem
from reactor.plan.ranking import Ranking
from reactor.plan.recent import Recent
from reactor.plan.utility import RANKINGS, look_ahead, reasons
from reactor.plan.world import World


class HybridPlanner:
    """Completion first, then value minus cost."""

    def __init__(self) -> None:
        self._ranking = Recent(Ranking, size=RANKINGS)

    def decide(self, problem: Problem) -> Decision:
        """The empty plan if a real goal holds, else what utility would do."""
        world, ranking = World(problem), self._ranking(problem.steps)
        held = [
            plan_for(aim, ())
            for aim in in_order(problem.aims)
            if not aim.nirvana and world.holds(aim.pre)
        ]
        chosen = choose(held) or look_ahead(world, ranking, problem.aims)
        return decision(chosen, partial(reasons, problem.aims, world, ranking), world.evaluated)
