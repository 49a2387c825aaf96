"""Why this and not that: computed from a problem when somebody asks, not before."""

from collections.abc import Iterable

from reactor.plan.decision import Candidate, NotRunnable, Reasons, Unmet
from reactor.plan.problem import Aim, Step
from reactor.plan.ranking import Ranking
from reactor.plan.world import World
from reactor.plan.worth import amount, exact, net


def explain(world: World, ranking: Ranking, unreachable: Iterable[tuple[str, Unmet]]) -> Reasons:
    """What could run, what could not and why, and which goals are out of reach.

    Nothing more is looked into: what was left unknown is shown as unknown.
    """
    obstacles = {id(step): world.obstacles(step) for step in ranking.by_name}
    return Reasons(
        candidates=tuple([_candidate(step) for step in ranking.steps if not obstacles[id(step)]]),
        not_runnable=tuple(
            [NotRunnable(step.name, o) for step in ranking.by_name if (o := obstacles[id(step)])]
        ),
        unreachable=tuple(unreachable),
    )


def first_unmet(aims: Iterable[Aim], world: World) -> list[tuple[str, Unmet]]:
    """For each goal the first condition that does not hold, goals by name."""
    return [
        (aim.name, unmet[0])
        for aim in sorted(aims, key=lambda aim: aim.name)
        if (unmet := world.unmet(aim.pre))
    ]


def _candidate(step: Step) -> Candidate:
    return Candidate(
        step.name,
        net_value=amount(net(step)),
        cost=amount(exact(step.cost)),
        value=amount(exact(step.value)),
    )
