"""What paces requests to GitHub, each with a way to let time pass and to set the clock back."""

from dataclasses import dataclass
from datetime import timedelta
from typing import Any, Protocol

from redis.asyncio import Redis

from reactor.adapters import redis_keys
from reactor.adapters.clock import ManualClock
from reactor.adapters.memory_pace import MemoryPace
from reactor.adapters.redis_pace import RedisPace
from reactor.pace import Pace, Rates, S

HOST, ACCOUNT = "github.com", "installation 7"
RATES = Rates(
    writes_a_second=0.01, content_a_minute=20, at_once=30, patience_s=150.0, patience_begun_s=500.0
)
"""So slow that what the test itself takes does not count."""


class Track(Protocol):
    """A pace, seen from outside."""

    pace: Pace

    async def let_pass(self, seconds: float) -> None:
        """For the account of the tests."""
        ...

    async def set_clock_back(self, seconds: float) -> None:
        """Nothing else happens meanwhile."""
        ...


@dataclass
class MemoryTrack:
    pace: Pace
    clock: ManualClock

    @classmethod
    def new(cls) -> "MemoryTrack":
        clock = ManualClock()
        return cls(MemoryPace(clock, RATES), clock)

    async def let_pass(self, seconds: float) -> None:
        self.clock.move(timedelta(seconds=seconds))

    async def set_clock_back(self, seconds: float) -> None:
        self.clock.move(timedelta(seconds=-seconds))


@dataclass
class RedisTrack:
    """The server's clock can't be moved, so what it is compared with is."""

    pace: Pace
    client: Redis
    prefix: str

    @classmethod
    def new(cls, client: Redis, prefix: str) -> "RedisTrack":
        return cls(RedisPace(client, RATES, prefix=prefix), client, prefix)

    async def let_pass(self, seconds: float) -> None:
        await self._move(-seconds, without="seen")

    async def set_clock_back(self, seconds: float) -> None:
        await self._move(seconds)

    async def _move(self, seconds: float, without: str = "") -> None:
        budget, running = redis_keys.pace(self.prefix, HOST, ACCOUNT)
        fields: Any = await self.client.hgetall(budget)
        for name in map(bytes.decode, fields):
            is_moment = name in ("seen", "stopped", "reset_at", "promised") or "ahead:" in name
            if is_moment and name != without:
                await self.client.hincrby(budget, name, round(seconds * S))
        scored: Any = await self.client.zrange(running, 0, -1, withscores=True)
        for member, score in scored:
            await self.client.zadd(running, {member: score + round(seconds * S)})
