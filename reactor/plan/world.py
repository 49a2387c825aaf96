"""The state of the world during one decision: what is known, and what is looked into on the way.

Pure but for `problem.resolve`, which is called at most once per unknown condition, and only
where an answer depends on it.
"""

from collections.abc import Mapping

from reactor.plan.decision import Unmet
from reactor.plan.problem import Problem, Step, Truth
from reactor.plan.worth import is_priced


class World:
    """What holds in one problem."""

    def __init__(self, problem: Problem) -> None:
        self._problem = problem
        self._found: dict[str, Truth] = {}

    @property
    def evaluated(self) -> tuple[str, ...]:
        """The unknown conditions that were looked into, in that order."""
        return tuple(self._found)

    @property
    def found(self) -> Mapping[str, Truth]:
        """What the conditions that were looked into turned out to be."""
        return self._found

    @property
    def has_doubts(self) -> bool:
        """Whether some condition is unknown and could be looked into."""
        return self._problem.resolve is not None and Truth.UNKNOWN in self._problem.state.values()

    def truth(self, condition: str) -> Truth | None:
        """What is known of the condition; None: it is absent."""
        return self._found.get(condition) or self._problem.state.get(condition)

    def is_doubtful(self, condition: str) -> bool:
        """Whether the condition is unknown and was not looked into yet, but could be."""
        return (
            self._problem.resolve is not None
            and condition not in self._found
            and self._problem.state.get(condition) is Truth.UNKNOWN
        )

    def lacks(self, condition: str, needs: Truth) -> bool:
        """Whether the condition is known not to have the wanted value."""
        return self.truth(condition) is not needs and not self.is_doubtful(condition)

    def look(self, condition: str) -> Truth:
        """Look into an unknown condition; it keeps the value that is found."""
        if condition not in self._found and self._problem.resolve is not None:
            self._found[condition] = self._problem.resolve(condition)
        return self._found.get(condition, Truth.UNKNOWN)

    def holds(self, wanted: Mapping[str, Truth]) -> bool:
        """Whether every condition has exactly the wanted value.

        Unknown ones are looked into, but only if all the others hold.
        """
        if any(self.lacks(c, needs) for c, needs in wanted.items()):
            return False
        doubtful = [c for c, needs in wanted.items() if self.truth(c) is not needs]
        return all(self.look(c) is wanted[c] for c in sorted(doubtful))

    def is_barred(self, step: Step) -> bool:
        """Whether the step is out of the question, whatever its preconditions."""
        problem = self._problem
        return (
            step.name in problem.excluded
            or (not step.can_rerun and step.name in problem.ran)
            or not is_priced(step)
        )

    def can_run(self, step: Step) -> bool:
        """Whether the step can run now."""
        return not self.is_barred(step) and self.holds(step.pre)

    def unmet(self, wanted: Mapping[str, Truth]) -> tuple[Unmet, ...]:
        """The conditions that do not have the wanted value, by name; nothing is looked into."""
        return tuple(
            Unmet(condition, needs, self.truth(condition))
            for condition, needs in sorted(wanted.items(), key=lambda item: item[0])
            if self.truth(condition) is not needs
        )

    def obstacles(self, step: Step) -> tuple[Unmet, ...]:
        """All that keeps the step from running now; empty if it can."""
        problem, name = self._problem, step.name
        barred = []
        if name in problem.excluded:
            barred.append(Unmet(f"excluded({name})", Truth.FALSE, Truth.TRUE))
        if not step.can_rerun and name in problem.ran:
            barred.append(Unmet(f"ran({name})", Truth.FALSE, Truth.TRUE))
        if not is_priced(step):
            barred.append(Unmet(f"priced({name})", Truth.TRUE, Truth.FALSE))
        return (*barred, *self.unmet(step.pre))
