"""What counts the events of bots, each with a way to let the window pass."""

from dataclasses import dataclass
from datetime import timedelta
from typing import Any, Protocol

from redis.asyncio import Redis

from reactor.adapters.clock import ManualClock
from reactor.adapters.memory_storms import MemoryBotEvents
from reactor.adapters.redis_storms import RedisBotEvents
from reactor.storms import BotEvents

BOT_EVENTS = 3  # that a subject may have within the window
WINDOW = timedelta(minutes=10)


class Room(Protocol):
    """A counter, seen from outside."""

    events: BotEvents

    async def let_window_pass(self) -> None:
        """What was counted so far is too long ago."""
        ...


@dataclass
class MemoryRoom:
    events: BotEvents
    clock: ManualClock

    @classmethod
    def new(cls) -> "MemoryRoom":
        clock = ManualClock()
        return cls(MemoryBotEvents(clock, limit=BOT_EVENTS, window=WINDOW), clock)

    async def let_window_pass(self) -> None:
        self.clock.move(WINDOW)


@dataclass
class RedisRoom:
    events: BotEvents
    client: Redis
    prefix: str

    @classmethod
    def new(cls, client: Redis, prefix: str) -> "RedisRoom":
        events = RedisBotEvents(client, prefix=prefix, limit=BOT_EVENTS, window=WINDOW)
        return cls(events, client, prefix)

    async def let_window_pass(self) -> None:
        """The server's clock can't be moved, so what it is compared with is."""
        async for key in self.client.scan_iter(match=f"{self.prefix}:storm:*", count=1000):
            counted: Any = await self.client.zrange(key, 0, -1)
            await self.client.zadd(key, dict.fromkeys(counted, 1))
