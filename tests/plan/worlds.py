"""Planning problems in few words: True, False, and None for unknown."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from reactor.plan import NIRVANA, Aim, Problem, Step, Truth

Values = Mapping[str, bool | None]


def truths(values: Values) -> dict[str, Truth]:
    return {condition: Truth.of(value) for condition, value in values.items()}


def step(
    name: str,
    pre: Values | None = None,
    effects: Mapping[str, bool] | None = None,
    *,
    cost: float = 0.0,
    value: float = 0.0,
) -> Step:
    """A step that may run again and again."""
    return Step(
        name=name,
        pre=truths(pre or {}),
        effects=effects or {},
        cost=cost,
        value=value,
        can_rerun=True,
    )


def once(name: str, pre: Values | None = None, effects: Mapping[str, bool] | None = None) -> Step:
    """A step that may run once."""
    return Step(name=name, pre=truths(pre or {}), effects=effects or {})


def aim(pre: Values, *, name: str = "goal", value: float = 0.0) -> Aim:
    return Aim(name=name, pre=truths(pre), value=value)


def problem(state: Values, *steps: Step, aims: Sequence[Aim] = (NIRVANA,)) -> Problem:
    return Problem(state=truths(state), steps=steps, aims=aims)


@dataclass
class Oracle:
    """Answers what is unknown, and remembers what it was asked."""

    truth: Mapping[str, Truth]
    asked: list[str] = field(default_factory=list)

    def __call__(self, condition: str) -> Truth:
        self.asked.append(condition)
        return self.truth.get(condition, Truth.UNKNOWN)
