"""Scopes: which of the installed actions and goals a process may use.

    Scope.from_packages("triage", "community") - Scope.from_components("community")

A scope is a predicate over what is installed; it is applied to a platform when a process starts.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

from reactor.errors import ReactorError


class Item(Protocol):
    """What a scope looks at: an action or a goal, and where it comes from."""

    @property
    def name(self) -> str:
        """The action's ("triage.escalate"), or the goal's."""
        ...

    @property
    def component(self) -> str | None:
        """The component's name; None for a goal that belongs to a package as a whole."""
        ...

    @property
    def is_of_agent(self) -> bool:
        """Whether that component is an agent, whose actions are on offer only by its name."""
        ...

    @property
    def package(self) -> str:
        """The package's name."""
        ...

    @property
    def instance(self) -> object | None:
        """The component itself."""
        ...


class EmptyScope(ReactorError):
    """A scope that selects no action of the platform."""

    def __init__(self, scope: str, packages: tuple[str, ...], agents: tuple[str, ...] = ()) -> None:
        super().__init__(scope, packages, agents)
        self.scope, self.packages, self.agents = scope, packages, agents

    def __str__(self) -> str:
        there = ", ".join(self.packages) or "none"
        hint = f"; agents, to be named each: {', '.join(self.agents)}" if self.agents else ""
        return f"the scope {self.scope} selects no action; installed packages: {there}{hint}"


@dataclass(frozen=True, slots=True, eq=False, weakref_slot=True)
class Scope:
    """A selection of actions and goals.  Combine with `&`, `|` and `-`; narrow with `where`.

    Agents are self-contained: only `from_agents`, `from_components` and `from_instance`, which
    name them, select what they can do.
    """

    label: str  # for people
    selects: Callable[[Item], bool]
    left_out: tuple[
        str, ...
    ] = ()  # components that are not for the event; what is left may be none

    @classmethod
    def platform(cls) -> "Scope":
        """Everything that is installed, agents aside."""
        return cls("platform", lambda item: not item.is_of_agent)

    @classmethod
    def from_packages(cls, *names: str) -> "Scope":
        """The packages of these entry-point names, their agents aside."""
        wanted = frozenset(names)
        return cls(
            f"packages({', '.join(names)})",
            lambda item: item.package in wanted and not item.is_of_agent,
        )

    @classmethod
    def from_components(cls, *names: str) -> "Scope":
        """The components of these names."""
        wanted = frozenset(names)
        return cls(f"components({', '.join(names)})", lambda item: item.component in wanted)

    @classmethod
    def from_agents(cls, *names: str) -> "Scope":
        """The agents of these names."""
        wanted = frozenset(names)
        return cls(
            f"agents({', '.join(names)})",
            lambda item: item.component in wanted and item.is_of_agent,
        )

    @classmethod
    def from_instance(cls, instance: object) -> "Scope":
        """One component, by the instance that was handed to the platform."""
        label = f"instance({type(instance).__name__})"
        return cls(label, lambda item: item.instance is instance)

    def where(self, predicate: Callable[[Item], bool], label: str = "...") -> "Scope":
        """Of this scope, what the predicate accepts."""
        return Scope(
            f"{self.label}.where({label})", lambda item: self.selects(item) and predicate(item)
        )

    def __and__(self, other: "Scope") -> "Scope":
        return Scope(
            f"({self.label} & {other.label})",
            lambda item: self.selects(item) and other.selects(item),
        )

    def __or__(self, other: "Scope") -> "Scope":
        return Scope(
            f"({self.label} | {other.label})",
            lambda item: self.selects(item) or other.selects(item),
        )

    def __sub__(self, other: "Scope") -> "Scope":
        return Scope(
            f"({self.label} - {other.label})",
            lambda item: self.selects(item) and not other.selects(item),
        )

    def __str__(self) -> str:
        return self.label
