"""A breaker for each model: one that keeps failing is left alone for a while.

    call = circuits.begin("small")   # None: it rests, or somebody else tries whether it is back
    ...
    call.answered()                  # or `failed`, or `dropped`

In the memory of one worker: each finds out by itself, which costs a few calls and needs no server.
"""

from collections.abc import Callable
from dataclasses import dataclass

FAILURES = 5  # in a row, until a model is left alone
REST_S = 30.0  # how long; then one call may try it
LONG_REST_S = 300.0  # after what only an operator can mend, as a wrong key


@dataclass(slots=True)
class _Standing:
    """How one model does."""

    failures: int = 0
    open_until_s: float = 0.0
    trial: "Call | None" = None  # the one call that tries it after its rest


class Circuits:
    """One breaker for each model, by name.  `now_s`: seconds from an arbitrary start."""

    def __init__(
        self, now_s: Callable[[], float], *, failures: int = FAILURES, rest_s: float = REST_S
    ) -> None:
        self._now_s, self._failures, self._rest_s = now_s, failures, rest_s
        self._by_model: dict[str, _Standing] = {}

    def is_closed(self, model: str) -> bool:
        """Whether the model may be asked; of those that rested, whether somebody may try it."""
        standing = self._by_model.get(model)
        if standing is None or not standing.open_until_s:
            return True
        return standing.trial is None and self._now_s() >= standing.open_until_s

    def begin(self, model: str) -> "Call | None":
        """It is about to be asked; None where it may not be.  Say how the call ends, in any case."""
        if not self.is_closed(model):
            return None
        call, standing = Call(self, model), self._by_model.get(model)
        if standing is not None and standing.open_until_s:
            standing.trial = call
        return call

    def _answered(self, call: "Call") -> None:
        self._by_model.pop(call.model, None)

    def _failed(self, call: "Call", *, for_long: bool) -> None:
        standing = self._by_model.setdefault(call.model, _Standing())
        standing.failures += 1
        is_trial = self._end_trial(call)
        if standing.open_until_s and not (is_trial or for_long):
            return  # it was asked before the rest, and says nothing new
        if for_long or is_trial or standing.failures >= self._failures:
            rest_s = LONG_REST_S if for_long else self._rest_s
            standing.open_until_s = self._now_s() + rest_s

    def _end_trial(self, call: "Call") -> bool:
        """Whether it was the one that tries; then another one may."""
        standing = self._by_model.get(call.model)
        if standing is None or standing.trial is not call:
            return False
        standing.trial = None
        return True


@dataclass(frozen=True, slots=True, eq=False)
class Call:
    """One call of a model."""

    _circuits: Circuits
    model: str

    def answered(self) -> None:
        """It has answered, whatever it said."""
        self._circuits._answered(self)

    def failed(self, *, for_long: bool = False) -> None:
        """It did not.  `for_long`: only an operator can mend it."""
        self._circuits._failed(self, for_long=for_long)

    def dropped(self) -> None:
        """It was given up by whoever made it: nothing is known.  After the others: nothing."""
        self._circuits._end_trial(self)
