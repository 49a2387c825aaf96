"""Commands of many callers, sent together: each gets its own answers, and its own trouble."""

import asyncio
from typing import Any

import pytest
from redis.asyncio import BlockingConnectionPool, Redis
from redis.exceptions import RedisError, ResponseError

from reactor.adapters.redis_batches import BatchingRedis
from reactor.adapters.redis_client import connect
from reactor.children import free_port
from tests.adapters.proxy import Proxy


@pytest.fixture
def batching(redis_client: Redis) -> BatchingRedis:
    assert isinstance(redis_client, BatchingRedis)
    return redis_client


async def test_many_callers_get_each_its_own_answers_in_order(
    batching: BatchingRedis, redis_prefix: str
) -> None:
    async def call(number: int) -> list[Any]:
        key = f"{redis_prefix}:{number}"
        return await batching.send_all([("SET", key, number), ("GET", key), ("INCR", key)])

    found = await asyncio.gather(*(call(number) for number in range(200)))

    assert found == [[b"OK", str(number).encode(), number + 1] for number in range(200)]


async def test_callers_at_once_share_round_trips(redis_url: str, redis_prefix: str) -> None:
    async with Proxy(redis_url) as wire:
        client = connect(wire.url)
        assert isinstance(client, BatchingRedis)
        await client.send_all([("PING",)])
        before = wire.round_trips

        await asyncio.gather(*(client.send_all([("GET", redis_prefix)]) for _ in range(100)))

        assert wire.round_trips - before < 10
        await client.aclose()


async def test_what_redis_refuses_is_the_answer_of_that_command_alone(
    batching: BatchingRedis, redis_prefix: str
) -> None:
    text, number = f"{redis_prefix}:text", f"{redis_prefix}:number"

    refused, fine = await asyncio.gather(
        batching.send_all([("SET", text, "x"), ("INCR", text), ("GET", text)]),
        batching.send_all([("INCR", number)]),
    )

    assert isinstance(refused[1], ResponseError)
    assert (refused[0], refused[2], fine) == (b"OK", b"x", [1])


async def test_a_caller_that_gives_up_takes_nothing_from_the_others(
    batching: BatchingRedis, redis_prefix: str
) -> None:
    calls = [
        asyncio.ensure_future(batching.send_all([("SET", f"{redis_prefix}:{n}", n), ("PING",)]))
        for n in range(20)
    ]
    await asyncio.sleep(0)

    calls[3].cancel()
    found = await asyncio.gather(*calls, return_exceptions=True)

    assert isinstance(found.pop(3), asyncio.CancelledError)
    assert found == [[b"OK", b"PONG"]] * 19
    assert await batching.send_all([("PING",)]) == [b"PONG"]


async def test_an_answer_that_is_lost_is_asked_for_once_more(
    redis_url: str, redis_prefix: str
) -> None:
    async with Proxy(redis_url) as wire:
        client = connect(wire.url)
        assert isinstance(client, BatchingRedis)
        await client.send_all([("PING",)])

        wire.answers_to_lose = 1
        found = await client.send_all([("SADD", redis_prefix, "once"), ("SCARD", redis_prefix)])

        assert found == [0, 1]  # it was done the first time
        await client.aclose()


async def test_every_caller_hears_that_the_server_is_away() -> None:
    client = connect(f"redis://127.0.0.1:{free_port()}/0", timeout_s=1)
    assert isinstance(client, BatchingRedis)

    calls = (client.send_all([("PING",)]) for _ in range(5))
    found = await asyncio.gather(*calls, return_exceptions=True)

    assert len(found) == 5
    assert all(isinstance(each, (RedisError, OSError)) for each in found)
    await client.aclose()


async def test_nothing_goes_on_to_connect_when_the_client_is_closed(
    redis_client: Redis, redis_url: str, redis_prefix: str
) -> None:
    clients = []
    for turns in range(1, 40):  # of the loop, so that it is closed at every step
        client = connect(f"{redis_url}?client_name={redis_prefix}")
        assert isinstance(client, BatchingRedis)
        calls = [asyncio.create_task(client.send_all([("PING",)])) for _ in range(3)]
        for _ in range(turns):
            await asyncio.sleep(0)
        calls[0].cancel()  # as by the end of its task group, right before

        await client.aclose()
        await asyncio.wait(calls)
        clients.append(client)  # one that is forgotten is closed anyway

    async with asyncio.timeout(5):
        while redis_prefix in {c["name"] for c in await redis_client.client_list()}:  # noqa: ASYNC110 - of a server
            await asyncio.sleep(0.01)


@pytest.mark.timeout(20)
async def test_nobody_waits_for_batches_that_have_just_ended_together() -> None:
    class Answering(BatchingRedis):
        """Answers all batches that are under way at the same moment."""

        async def _send_batch(self, batch: Any) -> None:
            await go_on.wait()
            for wanted in batch:
                wanted.answers.set_result([])

    async def twice() -> None:
        await client.send_all([("PING",)])
        await client.send_all([("PING",)])

    go_on = asyncio.Event()
    pool = BlockingConnectionPool.from_url("redis://127.0.0.1:1/0")
    client = Answering(connection_pool=pool, timeout_s=5)
    first = asyncio.create_task(twice())
    await asyncio.sleep(0)
    await asyncio.sleep(0)  # its batch is under way
    second = asyncio.create_task(client.send_all([("PING",)]))
    await asyncio.sleep(0)
    await asyncio.sleep(0)

    go_on.set()

    await asyncio.gather(first, second)
    await client.aclose()
