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
        self._resolve = problem.resolve
        self._found: dict[str, Truth] = {}
        self.known: Mapping[str, Truth] = problem.state  # with what was found on looking
        self.ran, self.excluded = problem.ran, problem.excluded

    @property
    def found(self) -> Mapping[str, Truth]:
        """What the conditions that were looked into turned out to be, in that order."""
        return self._found

    @property
    def evaluated(self) -> tuple[str, ...]:
        """The conditions that were looked into, in that order."""
        return tuple(self._found)

    @property
    def has_doubts(self) -> bool:
        """Whether some condition may still be looked into."""
        return self._resolve is not None and any(map(self.is_doubtful, self.known))

    def truth(self, condition: str) -> Truth | None:
        """What is known of the condition; None: it is absent."""
        return self.known.get(condition)

    def is_doubtful(self, condition: str) -> bool:
        """Whether the condition is unknown and was not looked into yet, but could be."""
        return (
            self._resolve is not None
            and self.known.get(condition) is Truth.UNKNOWN
            and condition not in self._found
        )

    def lacks(self, condition: str, needs: Truth) -> bool:
        """Whether the condition is known not to have the wanted value."""
        return self.truth(condition) is not needs and not self.is_doubtful(condition)

    def look(self, condition: str) -> Truth:
        """Look into a doubtful condition; it keeps the value that is found."""
        if self._resolve is not None and self.is_doubtful(condition):
            self._found[condition] = self._resolve(condition)
            self.known = {**self.known, condition: self._found[condition]}
        return self.known.get(condition, Truth.UNKNOWN)

    def holds(self, wanted: Mapping[str, Truth]) -> bool:
        """Whether every condition has exactly the wanted value.

        Unknown ones are looked into, but only if all the others hold.
        """
        if wanted.items() <= self.known.items():
            return True
        if self._resolve is None or any(self.lacks(c, needs) for c, needs in wanted.items()):
            return False
        doubtful = [c for c, needs in wanted.items() if self.truth(c) is not needs]
        return all(self.look(c) is wanted[c] for c in sorted(doubtful))

    def can_run(self, step: Step) -> bool:
        """Whether the step can run now; it must have a price."""
        return not self._is_barred(step) and self.holds(step.pre)

    def is_excluded(self, step: Step) -> bool:
        """Whether the step is left out of this planning."""
        return step.name in self.excluded

    def is_over(self, step: Step) -> bool:
        """Whether the step has run, and may not run again."""
        return step.name in self.ran and not step.can_rerun

    def _is_barred(self, step: Step) -> bool:
        return self.is_excluded(step) or self.is_over(step)

    def unmet(self, wanted: Mapping[str, Truth]) -> tuple[Unmet, ...]:
        """The conditions that do not have the wanted value, by name; nothing is looked into."""
        known = self.known
        lacking = sorted([c for c, needs in wanted.items() if known.get(c) is not needs])
        return tuple([Unmet(c, wanted[c], known.get(c)) for c in lacking])

    def obstacles(self, step: Step) -> tuple[Unmet, ...]:
        """All that keeps the step from running now; empty if it can."""
        name, barred = step.name, []
        if self.is_excluded(step):
            barred.append(Unmet(f"excluded({name})", Truth.FALSE, Truth.TRUE))
        if self.is_over(step):
            barred.append(Unmet(f"ran({name})", Truth.FALSE, Truth.TRUE))
        if not is_priced(step):
            barred.append(Unmet(f"priced({name})", Truth.TRUE, Truth.FALSE))
        return (*barred, *self.unmet(step.pre))
