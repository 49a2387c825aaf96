"""Clocks: the system's, and one that only moves when it is told to."""

import time
from datetime import UTC, datetime, timedelta


class SystemClock:
    """The machine's time."""

    def now(self) -> datetime:
        """Aware, UTC."""
        return datetime.now(UTC)  # noqa: TID251 - this is the clock that all others are handed

    def monotonic_s(self) -> float:
        """Seconds from an arbitrary start."""
        return time.monotonic()


class ManualClock:
    """A clock for tests and dry runs: it stands still until it is moved."""

    def __init__(self, start: datetime = datetime(2026, 1, 1, tzinfo=UTC)) -> None:
        self._start = self._now = start

    def now(self) -> datetime:
        """Where it stands."""
        return self._now

    def monotonic_s(self) -> float:
        """Seconds since it was made."""
        return (self._now - self._start).total_seconds()

    def move(self, by: timedelta) -> None:
        """Let time pass."""
        self._now += by
