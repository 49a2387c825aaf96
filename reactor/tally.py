"""What a process has used up, together with those that run within it: one tally, one purse.

A process, its sub-processes and the actions that run beside each other spend the same money.  The
head of a process says what came of actions that are over, and only of its own; the tally knows of
all, as it happens, in the worker that runs them.
"""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager


class Tally:
    """By kind, as "tokens" or "cost_usd".  What was used up stays so, whatever becomes of it."""

    def __init__(self) -> None:
        self._used: dict[str, float] = {}
        self._held: dict[str, float] = {}
        self._begun: set[str] = set()

    def begin(self, process_id: str, usage: Mapping[str, float]) -> None:
        """Count what a process had used up before; only the first time that it is met here."""
        if process_id in self._begun:
            return
        self._begun.add(process_id)
        for kind, amount in usage.items():
            self.add(kind, amount)

    def add(self, kind: str, amount: float) -> None:
        """So much more is used up."""
        self._used[kind] = self._used.get(kind, 0.0) + amount

    @property
    def used(self) -> dict[str, float]:
        """What is known to be used up."""
        return dict(self._used)

    def at_most(self, kind: str) -> float:
        """The same with what is held: what is under way may take as much."""
        return self._used.get(kind, 0.0) + self._held.get(kind, 0.0)

    @contextmanager
    def holding(self, kind: str, amount: float) -> Iterator[None]:
        """So much is held until it is known what it took."""
        self._held[kind] = self._held.get(kind, 0.0) + amount
        try:
            yield
        finally:
            self._held[kind] -= amount
