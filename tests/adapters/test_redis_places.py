"""What the index of processes that rest leaves out."""

from datetime import timedelta

import pytest
from redis.asyncio import Redis

from reactor.adapters.clock import ManualClock
from reactor.adapters.redis_places import RedisOpenProcesses

ISSUE = "github.com/1#7"
DAY = timedelta(days=1)

pytestmark = pytest.mark.redis


async def test_one_that_has_expired_makes_room(redis_client: Redis, redis_prefix: str) -> None:
    clock = ManualClock()
    index = RedisOpenProcesses(redis_client, clock, prefix=redis_prefix, keep=DAY)
    await index.add("p1", subject=ISSUE)

    clock.move(DAY + timedelta(seconds=1))
    await index.add("p2", subject=ISSUE)

    assert await index.at(ISSUE) == ["p2"]


async def test_of_too_many_the_oldest_make_room(redis_client: Redis, redis_prefix: str) -> None:
    clock = ManualClock()
    index = RedisOpenProcesses(redis_client, clock, prefix=redis_prefix, most=2)

    for process_id in ("p1", "p2", "p3"):
        clock.move(timedelta(seconds=1))
        await index.add(process_id, subject=ISSUE)

    assert await index.at(ISSUE) == ["p2", "p3"]
