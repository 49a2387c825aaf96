"""Random problems in great number, longer than hypothesis makes them."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from random import Random  # noqa: TID251 - seeded, so every run draws the same
from typing import TypeVar

from reactor.plan import Aim, Problem, Step, Truth
from tests.plan.exhaustive import after, can_run, start_of

V = TypeVar("V")


@dataclass(frozen=True)
class Flavour:
    """What may occur in a problem; probabilities."""

    conditions: tuple[int, int] = (1, 7)  # fewest, most
    steps: tuple[int, int] = (0, 9)
    least_preconditions: int = 0
    most_effects: int = 3
    true: float = 0.25  # that a condition is true at the start
    walk: int = 0  # the goal is what so many random steps lead to; 0: anything
    negative: float = 0.3  # that a precondition or goal wants "false"
    deleting: float = 0.3  # that an effect is "false"
    once: float = 0.4  # that a step may run only once
    unknown: float = 0.0  # that a condition is unknown at the start
    wants_unknown: float = 0.0  # that a precondition wants "unknown"
    absent: float = 0.1  # that a condition is absent
    valued: float = 0.0  # that a step or a goal has a value


MIXED = Flavour()
TANGLED = Flavour(negative=0.4, deleting=0.5, once=0.2, wants_unknown=0.05, unknown=0.15)
FAR = Flavour(  # long plans that undo things: these need a search
    conditions=(7, 9),
    steps=(14, 22),
    least_preconditions=2,
    true=0.3,
    negative=0.5,
    deleting=0.5,
    once=0.1,
    absent=0.02,
    walk=20,
)
PLAIN = Flavour(  # long plans that undo nothing
    conditions=(8, 12),
    steps=(18, 28),
    least_preconditions=1,
    most_effects=1,
    true=0.1,
    negative=0.0,
    deleting=0.0,
    once=0.0,
    absent=0.0,
    walk=20,
)
DOUBTFUL = Flavour(unknown=0.4, wants_unknown=0.08)


def seeded(seed: int) -> Random:
    return Random(seed)


def draw(source: Random, flavour: Flavour) -> Problem:
    """One problem with one goal."""
    conditions = [f"c{number}" for number in range(source.randint(*flavour.conditions))]
    steps = tuple(
        _step(source, flavour, f"a{number}", conditions)
        for number in range(source.randint(*flavour.steps))
    )
    drawn = Problem(
        state=_state(source, flavour, conditions),
        steps=steps,
        aims=(_aim(source, flavour, "goal", conditions),),
        ran=frozenset(step.name for step in steps if source.random() < 0.1),
        excluded=frozenset(step.name for step in steps if source.random() < 0.05),
    )
    return replace(drawn, aims=(_walked(source, flavour, drawn),)) if flavour.walk else drawn


def _walked(source: Random, flavour: Flavour, drawn: Problem) -> Aim:
    """A goal that can be reached, and if possible does not hold yet."""
    world = start_of(drawn)
    steps = [step for step in drawn.steps if step.name not in drawn.excluded]
    for _ in range(flavour.walk):
        ready = [step for step in steps if can_run(world, step)]
        if ready:
            world = after(world, source.choice(ready))
    reached = sorted(world.truths, key=lambda item: item[0])
    changed = [item for item in reached if item not in drawn.state.items()]
    wanted = changed or reached
    return replace(
        drawn.aims[0], pre=dict(source.sample(wanted, min(len(wanted), source.randint(2, 6))))
    )


def shuffled(source: Random, problem: Problem) -> Problem:
    """The same problem with everything listed in another order."""
    steps = [
        replace(step, pre=_mixed(source, step.pre), effects=_mixed(source, step.effects))
        for step in problem.steps
    ]
    aims = [replace(aim, pre=_mixed(source, aim.pre)) for aim in problem.aims]
    source.shuffle(steps)
    source.shuffle(aims)
    return replace(
        problem, state=_mixed(source, problem.state), steps=tuple(steps), aims=tuple(aims)
    )


def _mixed(source: Random, mapping: Mapping[str, V]) -> dict[str, V]:
    items = list(mapping.items())
    source.shuffle(items)
    return dict(items)


def _step(source: Random, flavour: Flavour, name: str, conditions: list[str]) -> Step:
    made = source.sample(conditions, source.randint(1, min(flavour.most_effects, len(conditions))))
    return Step(
        name=name,
        pre=_wanted(source, flavour, conditions, source.randint(flavour.least_preconditions, 3)),
        effects={condition: source.random() >= flavour.deleting for condition in made},
        cost=source.choice([0.0, source.randint(1, 20) / 20, source.randint(1, 4) / 4]),
        value=_value(source, flavour),
        can_rerun=source.random() >= flavour.once,
    )


def _aim(source: Random, flavour: Flavour, name: str, conditions: list[str]) -> Aim:
    wanted = _wanted(source, flavour, conditions, source.randint(1, 4))
    return Aim(name=name, pre=wanted, value=_value(source, flavour))


def _wanted(
    source: Random, flavour: Flavour, conditions: list[str], count: int
) -> dict[str, Truth]:
    chosen = source.sample(conditions, min(count, len(conditions)))
    return {
        condition: Truth.UNKNOWN
        if source.random() < flavour.wants_unknown
        else Truth.of(source.random() >= flavour.negative)
        for condition in chosen
    }


def _state(source: Random, flavour: Flavour, conditions: list[str]) -> dict[str, Truth]:
    return {
        condition: Truth.UNKNOWN
        if source.random() < flavour.unknown
        else Truth.of(source.random() < flavour.true)
        for condition in conditions
        if source.random() >= flavour.absent
    }


def _value(source: Random, flavour: Flavour) -> float:
    return source.randint(0, 20) / 20 if source.random() < flavour.valued else 0.0
