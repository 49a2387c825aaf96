"""What a planner is given: what is known, what can be done, what is wanted.

Plain data with names; planners and tests need nothing else.  A condition is true, false,
unknown, or absent (not in `state` at all: it matches nothing until an effect sets it).
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from reactor.truth import Truth as Truth


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """An action as a planner sees it."""

    name: str
    pre: Mapping[str, Truth]
    effects: Mapping[str, bool]
    cost: float = 0.0
    value: float = 0.0
    can_rerun: bool = False

    @property
    def net_value(self) -> float:
        """Value minus cost."""
        return self.value - self.cost


@dataclass(frozen=True, slots=True, kw_only=True)
class Aim:
    """A goal as a planner sees it.  `nirvana`: the endless goal, which is never met."""

    name: str
    pre: Mapping[str, Truth]
    value: float = 0.0
    nirvana: bool = False


NIRVANA = Aim(name="nirvana", pre={}, nirvana=True)


@dataclass(frozen=True, slots=True, kw_only=True)
class Pick:
    """A step that a model has picked, with what holds for that step because of it."""

    step: str
    brings: Mapping[str, Truth] = field(default_factory=dict)
    by: str = ""  # whose pick it was, for people: "supervisor, round 2"


@dataclass(frozen=True, slots=True, kw_only=True)
class Supervision:
    """What a supervisor goes by besides the world: what a model has picked, and what it could."""

    asks: str  # the step that asks the model
    picks: Sequence[Pick] = ()  # in order, but for those that were tried
    supplies: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    """By step, the conditions that a model can bring about with a fact of its own making, each
    with the condition that there is such a fact already: then it can't."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Problem:
    """Everything that a planner may look at."""

    state: Mapping[str, Truth]
    steps: Sequence[Step]
    aims: Sequence[Aim] = (NIRVANA,)
    ran: frozenset[str] = field(default_factory=frozenset)  # counts where `can_rerun` is False
    excluded: frozenset[str] = field(default_factory=frozenset)  # left out: they have just failed
    resolve: Callable[[str], Truth] | None = None  # looks into an unknown condition, at some cost
    supervision: Supervision | None = None  # for the supervisor alone
