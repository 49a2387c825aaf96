"""Every adapter of `Handlings`: what was done about dead letters is remembered."""

from datetime import timedelta

import pytest
from redis.asyncio import Redis

from reactor.adapters.memory_dead import MemoryHandlings
from reactor.adapters.redis_dead import RedisHandlings
from reactor.dead import Handling, Handlings
from tests.contract.samples import NOW

RETRIED = Handling(what="retried", by="ann", at=NOW)
DROPPED = Handling(what="dropped", by="böb", at=NOW + timedelta(hours=1))


@pytest.fixture
def handlings(adapter: str, request: pytest.FixtureRequest) -> Handlings:
    if adapter == "memory":
        return MemoryHandlings()
    client: Redis = request.getfixturevalue("redis_client")
    return RedisHandlings(client, prefix=request.getfixturevalue("redis_prefix"))


async def test_nothing_was_done_at_first(handlings: Handlings) -> None:
    assert await handlings.all() == {}


async def test_what_was_done_last_about_each_letter_is_remembered(handlings: Handlings) -> None:
    await handlings.note("0123456789ab", RETRIED)
    await handlings.note("ba9876543210", RETRIED)
    await handlings.note("0123456789ab", DROPPED)

    assert await handlings.all() == {"0123456789ab": DROPPED, "ba9876543210": RETRIED}
