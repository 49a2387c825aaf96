"""The adapters of each port; a suite takes one fixture and so runs over all of them."""

from collections.abc import AsyncIterator

import pytest
from redis.asyncio import Redis

from reactor.adapters.clock import ManualClock
from reactor.adapters.memory import MemoryClaims, MemoryFirsts
from reactor.adapters.memory_contexts import MemoryContexts
from reactor.adapters.memory_forms import MemoryForms
from reactor.adapters.memory_outcomes import MemoryOutcomes
from reactor.adapters.memory_timers import MemoryTimers
from reactor.adapters.redis_claims import RedisClaims, RedisFirsts
from reactor.adapters.redis_contexts import RedisContexts
from reactor.adapters.redis_forms import RedisForms
from reactor.adapters.redis_outcomes import RedisOutcomes
from reactor.adapters.redis_timers import RedisTimers
from reactor.ports import Boards, Claims, Contexts, Firsts, OpenForms, Outcomes
from reactor.timer import Timers
from tests.contract.logs import Logs, MemoryLogs, kafka_logs
from tests.contract.rooms import MemoryRoom, RedisRoom, Room
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


@pytest.fixture
def outcomes(adapter: str, request: pytest.FixtureRequest) -> Outcomes:
    if adapter == "memory":
        return MemoryOutcomes()
    client, prefix = redis(request)
    return RedisOutcomes(client, prefix=prefix)


@pytest.fixture
def room(adapter: str, request: pytest.FixtureRequest) -> Room:
    if adapter == "memory":
        return MemoryRoom.new()
    return RedisRoom.new(*redis(request))


@pytest.fixture
def contexts(adapter: str, request: pytest.FixtureRequest) -> Contexts:
    if adapter == "memory":
        return MemoryContexts()
    client, prefix = redis(request)
    return RedisContexts(client, prefix=prefix)


@pytest.fixture
def forms(adapter: str, request: pytest.FixtureRequest) -> OpenForms:
    if adapter == "memory":
        return MemoryForms()
    client, prefix = redis(request)
    return RedisForms(client, prefix=prefix)


@pytest.fixture
def timers(adapter: str, request: pytest.FixtureRequest) -> Timers:
    if adapter == "memory":
        return MemoryTimers(ManualClock())
    client, prefix = redis(request)
    return RedisTimers(client, prefix=prefix)


@pytest.fixture(params=["memory", pytest.param("kafka", marks=pytest.mark.kafka)])
def broker(request: pytest.FixtureRequest) -> tuple[str, str] | None:
    """Where it is and the prefix of this test's topics; None: the one in memory."""
    if request.param == "memory":
        return None
    return request.getfixturevalue("kafka_bootstrap"), request.getfixturevalue("kafka_prefix")


@pytest.fixture
async def logs(broker: tuple[str, str] | None) -> AsyncIterator[Logs]:
    if broker is None:
        yield MemoryLogs()
        return
    async with kafka_logs(*broker) as found:
        yield found


def redis(request: pytest.FixtureRequest) -> tuple[Redis, str]:
    return request.getfixturevalue("redis_client"), request.getfixturevalue("redis_prefix")
