"""Heartbeats in memory; fits the port `Heartbeats`."""

from datetime import datetime, timedelta

from reactor.heartbeat import Heartbeat
from reactor.ports import Clock


class MemoryHeartbeats:
    """The last one of each owner, and when it runs out."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._last: dict[str, tuple[Heartbeat, datetime]] = {}

    async def beat(self, heartbeat: Heartbeat, *, keep: timedelta) -> None:
        """Keep it."""
        self._last[heartbeat.owner] = heartbeat, self._clock.now() + keep

    async def gone(self, owner: str) -> None:
        """Forget it."""
        self._last.pop(owner, None)

    async def alive(self) -> list[Heartbeat]:
        """By owner."""
        now = self._clock.now()
        self._last = {owner: kept for owner, kept in self._last.items() if kept[1] > now}
        return [heartbeat for _, (heartbeat, _) in sorted(self._last.items())]
