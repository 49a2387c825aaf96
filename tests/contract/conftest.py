"""The adapters of each port; a suite takes one fixture and so runs over all of them."""

import pytest
from redis.asyncio import Redis

from reactor.adapters.clock import ManualClock
from reactor.adapters.memory import MemoryClaims, MemoryFirsts
from reactor.adapters.redis_claims import RedisClaims, RedisFirsts
from reactor.ports import Boards, Claims, Firsts
from tests.contract.stores import BoardStore, MemoryStore, RedisStore

ADAPTERS = ["memory", pytest.param("redis", marks=pytest.mark.redis)]


@pytest.fixture(params=ADAPTERS)
def adapter(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture
def store(adapter: str, request: pytest.FixtureRequest) -> BoardStore:
    if adapter == "memory":
        return MemoryStore.new()
    return RedisStore.new(*redis(request))


@pytest.fixture
def boards(store: BoardStore) -> Boards:
    return store.boards


@pytest.fixture
def claims(adapter: str, request: pytest.FixtureRequest) -> Claims:
    if adapter == "memory":
        return MemoryClaims(ManualClock())
    client, prefix = redis(request)
    return RedisClaims(client, prefix=prefix)


@pytest.fixture
def firsts(adapter: str, request: pytest.FixtureRequest) -> Firsts:
    if adapter == "memory":
        return MemoryFirsts()
    client, prefix = redis(request)
    return RedisFirsts(client, prefix=prefix)


def redis(request: pytest.FixtureRequest) -> tuple[Redis, str]:
    return request.getfixturevalue("redis_client"), request.getfixturevalue("redis_prefix")
