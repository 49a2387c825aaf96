"""A gateway whose broker is away: accepted into the spool, produced when the broker is back."""

import asyncio
import json
import secrets
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import httpx
import pytest
from redis.asyncio import Redis

from reactor.adapters import embedded_redis, redis_keys
from reactor.adapters.file_spool import size_of
from reactor.adapters.redis_client import connect
from reactor.children import free_port
from tests.fixtures.ledger import Outside, outside
from tests.fixtures.own_broker import OwnBroker, own_broker
from tests.fixtures.redis_process import server_process
from tests.fixtures.site import SAMPLES, Site, answers, post, site_environ, until

pytestmark = [
    pytest.mark.e2e,
    pytest.mark.long,
    pytest.mark.kafka,
    pytest.mark.redis,
    pytest.mark.timeout(300),
]

SAMPLE = json.loads((SAMPLES / "issues.opened.json").read_text())


@pytest.fixture(scope="module")
def lasting_broker(tmp_path_factory: pytest.TempPathFactory) -> Iterator[OwnBroker]:
    with own_broker(tmp_path_factory.mktemp("broker")) as own:
        yield own


@pytest.fixture
async def broker(lasting_broker: OwnBroker) -> AsyncIterator[OwnBroker]:
    """There when the test begins, whatever the one before has done."""
    yield lasting_broker
    await lasting_broker.come_back()


@pytest.fixture
async def gateway(tmp_path: Path, broker: OwnBroker, redis_url: str) -> AsyncIterator[Site]:
    """A gateway with a spool, ready, beside a broker that the test may send away."""
    made = spooling_site(tmp_path, broker, redis_url)
    made.start_gateway()
    await until(lambda: answers(f"{made.url}/readyz"), within_s=60)
    yield made
    made.stop()


def spooling_site(folder: Path, broker: OwnBroker, redis_url: str) -> Site:
    prefix = f"spool-{secrets.token_hex(6)}"
    return Site(
        folder=folder,
        environ=site_environ(
            KAFKA_BOOTSTRAP_SERVERS=broker.bootstrap,
            REDIS_URL=redis_url,
            REACTOR_KAFKA_PREFIX=prefix,
            REACTOR_REDIS_PREFIX=prefix,
            REACTOR_SPOOL=str(folder / "spool"),
        ),
    )


def spool_of(site: Site) -> Path:
    return site.folder / "spool"


def body_of(number: int, *, issue: int = 7, filling: str = "") -> bytes:
    payload = json.loads(json.dumps(SAMPLE))
    payload["issue"] |= {"number": issue, "title": f"number {number}", "body": filling}
    return json.dumps(payload).encode()


async def send(site: Site, *names: str, filling: str = "") -> list[tuple[int, str]]:
    """Send deliveries one after the other; the name ends in its number."""
    told = []
    async with site.client() as client:
        for name in names:
            number = int(name.rpartition("-")[2])
            body = body_of(number, issue=number % 3, filling=filling)
            answer = await post(client, "issues", body, name)
            told.append((answer.status_code, answer.json().get("status")))
    return told


async def metric(site: Site, name: str) -> float:
    async with site.client() as client:
        told = (await client.get("/metrics")).text
    (line,) = [line for line in told.splitlines() if line.startswith(f"{name} ")]
    return float(line.split()[1])


async def order_on_topic(seen: Outside) -> dict[str | None, list[str]]:
    """By subject, the ids on the deliveries topic in their order; repeats are left out."""
    found: dict[str | None, list[str]] = {}
    for record in await seen.records(seen.topics.deliveries):
        headers = {name: value.decode() for name, value in record.headers}
        lane = found.setdefault(record.key.decode() if record.key else None, [])
        if headers["delivery"] not in lane:
            lane.append(headers["delivery"])
    return found


async def all_produced(site: Site, count: int) -> dict[str | None, list[str]]:
    """Once the spool is empty, what lies on the topic."""
    await until(lambda: size_of(spool_of(site)).items == 0, within_s=90)
    async with outside(site) as seen:
        found = await order_on_topic(seen)
    assert sum(map(len, found.values())) == count
    return found


async def test_while_the_broker_is_away_deliveries_are_accepted_and_come_in_order_later(
    gateway: Site, broker: OwnBroker
) -> None:
    before = await send(gateway, "d-0", "d-1", "d-2")
    await until(lambda: size_of(spool_of(gateway)).items == 0)  # the topic may be just being made
    await broker.go_away()

    during = await send(gateway, *(f"d-{number}" for number in range(3, 30)))

    assert before + during == [(202, "accepted")] * 30
    assert size_of(spool_of(gateway)).items == 27
    assert await answers(f"{gateway.url}/readyz")
    assert await metric(gateway, "reactor_spool_items") == 27
    assert await send(gateway, "d-1", "d-5", "d-29") == [(202, "duplicate")] * 3

    gateway.processes[0].kill()  # what waits outlives the gateway, which starts without a broker
    gateway.processes[0].wait()
    gateway.start_gateway()
    await until(lambda: answers(f"{gateway.url}/readyz"), within_s=60)
    assert await send(gateway, "d-29", "d-30") == [(202, "duplicate"), (202, "accepted")]
    await broker.come_back()

    found = await all_produced(gateway, 31)
    assert sorted(found.values()) == sorted(
        [f"d-{number}" for number in range(31) if number % 3 == lane] for lane in range(3)
    )
    async with outside(gateway) as seen:
        assert await seen.claims.position("github.com/d-29") is not None
    assert await send(gateway, "d-29", "d-31") == [(202, "duplicate"), (202, "accepted")]
    assert size_of(spool_of(gateway)).items == 0
    assert await metric(gateway, "reactor_spool_drained_total") == 28


