"""Which of many steps can run, kept up to date by what changes.

Each step has a count of its unmet preconditions; a change of a condition touches only the steps
that read it.  The runnable ones are the set bits of one int, in the order of the steps, so the
first of them is one operation away.  Ten thousand steps cost no more than ten.
"""

from collections.abc import Iterable, Mapping, Sequence
from itertools import compress
from operator import is_not

from reactor.plan.problem import Step, Truth


class Counters:
    """The runnable ones among `steps`, which are ordered; at first every condition is absent."""

    def __init__(self, steps: Sequence[Step]) -> None:
        self._unmet = [len(step.pre) for step in steps]
        self._readers: dict[str, list[tuple[Truth, int]]] = {}  # who needs which value
        self._once: dict[str, int] = {}  # name -> the bits of its steps that may run only once
        self._named: dict[str, int] = {}  # name -> the bits of its steps
        for place, step in enumerate(steps):
            self._named[step.name] = self._named.get(step.name, 0) | 1 << place
            if not step.can_rerun:
                self._once[step.name] = self._once.get(step.name, 0) | 1 << place
            for condition, needs in step.pre.items():
                self._readers.setdefault(condition, []).append((needs, place))
        self._truths: dict[str, Truth | None] = dict.fromkeys(self._readers)
        self._runnable = sum(1 << place for place, unmet in enumerate(self._unmet) if not unmet)

    def set(self, condition: str, truth: Truth | None) -> None:
        """A condition has got another value; None: it is absent now."""
        before = self._truths.get(condition)
        if truth is before or condition not in self._readers:
            return
        self._truths[condition] = truth
        unmet = self._unmet
        for needs, place in self._readers[condition]:
            if needs is before:
                unmet[place] += 1
                if unmet[place] == 1:
                    self._runnable ^= 1 << place
            elif needs is truth:
                unmet[place] -= 1
                if not unmet[place]:
                    self._runnable ^= 1 << place

    def follow(self, state: Mapping[str, Truth]) -> None:
        """Take over a whole state: set what differs from the last one."""
        now = list(map(state.get, self._truths))
        changed = compress(zip(self._truths, now, strict=True), self._differs(now))
        for condition, truth in list(changed):
            self.set(condition, truth)

    def _differs(self, now: Iterable[Truth | None]) -> Iterable[bool]:
        return map(is_not, self._truths.values(), now)

    def first(self, *, ran: Iterable[str] = (), excluded: Iterable[str] = ()) -> int | None:
        """The place of the first step that can run; None if there is none.

        Steps called `excluded` can't, nor can those that `ran` and may run only once.
        """
        barred = 0
        for name in ran:
            barred |= self._once.get(name, 0)
        for name in excluded:
            barred |= self._named.get(name, 0)
        runnable = self._runnable & ~barred
        return (runnable & -runnable).bit_length() - 1 if runnable else None
