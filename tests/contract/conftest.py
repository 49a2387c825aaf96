"""The adapters of each port; a suite takes one fixture and so runs over all of them.

Over Redis it runs three times: as a user who may do everything, as one with the least rights
(docs/operations.md), and on a cluster.
"""

from collections.abc import AsyncIterator, Iterator
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path

import pytest
from redis import Redis as BlockingRedis
from redis.asyncio import Redis

from reactor.adapters.clock import ManualClock, SystemClock
from reactor.adapters.memory import MemoryClaims, MemoryFirsts
from reactor.adapters.memory_contexts import MemoryContexts
from reactor.adapters.memory_forms import MemoryForms
from reactor.adapters.memory_heartbeats import MemoryHeartbeats
from reactor.adapters.memory_models import MemoryAnswers, MemoryPurses
from reactor.adapters.memory_outcomes import MemoryOutcomes
from reactor.adapters.memory_sessions import MemorySessions
from reactor.adapters.memory_shelf import MemoryShelf
from reactor.adapters.memory_timers import MemoryTimers
from reactor.adapters.memory_troubles import MemoryTroubles
from reactor.adapters.redis_claims import RedisClaims, RedisFirsts
from reactor.adapters.redis_contexts import RedisContexts
from reactor.adapters.redis_forms import RedisForms
from reactor.adapters.redis_heartbeats import RedisHeartbeats
from reactor.adapters.redis_models import RedisAnswers, RedisPurses
from reactor.adapters.redis_outcomes import RedisOutcomes
from reactor.adapters.redis_sessions import RedisSessions
from reactor.adapters.redis_shelf import RedisShelf
from reactor.adapters.redis_timers import RedisTimers
from reactor.adapters.redis_troubles import RedisTroubles
from reactor.ai.answers import Answers
from reactor.ai.budget import Purses
from reactor.heartbeat import Heartbeats
from reactor.ports import Boards, Claims, Contexts, Firsts, OpenForms, Outcomes
from reactor.session import Sessions
from reactor.timer import Timers
from reactor.troubles import Troubles
from streams.keeping import Shelf
from tests.contract.logs import Logs, MemoryLogs, kafka_logs, layered_logs
from tests.contract.rooms import MemoryRoom, RedisRoom, Room
from tests.contract.stores import BoardStore, MemoryStore, RedisStore
from tests.fixtures.documented_keys import undocumented

ON_REDIS = {  # name of the adapter -> fixtures: its client, its prefix, and who may do everything
    "redis": ("redis_client", "redis_prefix", "redis_client"),
    "least_rights": ("least_rights_client", "redis_prefix", "redis_client"),
    "cluster": ("cluster_client", "cluster_prefix", "cluster_client"),
}
KEPT = timedelta(seconds=30)  # answers of models
ADAPTERS = ["memory", *(pytest.param(name, marks=pytest.mark.redis) for name in ON_REDIS)]


