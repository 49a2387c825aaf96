"""Why a goal is out of reach."""

from collections.abc import Iterable
from dataclasses import dataclass

from reactor.plan.decision import Unmet
from reactor.plan.goap.doubts import Route
from reactor.plan.goap.estimate import Estimate, estimate
from reactor.plan.goap.task import NotRan, bits
from reactor.plan.problem import Truth
from reactor.plan.world import World


@dataclass(frozen=True, slots=True)
class Blocked:
    """What keeps a goal out of reach."""

    unmet: Unmet  # the first condition of the goal that can't be reached
    root: Unmet | None  # what that hangs on: nothing that may run makes it


def blocked(route: Route, world: World) -> Blocked | None:
    """Why there is no plan to the goal; None where nothing of the goal is unmet.

    Where each condition of the goal can be reached alone, but not all of them together, it is
    the first one that does not hold, and there is no root.
    """
    task = route.policy.task
    state, _ = route.state(world.found)
    reach = estimate(task, state)
    missing = next(bits(reach.missing(task.goal)), 0)
    if missing:
        root = _root(reach, missing)
        return Blocked(_unmet(reach, missing, world), _unmet(reach, root, world))
    unmet = world.unmet(route.aim.pre)
    return Blocked(unmet[0], None) if unmet else None


def _root(reach: Estimate, literal: int) -> int:
    """From an unreached literal back to one that no step makes, by the first makers."""
    task, passed = reach.task, 0
    while not passed & literal and task.makers[literal]:
        passed |= literal
        needs = (reach.missing(task.pre[j]) for j in task.makers[literal])
        ahead = (_unpassed(mask, passed) for mask in needs)
        literal = next(filter(None, ahead), literal)
    return literal


def _unpassed(mask: int, passed: int) -> int:
    """The first literal of the mask that was not passed yet, or 0."""
    return next(bits(mask & ~passed), 0)


def _unmet(reach: Estimate, literal: int, world: World) -> Unmet:
    meaning = reach.task.literals[literal.bit_length() - 1]
    if isinstance(meaning, NotRan):
        return Unmet(f"ran({meaning.step})", Truth.FALSE, Truth.TRUE)
    return Unmet(meaning[0], meaning[1], world.truth(meaning[0]))


def explanations(
    routes: Iterable[Route], world: World
) -> tuple[list[tuple[str, Unmet]], list[tuple[str, Unmet]]]:
    """For each goal, the first condition that can't be reached, and the root of that."""
    found = [(route.aim.name, why) for route in routes if (why := blocked(route, world))]
    unmet = [(name, why.unmet) for name, why in found]
    return unmet, [(name, why.root) for name, why in found if why.root]
