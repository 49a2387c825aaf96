"""Both body stores, as far as they can be told apart from outside."""

import asyncio
import os
from datetime import timedelta
from typing import Protocol

import pytest
from redis.asyncio import Redis

from reactor.adapters.memory_bodies import MemoryBodies
from reactor.adapters.redis_bodies import RedisBodies
from reactor.adapters.redis_client import connect
from reactor.children import free_port
from reactor.errors import InfrastructureError


class Bodies(Protocol):
    async def put(self, name: str, body: bytes) -> None: ...

    async def get(self, name: str) -> bytes | None: ...


@pytest.fixture
async def redis_bodies(redis_client: Redis, redis_prefix: str) -> RedisBodies:
    return RedisBodies(redis_client, prefix=redis_prefix, keep=timedelta(minutes=5))


@pytest.fixture(params=["memory", pytest.param("redis", marks=pytest.mark.redis)])
def bodies(request: pytest.FixtureRequest) -> Bodies:
    if request.param == "memory":
        return MemoryBodies()
    found: Bodies = request.getfixturevalue("redis_bodies")
    return found


async def test_a_body_comes_back_as_it_went(bodies: Bodies) -> None:
    body = bytes(range(256))

    await bodies.put("name", body)

    assert await bodies.get("name") == body


async def test_a_repeat_does_no_harm(bodies: Bodies) -> None:
    await bodies.put("name", b"body")
    await bodies.put("name", b"body")

    assert await bodies.get("name") == b"body"


async def test_a_body_that_is_not_there_is_none(bodies: Bodies) -> None:
    assert await bodies.get("nowhere") is None


async def test_bodies_of_the_largest_delivery_fit(bodies: Bodies) -> None:
    body = os.urandom(25 * 1024 * 1024)

    await bodies.put("name", body)

    assert await bodies.get("name") == body


@pytest.mark.redis
@pytest.mark.parametrize(("keep", "ttl"), [(timedelta(days=14), 14 * 86_400), (None, -1)])
async def test_redis_keeps_a_body_as_long_as_its_topic_keeps_the_record(
    redis_client: Redis, redis_prefix: str, keep: timedelta | None, ttl: int
) -> None:
    bodies = RedisBodies(redis_client, prefix=redis_prefix, keep=keep)

    await bodies.put("name", b"body")

    left = await redis_client.ttl(f"{redis_prefix}:large:name")
    assert ttl - 10 <= left <= ttl


@pytest.mark.redis
async def test_a_client_that_decodes_answers_is_refused(redis_url: str, redis_prefix: str) -> None:
    client = Redis.from_url(redis_url, decode_responses=True)
    bodies = RedisBodies(client, prefix=redis_prefix, keep=None)
    await bodies.put("name", b"body")

    with pytest.raises(TypeError, match="bodies are bytes"):
        await bodies.get("name")

    await client.aclose()


async def test_a_redis_that_is_away_is_infrastructure() -> None:
    client = connect(f"redis://127.0.0.1:{free_port()}/0")
    bodies = RedisBodies(client, prefix="test", keep=None)

    for call in (bodies.put("name", b"body"), bodies.get("name")):
        with pytest.raises(InfrastructureError, match="redis"):
            await asyncio.wait_for(call, 10)

    await client.aclose()