async def test_where_the_spool_s_files_are_gone_nothing_is_accepted_into_nowhere(
    gateway: Site, broker: OwnBroker
) -> None:
    await broker.go_away()
    assert await send(gateway, "d-0") == [(202, "accepted")]
    (segment,) = spool_of(gateway).glob("*.items")
    elsewhere = segment.rename(gateway.folder / segment.name)

    assert [status for status, _ in await send(gateway, "d-1")] == [503]
    async with gateway.client() as client:
        ready = await client.get("/readyz")
    assert ready.status_code == 503
    assert "spool" in ready.json()["failing"]
    assert await metric(gateway, "reactor_spool_unreadable") == 1

    elsewhere.rename(segment)  # a volume that is mounted again

    await until(lambda: answers(f"{gateway.url}/readyz"), within_s=60)
    assert await metric(gateway, "reactor_spool_unreadable") == 0
    assert await send(gateway, "d-1") == [(202, "accepted")]
    await broker.come_back()
    assert sorted((await all_produced(gateway, 2)).values()) == [["d-0"], ["d-1"]]


async def test_a_full_spool_is_answered_503_and_what_was_refused_may_come_again(
    gateway: Site, broker: OwnBroker
) -> None:
    gateway.processes[0].kill()
    config = gateway.folder / "reactor.yaml"
    config.write_text(json.dumps({"gateway": {"spool_mb": 1}}))
    gateway.processes[0].wait()
    gateway.start_gateway("--config", str(config))
    await until(lambda: answers(f"{gateway.url}/readyz"), within_s=60)
    await broker.go_away()

    large = "x" * 450_000
    told = await send(gateway, "d-1", "d-2", "d-3", filling=large)

    assert [status for status, _ in told] == [202, 202, 503]
    assert await retry_after(gateway, "d-3", filling=large)
    await broker.come_back()
    await all_produced(gateway, 2)
    assert await send(gateway, "d-3", filling=large) == [(202, "accepted")]


async def test_without_a_spool_a_delivery_is_refused_and_may_come_again(
    gateway: Site, broker: OwnBroker
) -> None:
    gateway.processes[0].kill()
    gateway.processes[0].wait()
    gateway.environ = {**gateway.environ, "REACTOR_SPOOL": ""}
    gateway.start_gateway()
    await until(lambda: answers(f"{gateway.url}/readyz"), within_s=60)
    await broker.go_away()

    assert await retry_after(gateway, "d-1")

    assert not await answers(f"{gateway.url}/readyz")
    await broker.come_back()
    await until(lambda: answers(f"{gateway.url}/readyz"), within_s=60)
    assert await send(gateway, "d-1") == [(202, "accepted")]


@pytest.mark.parametrize("comes", ["at once", "when the claim has run out"])
async def test_a_claim_whose_gateway_was_killed_swallows_no_redelivery(
    gateway: Site, broker: OwnBroker, comes: str
) -> None:
    """Killed between claim and produce: nobody has the delivery, and its id is taken."""
    prefix = gateway.environ["REACTOR_REDIS_PREFIX"]
    key = redis_keys.claim(prefix, "github.com/d-1")
    redis = connect(gateway.environ["REDIS_URL"])
    await broker.go_away()
    await kill_once_claimed(gateway, key, redis)
    assert await redis.exists(key)
    if comes == "when the claim has run out":
        await redis.delete(key)  # as its 60 s would
    await redis.aclose()
    gateway.start_gateway()
    await until(lambda: answers(f"{gateway.url}/readyz"), within_s=60)

    assert await send(gateway, "d-1") == [(202, "accepted")]

    assert await send(gateway, "d-1") == [(202, "duplicate")]
    await broker.come_back()
    assert list((await all_produced(gateway, 1)).values()) == [["d-1"]]
    assert await send(gateway, "d-1") == [(202, "duplicate")]


async def test_with_redis_away_as_well_deliveries_are_accepted_all_the_same(
    tmp_path: Path, broker: OwnBroker
) -> None:
    port = free_port()
    site = spooling_site(tmp_path, broker, embedded_redis.url(port))
    with server_process(tmp_path / "redis", port):
        await until(lambda: embedded_redis.is_ready(port))
        site.start_gateway()
        await until(lambda: answers(f"{site.url}/readyz"), within_s=60)
        await broker.go_away()
    await until(lambda: _is_gone(port))

    told = await send(site, "d-1", "d-2", "d-3")

    assert told == [(202, "accepted")] * 3
    assert await answers(f"{site.url}/readyz")
    with server_process(tmp_path / "redis", port):
        await broker.come_back()
        await all_produced(site, 3)
        assert await send(site, "d-1", "d-3") == [(202, "duplicate")] * 2
        site.stop()


async def _is_gone(port: int) -> bool:
    return not await embedded_redis.is_ready(port)


async def kill_once_claimed(gateway: Site, key: str, redis: Redis) -> None:
    """Send d-1, and kill the gateway as soon as it has claimed the id."""
    async with gateway.client() as client:
        sending = asyncio.create_task(post(client, "issues", body_of(1, issue=1), "d-1"))
        await until(lambda: redis.exists(key), every_s=0.005)
        assert not sending.done()
        gateway.processes[0].kill()
        gateway.processes[0].wait()
        with pytest.raises(httpx.HTTPError):
            await sending


async def retry_after(site: Site, name: str, *, filling: str = "") -> str | None:
    """What the gateway says of when to come again with a delivery that it refuses."""
    number = int(name.rpartition("-")[2])
    async with site.client() as client:
        body = body_of(number, issue=number % 3, filling=filling)
        answer = await post(client, "issues", body, name)
    assert answer.status_code == 503
    return dict(answer.headers).get("retry-after")
