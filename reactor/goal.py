"""Goals: what a process may be run for, besides doing whatever is worth most."""

from dataclasses import dataclass

from reactor.marks import Precondition


@dataclass(frozen=True, slots=True, kw_only=True)
class Goal:
    """Holds when all of this holds.  An expression in `pre` sees no component's settings."""

    name: str
    inputs: tuple[type, ...] = ()  # one of each is on the blackboard
    pre: tuple[Precondition, ...] = ()  # flags, "component.condition" or expressions
    ran: tuple[str, ...] = ()  # actions that have run: "component.method"
    value: float = 0.0
    description: str = ""
