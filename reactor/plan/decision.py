"""What every planner answers: the plan, and the reasons.

Reasons are computed when they are first read, so that choosing stays fast.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property
from typing import Literal, NamedTuple

from reactor.plan.problem import Truth

Outcome = Literal["optimal", "satisfied", "unreachable", "limit"]
"""optimal: a plan, proved best; satisfied: the goal holds, nothing to do; unreachable: proved
that nothing leads there; limit: the search budget was spent before a proof."""


@dataclass(frozen=True, slots=True)
class Candidate:
    """An action that could have run, with what it is worth."""

    action: str
    net_value: float
    cost: float
    value: float


class Unmet(NamedTuple):
    """A condition that keeps an action or a goal from holding."""

    condition: str
    needs: Truth
    actual: Truth | None  # None: absent

    def __str__(self) -> str:
        was = self.actual.value if self.actual else "absent"
        return f"{self.condition} is {was}, needs {self.needs.value}"


@dataclass(frozen=True, slots=True)
class NotRunnable:
    """An action that could not run now, and all the reasons."""

    action: str
    unmet: tuple[Unmet, ...]


@dataclass(frozen=True, slots=True)
class Rival:
    """The best plan to one of several goals."""

    goal: str
    plan: tuple[str, ...]
    cost: float
    net_value: float


@dataclass(frozen=True, slots=True)
class Reasons:
    """Why this and not that."""

    candidates: tuple[Candidate, ...] = ()  # best first
    not_runnable: tuple[NotRunnable, ...] = ()  # by name
    unreachable: tuple[tuple[str, Unmet], ...] = ()  # goal -> first condition nobody can reach
    roots: tuple[tuple[str, Unmet], ...] = ()  # goal -> what that hangs on: nobody makes it
    rivals: tuple[Rival, ...] = ()  # the plan to each goal that has one, best first


@dataclass(frozen=True)
class Decision:
    """The answer of a planner to one `Problem`."""

    outcome: Outcome
    goal: str | None  # the goal whose plan was chosen
    plan: tuple[str, ...] | None  # names in order; () the goal holds; None no plan
    cost: float = 0.0  # sum of the costs of the plan
    net_value: float = 0.0  # value of the goal + values of the actions - costs
    evaluated: tuple[str, ...] = ()  # unknown conditions that were looked into
    bound: float | None = None  # with "limit": no plan costs less than this
    chosen_by: str = ""  # who picked the action, where that was not the planner: a model
    offered: tuple[str, ...] = ()  # with a supervisor that asks: what a model may pick from
    explain: Callable[[], Reasons] = field(default=Reasons, repr=False, compare=False)

    @cached_property
    def reasons(self) -> Reasons:
        """Candidates, unmet conditions and unreachable goals; computed on first read."""
        return self.explain()

    @property
    def chosen(self) -> str | None:
        """The action to run now, if any."""
        return self.plan[0] if self.plan else None
