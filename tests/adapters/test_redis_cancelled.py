"""A call that is cancelled ends cancelled, wherever it was: leases are renewed by such calls."""

import asyncio

import pytest
from redis.asyncio import Redis

from reactor.adapters.redis_client import Call, Script, run

pytestmark = pytest.mark.redis


@pytest.fixture(params=["one server", "a pipeline"])
async def client(request: pytest.FixtureRequest, redis_client: Redis, redis_url: str) -> Redis:
    """The one that batches; and one that sends in pipelines, as that of a cluster does."""
    if request.param == "one server":
        return redis_client
    plain: Redis = Redis.from_url(redis_url, socket_timeout=5)
    return plain


async def is_cancelled_after(client: Redis, key: str, turns: int) -> bool:
    """Whether a call that is cancelled after so many turns of the loop ends so, if it still ran."""
    call = Call(Script.named("renew_turn"), [key], ["owner", 1, 1000])
    task = asyncio.create_task(run(client, call))
    for _ in range(turns):
        await asyncio.sleep(0)
    was_running = task.cancel()
    await asyncio.wait({task})
    return task.cancelled() if was_running else True


async def test_a_cancelled_call_ends_cancelled_wherever_it_was(
    client: Redis, redis_prefix: str
) -> None:
    for turns in range(120):
        await client.script_flush()  # so that it asks twice
        if turns % 2:
            await client.connection_pool.disconnect()

        assert await is_cancelled_after(client, redis_prefix, turns // 2), turns
    await client.aclose()
