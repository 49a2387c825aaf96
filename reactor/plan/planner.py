"""What a planner is, and the planners by name."""

from collections.abc import Callable
from typing import Protocol

from reactor.errors import ReactorError
from reactor.plan.decision import Decision
from reactor.plan.goap import GoapPlanner
from reactor.plan.hybrid import HybridPlanner
from reactor.plan.problem import Problem
from reactor.plan.supervisor import SupervisorPlanner
from reactor.plan.utility import UtilityPlanner


class Planner(Protocol):
    """Chooses what to do next.

    Pure: the same problem always gives the same decision, in whatever order its steps, goals
    and conditions are listed, and whatever was asked before.  Nothing but `problem.resolve` is
    called, and nothing is raised but what that raises.  The problem must not be changed while its
    decision is in use: reasons are computed when they are first read.  Its steps are compiled
    once if they come as the same tuple each time.
    """

    def decide(self, problem: Problem) -> Decision:
        """The plan, and why."""
        ...


class UnknownPlanner(ReactorError):
    """Somebody asked for a planner that we don't have."""

    def __init__(self, name: str, known: tuple[str, ...]) -> None:
        super().__init__(name, known)
        self.name, self.known = name, known

    def __str__(self) -> str:
        return f"there is no planner {self.name!r}; choose one of {', '.join(self.known)}"


_PLANNERS: dict[str, Callable[[], Planner]] = {
    "goap": GoapPlanner,
    "hybrid": HybridPlanner,
    "supervisor": SupervisorPlanner,
    "utility": UtilityPlanner,
}

PLANNER_NAMES = tuple(sorted(_PLANNERS))


def make_planner(name: str) -> Planner:
    """A new planner: "goap", "hybrid", "supervisor" or "utility".  Raises `UnknownPlanner`.

    Keep it and ask it often: it remembers what it has compiled.
    """
    if name not in _PLANNERS:
        raise UnknownPlanner(name, PLANNER_NAMES)
    return _PLANNERS[name]()
