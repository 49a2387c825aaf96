"""The clock of a replay: it stands where the recorded thing happened that is being replayed.

So what is decided by the time of day is decided as it was then, and the same each time: it is the
moment of the tick that a process is in, as far as its records tell, else the one that was set.
Durations are real ones.
"""

from collections.abc import Callable
from datetime import UTC, datetime

from reactor.recalling import moment_now


class StandingClock:
    """Fits the port `Clock`; one delivery is replayed after the other, so one moment is enough."""

    def __init__(self, monotonic_s: Callable[[], float]) -> None:
        self._at = datetime(1970, 1, 1, tzinfo=UTC)
        self._monotonic_s = monotonic_s

    def stand(self, at: datetime) -> None:
        """From now on it is this moment."""
        self._at = at

    def now(self) -> datetime:
        """Aware, UTC."""
        return moment_now() or self._at

    def monotonic_s(self) -> float:
        """Seconds from an arbitrary start, really."""
        return self._monotonic_s()
