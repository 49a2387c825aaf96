"""Timers in memory; fits the port `Timers`."""

from dataclasses import replace
from datetime import datetime, timedelta

from reactor.ports import Clock
from reactor.timer import Timer


class MemoryTimers:
    """Nothing is awaited within a method, so each is one atomic step."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._timers: dict[str, Timer] = {}
        self._leader, self._leads_until = "", clock.now()

    async def put(self, timer: Timer) -> None:
        """Keep it."""
        known = self._timers.get(timer.id)
        if known and known.repeats and replace(timer, due_at=known.due_at) == known:
            return
        self._timers[timer.id] = timer

    async def cancel(self, timer_id: str) -> None:
        """Forget it."""
        self._timers.pop(timer_id, None)

    async def due(self, now: datetime, *, limit: int = 100) -> list[Timer]:
        """Earliest first."""
        return [timer for timer in await self.all() if timer.due_at <= now][:limit]

    async def fired(self, timer: Timer, following: Timer | None) -> None:
        """Go on, if it is still the same moment."""
        known = self._timers.get(timer.id)
        if known is None or known.due_at != timer.due_at:
            return
        if following is None:
            del self._timers[timer.id]
        else:
            self._timers[timer.id] = following

    async def all(self) -> list[Timer]:
        """Earliest first."""
        return sorted(self._timers.values(), key=lambda timer: (timer.due_at, timer.id))

    async def lead(self, owner: str, *, lease: timedelta) -> bool:
        """One leader at a time."""
        now = self._clock.now()
        if self._leader not in ("", owner) and self._leads_until > now:
            return False
        self._leader, self._leads_until = owner, now + lease
        return True

    async def resign(self, owner: str) -> None:
        """Let the next one in at once."""
        if self._leader == owner:
            self._leader = ""
