"""A breaker for each model: one that keeps failing is left alone for a while.

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
    is_tried: bool = False  # somebody asks it while it is half open


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
        return not standing.is_tried and self._now_s() >= standing.open_until_s

    def asked(self, model: str) -> None:
        """It is about to be asked."""
        standing = self._by_model.get(model)
        if standing is not None and standing.open_until_s:
            standing.is_tried = True

    def answered(self, model: str) -> None:
        """It has answered, whatever it said."""
        self._by_model.pop(model, None)

    def failed(self, model: str, *, for_long: bool = False) -> None:
        """It did not.  `for_long`: only an operator can mend it."""
        standing = self._by_model.setdefault(model, _Standing())
        standing.failures += 1
        was_tried, standing.is_tried = standing.is_tried, False
        if for_long or was_tried or standing.failures >= self._failures:
            rest_s = LONG_REST_S if for_long else self._rest_s
            standing.open_until_s = self._now_s() + rest_s

    def dropped(self, model: str) -> None:
        """The call was given up by whoever made it: nothing is known."""
        if (standing := self._by_model.get(model)) is not None:
            standing.is_tried = False
