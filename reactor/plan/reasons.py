"""Why this and not that: computed from a problem when somebody asks, not before."""

from collections.abc import Iterable

from reactor.plan.decision import Reasons, Unmet
from reactor.plan.problem import Aim
from reactor.plan.ranking import Ranking
from reactor.plan.world import World


def explain(world: World, ranking: Ranking, unreachable: Iterable[tuple[str, Unmet]]) -> Reasons:
    """What could run, what could not and why, and which goals are out of reach.

    Nothing more is looked into: what was left unknown is shown as unknown.
    """
    found = [ranking.blocked(step, world) for step in ranking.by_name]
    blocked = tuple([each for each in found if each is not None])
    names = {each.action for each in blocked}
    return Reasons(
        candidates=tuple([each for each in ranking.candidates if each.action not in names]),
        not_runnable=blocked,
        unreachable=tuple(unreachable),
    )


def first_unmet(aims: Iterable[Aim], world: World) -> list[tuple[str, Unmet]]:
    """For each goal the first condition that does not hold, goals by name."""
    return [
        (aim.name, unmet[0])
        for aim in sorted(aims, key=lambda aim: aim.name)
        if (unmet := world.unmet(aim.pre))
    ]