@pytest.fixture(params=ADAPTERS)
def adapter(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture(autouse=True)
def only_documented_keys(request: pytest.FixtureRequest) -> Iterator[None]:
    """After each test, every key is as the table of `redis_keys` says: type and life."""
    if "adapter" not in request.fixturenames or request.getfixturevalue("adapter") == "memory":
        yield
        return
    _, prefix = redis(request)  # before us, so that they outlive us
    operator(request)
    yield
    if request.getfixturevalue("adapter") == "cluster":
        nodes = request.getfixturevalue("redis_cluster").node_urls
    else:
        nodes = [request.getfixturevalue("redis_url")]
    for node in nodes:
        with BlockingRedis.from_url(node) as client:
            assert undocumented(client, prefix) == []


@pytest.fixture
def store(adapter: str, request: pytest.FixtureRequest) -> BoardStore:
    if adapter == "memory":
        return MemoryStore.new()
    store = RedisStore.new(*redis(request))
    store.client = operator(request)
    return store


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
    room = RedisRoom.new(*redis(request))
    room.client = operator(request)
    return room


@pytest.fixture
def contexts(adapter: str, request: pytest.FixtureRequest) -> Contexts:
    if adapter == "memory":
        return MemoryContexts()
    client, prefix = redis(request)
    return RedisContexts(client, prefix=prefix)


@pytest.fixture
def purse_clock() -> ManualClock:
    return ManualClock()


@pytest.fixture
def purses(adapter: str, purse_clock: ManualClock, request: pytest.FixtureRequest) -> Purses:
    if adapter == "memory":
        return MemoryPurses(purse_clock)
    client, prefix = redis(request)
    return RedisPurses(client, purse_clock, prefix=prefix)


@pytest.fixture
def answers(adapter: str, request: pytest.FixtureRequest) -> Answers:
    if adapter == "memory":
        return MemoryAnswers(SystemClock(), keep=KEPT)  # they have to run out, as in Redis
    client, prefix = redis(request)
    return RedisAnswers(client, prefix=prefix, keep=KEPT)


@pytest.fixture
def forms(adapter: str, request: pytest.FixtureRequest) -> OpenForms:
    if adapter == "memory":
        return MemoryForms()
    client, prefix = redis(request)
    return RedisForms(client, prefix=prefix)


@pytest.fixture
def session_clock() -> ManualClock:
    return ManualClock()


@pytest.fixture
def sessions(adapter: str, session_clock: ManualClock, request: pytest.FixtureRequest) -> Sessions:
    if adapter == "memory":
        return MemorySessions(session_clock)
    client, prefix = redis(request)
    return RedisSessions(client, session_clock, prefix=prefix)


@pytest.fixture
def heartbeats(adapter: str, request: pytest.FixtureRequest) -> Heartbeats:
    if adapter == "memory":
        return MemoryHeartbeats(SystemClock())  # it has to run out, as in Redis
    client, prefix = redis(request)
    return RedisHeartbeats(client, prefix=prefix)


@pytest.fixture
def troubles(adapter: str, request: pytest.FixtureRequest) -> Troubles:
    if adapter == "memory":
        return MemoryTroubles(SystemClock())  # they have to run out, as in Redis
    client, prefix = redis(request)
    return RedisTroubles(client, prefix=prefix)


@pytest.fixture
def shelf(adapter: str, request: pytest.FixtureRequest) -> Shelf:
    if adapter == "memory":
        return MemoryShelf()
    client, prefix = redis(request)
    return RedisShelf(client, prefix=prefix)


@pytest.fixture
def timers(adapter: str, request: pytest.FixtureRequest) -> Timers:
    if adapter == "memory":
        return MemoryTimers(ManualClock())
    client, prefix = redis(request)
    return RedisTimers(client, prefix=prefix)


@dataclass(frozen=True)
class OnKafka:
    """Where it is, the prefix of this test's topics, and whether through a gateway's layers."""

    bootstrap: str
    prefix: str
    is_layered: bool


ON_KAFKA = [pytest.param(name, marks=pytest.mark.kafka) for name in ("kafka", "layered")]


@pytest.fixture(params=["memory", *ON_KAFKA])
def broker(request: pytest.FixtureRequest) -> OnKafka | None:
    """None: the one in memory."""
    if request.param == "memory":
        return None
    return OnKafka(
        bootstrap=request.getfixturevalue("kafka_bootstrap"),
        prefix=request.getfixturevalue("kafka_prefix"),
        is_layered=request.param == "layered",
    )


@pytest.fixture
async def logs(broker: OnKafka | None, tmp_path: Path) -> AsyncIterator[Logs]:
    if broker is None:
        yield MemoryLogs()
    elif broker.is_layered:
        async with layered_logs(broker.bootstrap, broker.prefix, tmp_path / "spool") as found:
            yield found
    else:
        async with kafka_logs(broker.bootstrap, broker.prefix) as found:
            yield found


def redis(request: pytest.FixtureRequest) -> tuple[Redis, str]:
    """The client to be used by an adapter, and the prefix of its keys."""
    client, prefix, _ = ON_REDIS[request.getfixturevalue("adapter")]
    return request.getfixturevalue(client), request.getfixturevalue(prefix)


def operator(request: pytest.FixtureRequest) -> Redis:
    """A client for what only a test does: looking for keys, letting time pass."""
    *_, name = ON_REDIS[request.getfixturevalue("adapter")]
    found: Redis = request.getfixturevalue(name)
    return found
