"""What was spent on models and what they answered, in memory; fits `Purses` and `Answers`."""

from collections.abc import Mapping
from datetime import datetime, timedelta

from reactor.ai.budget import Taken
from reactor.ai.exchange import Request
from reactor.ports import Clock


class MemoryPurses:
    """Nothing is awaited within a method, so each is one atomic step."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._spent: dict[tuple[str, str], float] = {}  # by day and purse

    async def take(self, amount_usd: float, limits: Mapping[str, float]) -> Taken:
        """Add the amount to each, unless one is spent."""
        day = self._today()
        for purse, limit in limits.items():
            if self._spent.get((day, purse), 0.0) >= limit:
                return Taken(day, purse)
        await self.correct(amount_usd, tuple(limits), day=day)
        return Taken(day)

    async def correct(self, by_usd: float, purses: tuple[str, ...], *, day: str) -> None:
        """Add the difference."""
        for purse in purses:
            before = self._spent.get((day, purse), 0.0)
            self._spent[day, purse] = max(0.0, before + by_usd)

    async def spent(self, purse: str) -> float:
        """What was spent of it today."""
        return self._spent.get((self._today(), purse), 0.0)

    def _today(self) -> str:
        return f"{self._clock.now():%Y%m%d}"


class MemoryAnswers:
    """Keeps the newest `limit` answers, each for `keep`."""

    def __init__(self, clock: Clock, *, keep: timedelta, limit: int = 10_000) -> None:
        self._clock, self._keep, self._limit = clock, keep, limit
        self._kept: dict[str, tuple[datetime, str]] = {}

    async def find(self, request: Request) -> str | None:
        """The text that was kept for the same request."""
        at, text = self._kept.get(request.answer_digest, (None, ""))
        return None if at is None or self._clock.now() - at >= self._keep else text

    async def keep(self, request: Request, text: str) -> None:
        """Keep a text."""
        self._kept.pop(request.answer_digest, None)
        self._kept[request.answer_digest] = (self._clock.now(), text)
        while len(self._kept) > self._limit:
            del self._kept[next(iter(self._kept))]
