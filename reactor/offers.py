"""Which agents there are, as whoever has to choose one is told of them.

A platform fills it in; actions may ask for `Offers` by type.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

from reactor.marks import GoalMark


@dataclass(frozen=True, slots=True, kw_only=True)
class GoalOffer:
    """A goal that can be worked towards."""

    name: str  # "reporter.report"
    description: str
    examples: tuple[str, ...] = ()  # wishes that it fulfils, as people would say them
    is_exported: bool = False  # people outside may have it

    @classmethod
    def of(cls, name: str, mark: GoalMark) -> "GoalOffer":
        """The goal of that name, as it was declared."""
        return cls(
            name=name,
            description=mark.description,
            examples=mark.examples,
            is_exported=mark.export,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class AgentOffer:
    """An agent that can be run."""

    name: str
    purpose: str
    planner: str  # that it declares
    goals: tuple[GoalOffer, ...] = ()  # by name

    @property
    def description(self) -> str:
        """What it is for, and what each of its goals is."""
        return " ".join((self.purpose, *(f"Goal: {goal.description}" for goal in self.goals)))

    @property
    def examples(self) -> tuple[str, ...]:
        """Those of its goals."""
        return tuple(example for goal in self.goals for example in goal.examples)

    @property
    def goal_names(self) -> frozenset[str]:
        """What a process is to be run for."""
        return frozenset(goal.name for goal in self.goals)


class Offers:
    """The agents of a platform, by name.

    They are read when they are asked for, as components are made before the platform is whole.
    """

    def __init__(self, read: Callable[[], Sequence[AgentOffer]]) -> None:
        self._read = read

    def __iter__(self) -> Iterator[AgentOffer]:
        return iter(self._read())

    @property
    def exported(self) -> tuple[AgentOffer, ...]:
        """Those with goals that people outside may have, with these goals only."""
        offers = (
            replace(offer, goals=tuple(goal for goal in offer.goals if goal.is_exported))
            for offer in self
        )
        return tuple(offer for offer in offers if offer.goals)
