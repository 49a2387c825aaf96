"""The GOAP planner: for each goal the cheapest plan, among goals the one that nets most."""

from collections.abc import Sequence
from dataclasses import replace
from functools import partial

from reactor.plan.choice import GoalPlan, choose, decision, in_order
from reactor.plan.decision import Decision, Reasons, Rival
from reactor.plan.goap.doubts import Outlook, Route, settle
from reactor.plan.goap.policy import Policies
from reactor.plan.goap.price import cost_of
from reactor.plan.goap.unreached import explanations
from reactor.plan.problem import Problem, Step
from reactor.plan.ranking import Ranking
from reactor.plan.reasons import explain
from reactor.plan.recent import Recent
from reactor.plan.world import World
from reactor.plan.worth import amount

_KEPT = 4  # sets of steps kept compiled


class GoapPlanner:
    """Provably optimal plans; actions of no use to a goal cost it nothing.

    `node_limit` bounds each search; by default it follows from the size of the problem.
    """

    def __init__(self, *, node_limit: int | None = None) -> None:
        self._node_limit = node_limit
        self._policies = Recent(self._compile, size=_KEPT)

    def decide(self, problem: Problem) -> Decision:
        """The cheapest plan to the goal that nets most by it."""
        world, policies = World(problem), self._policies(problem.steps)
        routes = [
            Route(policies.of(aim, problem.excluded), problem)
            for aim in in_order(problem.aims)
            if not aim.nirvana  # it never holds, so there is no plan to it
        ]
        outlooks = settle(routes, world)
        chosen = choose([outlook.plan for outlook in outlooks if outlook.plan])
        answer = decision(
            chosen, partial(_reasons, problem, world, routes, outlooks), world.evaluated
        )
        limited = [outlook for outlook in outlooks if outlook.outcome == "limit"]
        return _qualified(answer, chosen, limited) if limited else answer

    def _compile(self, steps: Sequence[Step]) -> Policies:
        return Policies(steps, self._node_limit)


def _qualified(answer: Decision, chosen: GoalPlan | None, limited: list[Outlook]) -> Decision:
    """The answer where a search was cut short: not proved best, unless the goal holds."""
    if answer.plan == ():
        return answer
    own = [outlook.answer.bound for outlook in limited if outlook.plan is chosen]
    bounds = own or [outlook.answer.bound for outlook in limited]
    return replace(answer, outcome="limit", bound=cost_of(min(bounds)))


def _reasons(
    problem: Problem, world: World, routes: list[Route], outlooks: list[Outlook]
) -> Reasons:
    pairs = zip(routes, outlooks, strict=True)
    planless = [route for route, outlook in pairs if outlook.plan is None]
    unreachable, roots = explanations(planless, world)
    plans = sorted([o.plan for o in outlooks if o.plan], key=lambda plan: plan.preference)
    return replace(
        explain(world, Ranking(problem.steps), unreachable),
        roots=tuple(roots),
        rivals=tuple(map(_rival, plans)),
    )


def _rival(plan: GoalPlan) -> Rival:
    return Rival(
        plan.aim.name,
        tuple(step.name for step in plan.steps),
        cost=amount(plan.cost),
        net_value=amount(plan.net),
    )
