"""Watching that Redis still has the data that it had: a gateway or worker tells when it has not.

What was lost can't be had back here, and work goes on; but people have to know.
"""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field

import structlog

from reactor.adapters.redis_mark import Mark, RedisMark
from reactor.errors import ReactorError
from reactor.heartbeat import BEAT_EVERY_S
from reactor.ports import Clock
from reactor.wiring.redis import RedisParts

WHAT_IS_GONE = (
    "claims, open processes, forms, timers and the ledger of effects that were there are gone;"
    ' docs/operations.md, "When Redis has lost its data", says what to do'
)


@dataclass(slots=True)
class RedisWatch:
    """Remembers the mark of the data, and counts how often it was gone or another one."""

    mark: RedisMark
    clock: Clock
    losses: int = 0
    _seen: Mark | None = field(default=None, init=False)

    async def look(self) -> None:
        """Compare.  Raises `InfrastructureError`; nothing is concluded then."""
        found, now = await self.mark.read(), self.clock.now()
        if found is None:
            lost_at = now if self._seen else None
            found = await self.mark.ensure(now=now, lost_at=lost_at)
        before, self._seen = self._seen, found
        if before is not None and before.id != found.id:
            self.losses += 1
            structlog.get_logger("reactor.redis").error(
                "redis_lost_its_data",
                what=WHAT_IS_GONE,
                had_since=before.since.isoformat(),
                before=before.id,
                now=found.id,
            )


@asynccontextmanager
async def watching(redis: RedisParts, clock: Clock) -> AsyncIterator[RedisWatch]:
    """Look every two seconds, for as long as the context lasts; one that is away is looked at later."""
    watch = RedisWatch(RedisMark(redis.client, prefix=redis.prefix), clock)
    async with asyncio.TaskGroup() as group:
        task = group.create_task(_look_for_ever(watch))
        try:
            yield watch
        finally:
            task.cancel()


async def _look_for_ever(watch: RedisWatch) -> None:
    while True:
        with suppress(ReactorError):  # those that need it tell that it is away, or refuses us
            await watch.look()
        await asyncio.sleep(BEAT_EVERY_S)
