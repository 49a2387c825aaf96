"""Steps by what they are worth, best first.

The order is total: net value, then the more specific (most preconditions), then the name, so
the order in which plug-ins were loaded can never matter.
"""

from collections.abc import Sequence
from functools import cached_property

from reactor.plan.counters import Counters
from reactor.plan.decision import Candidate, NotRunnable
from reactor.plan.problem import Aim, Step, Truth
from reactor.plan.world import World
from reactor.plan.worth import amount, exact, is_priced, net

_MANY = 100  # steps; fewer are tried one after the other faster than they are counted
_REMEMBERED = 256  # states of one step's conditions


def rank(steps: Sequence[Step]) -> tuple[Step, ...]:
    """The steps that have a worth, best first."""
    return tuple(
        sorted(filter(is_priced, steps), key=lambda step: (-net(step), -len(step.pre), step.name))
    )


class Ranking:
    """Steps ranked once, to be asked many times."""

    def __init__(self, steps: Sequence[Step]) -> None:
        self.steps = rank(steps)
        self._all = steps
        self._counters: Counters | None = None
        self._was_asked = False
        self._blocked: dict[str, dict[tuple[object, ...], NotRunnable | None]] = {}

    @cached_property
    def candidates(self) -> tuple[Candidate, ...]:
        """The steps that have a worth, as people are told of them, best first."""
        return tuple([_candidate(step) for step in self.steps])

    @cached_property
    def by_name(self) -> tuple[Step, ...]:
        """All of them by name, those without a worth included."""
        return tuple(sorted(self._all, key=lambda step: step.name))

    def blocked(self, step: Step, world: World) -> NotRunnable | None:
        """All that keeps one of the steps from running now; None if it can run.

        Found again where its conditions were as they are now: most stay so from tick to tick,
        and from one process to the next.
        """
        now = (world.is_excluded(step), world.is_over(step), *map(world.known.get, step.pre))
        known = self._blocked.setdefault(step.name, {})
        if now not in known:
            if len(known) >= _REMEMBERED:
                known.clear()
            obstacles = world.obstacles(step)
            known[now] = NotRunnable(step.name, obstacles) if obstacles else None
        return known[now]

    def best(self, world: World) -> Step | None:
        """The runnable step that is worth most."""
        if not self._is_worth_counting() or world.has_doubts:
            return next(filter(world.can_run, self.steps), None)
        if self._counters is None:
            self._counters = Counters(self.steps)
        self._counters.follow(world.known)
        place = self._counters.first(ran=world.ran, excluded=world.excluded)
        return None if place is None else self.steps[place]

    def _is_worth_counting(self) -> bool:
        """From the second time on: where costs change, every tick has a ranking of its own."""
        was_asked, self._was_asked = self._was_asked, True
        return was_asked and len(self.steps) >= _MANY

    @cached_property
    def _makers(self) -> dict[tuple[str, bool], list[Step]]:
        """Effect -> the steps that have it, best first."""
        makers: dict[tuple[str, bool], list[Step]] = {}
        for step in self.steps:
            for effect in step.effects.items():
                makers.setdefault(effect, []).append(step)
        return makers

    def best_reaching(self, aim: Aim, world: World) -> Step | None:
        """The step that is worth most among those after which the goal holds.

        The goal must not hold yet: only steps that make a condition it still lacks are tried.
        """
        lacking = next((c for c, needs in aim.pre.items() if world.lacks(c, needs)), None)
        if lacking is None or aim.pre[lacking] is Truth.UNKNOWN:  # nothing makes it unknown
            return None
        makers = self._makers.get((lacking, aim.pre[lacking] is Truth.TRUE), ())
        return next((step for step in makers if _reaches(step, aim, world)), None)


def _candidate(step: Step) -> Candidate:
    return Candidate(
        step.name,
        net_value=amount(net(step)),
        cost=amount(exact(step.cost)),
        value=amount(exact(step.value)),
    )


def _reaches(step: Step, aim: Aim, world: World) -> bool:
    """Whether the step can run now, and the goal holds after it.

    What is known comes first, so that nothing is looked into for a step that can't reach it.
    """
    left = {c: needs for c, needs in aim.pre.items() if c not in step.effects}
    made = all(
        Truth.of(step.effects[c]) is needs for c, needs in aim.pre.items() if c in step.effects
    )
    if not made or any(world.lacks(c, needs) for c, needs in left.items()):
        return False
    return world.can_run(step) and world.holds(left)
