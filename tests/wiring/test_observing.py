"""A worker that is looked at: its probes, its counts, its heartbeat, and the whole at a glance."""

import asyncio
import secrets
import socket
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import AsyncExitStack

import httpx
import pytest
from prometheus_client.parser import text_string_to_metric_families
from pydantic import SecretStr

from reactor.children import free_port
from reactor.delivery import Delivery
from reactor.overview import Overview, told_overview
from reactor.settings import Settings, load
from reactor.testing import delivery, issue
from reactor.wiring.kafka import KafkaParts, kafka_parts, large_bodies
from reactor.wiring.redis import RedisParts, redis_parts
from reactor.wiring.status import look
from reactor.wiring.worker import processor
from streams.processor import Processor
from streams.record import Outgoing

pytestmark = [pytest.mark.kafka, pytest.mark.redis, pytest.mark.timeout(60)]

PATIENT_S = 20  # a busy machine is not what these tests look for


def environ(kafka_bootstrap: str, redis_url: str) -> dict[str, str]:
    prefix = f"observing-{secrets.token_hex(6)}"
    return {
        "KAFKA_BOOTSTRAP_SERVERS": kafka_bootstrap,
        "REDIS_URL": redis_url,
        "REACTOR_KAFKA_PREFIX": prefix,
        "REACTOR_KAFKA_GROUP": prefix,
        "REACTOR_KAFKA_PARTITIONS": "2",
        "REACTOR_KAFKA_SESSION_TIMEOUT_S": "6",
        "REACTOR_REDIS_PREFIX": prefix,
        "REACTOR_WORKER_HTTP_PORT": "0",
    }


@pytest.fixture
def settings(kafka_bootstrap: str, redis_url: str) -> Settings:
    return load(None, environ(kafka_bootstrap, redis_url))


@pytest.fixture
async def redis(settings: Settings) -> AsyncIterator[RedisParts]:
    async with redis_parts(settings) as parts:
        yield parts


@pytest.fixture
async def kafka(settings: Settings, redis: RedisParts) -> AsyncIterator[KafkaParts]:
    async with AsyncExitStack() as stack:
        yield await stack.enter_async_context(kafka_parts(settings, large_bodies(settings, redis)))


def opened(number: int) -> Delivery:
    return delivery("issues.opened", id=f"d-{number}", issue=issue(number=number))


async def until(holds: Callable[[], object]) -> None:
    async with asyncio.timeout(30):
        while not (await found if asyncio.iscoroutine(found := holds()) else found):  # noqa: ASYNC110 - of a server
            await asyncio.sleep(0.02)


async def address_of(redis: RedisParts) -> str:
    """Of the only worker, once it has said it."""
    await until(redis.heartbeats.alive)
    (told,) = await redis.heartbeats.alive()
    return told.http


def samples_of(text: str) -> dict[tuple[str, frozenset[str]], float]:
    """By name and the values of its labels."""
    return {
        (sample.name, frozenset(sample.labels.values())): sample.value
        for family in text_string_to_metric_families(text)
        for sample in family.samples
    }


def labels(*values: str) -> frozenset[str]:
    return frozenset(values)


async def settle(worker: Processor, *, records: int) -> None:
    await worker.start()
    await until(lambda: worker.health().pump.settled >= records)


async def test_a_worker_tells_what_it_did_and_that_it_is_ready(
    settings: Settings, redis: RedisParts, kafka: KafkaParts
) -> None:
    await kafka.deliveries.append(opened(7))
    await kafka.writer.write(kafka.topics.deliveries, Outgoing(key=b"k", value=b"no delivery"))

    async with processor(settings, owner="host/1/worker") as worker:
        url = await address_of(redis)
        async with httpx.AsyncClient(base_url=url) as client:
            early = await client.get("/readyz")
            await settle(worker, records=2)
            ready, alive = await client.get("/readyz"), await client.get("/healthz")
            metrics = samples_of((await client.get("/metrics")).text)
        await worker.stop()

    assert early.status_code == 503
    assert early.json()["failing"] == ["group"]
    assert (ready.status_code, alive.status_code) == (200, 200)
    assert metrics["reactor_settled_total", labels("issues", "settled")] == 1
    assert metrics["reactor_settle_seconds_count", labels()] == 1
    assert metrics["reactor_processes_total", labels("everything", "TERMINATED")] == 1
    assert metrics["reactor_dead_letters_total", labels("poison")] == 1
    assert metrics["reactor_decisions_total", labels("everything", "utility", "action")] > 1
    assert metrics["reactor_planning_seconds_count", labels("utility")] > 1
    saved = "triage", "triage.save_new_issue"
    assert metrics["reactor_actions_total", labels(*saved, "done")] == 1
    assert metrics["reactor_action_seconds_count", labels(*saved)] == 1
    assert metrics["reactor_ready", labels()] == 1
    assert metrics["reactor_in_hand_records", labels("running")] == 0
    lags = {where: n for (name, where), n in metrics.items() if name == "reactor_lag_records"}
    assert len(lags) == 4  # two topics of two partitions each
    assert set(lags.values()) == {0}


async def test_status_shows_lag_workers_and_what_was_given_up(
    settings: Settings, redis: RedisParts, kafka: KafkaParts
) -> None:
    for number in range(3):
        await kafka.deliveries.append(opened(number))
    waiting = told_overview(await look(settings, patience_s=PATIENT_S))

    async with processor(settings, owner="host/1/worker") as worker:
        await kafka.writer.write(kafka.topics.deliveries, Outgoing(key=b"k", value=b"none"))
        await settle(worker, records=4)

        seen: list[Overview] = []

        async def is_told() -> bool:
            seen.append(await look(settings, patience_s=PATIENT_S))
            lag, workers = seen[-1].lag, seen[-1].workers or ()
            has_settled = [told.settled for told in workers] == [4]
            return has_settled and lag is not None and lag.records == 0 and seen[-1].is_well

        await until(is_told)
        working = told_overview(seen[-1])
        await worker.stop()
    gone = told_overview(await look(settings, patience_s=PATIENT_S))

    assert waiting["lag"]["records"] == 3  # type: ignore[index]
    assert waiting["lag"]["by"] == "broker"  # type: ignore[index]
    assert waiting["lag"]["oldest_s"] >= 0  # type: ignore[index]
    assert (waiting["workers"], waiting["well"]) == ([], False)
    up = {"up": True, "trouble": ""}
    assert working["servers"] == {"kafka": up, "redis": up}
    (told,) = working["workers"]  # type: ignore[misc]
    assert (told["name"], told["host"], told["settled"]) == ("worker", "host", 4)  # type: ignore[has-type]
    assert (told["ready"], working["well"]) == (True, True)  # type: ignore[has-type]
    assert len(told["partitions"]) == 4  # type: ignore[has-type]
    assert working["dead"] == {"letters": 1, "oldest_s": working["dead"]["oldest_s"]}  # type: ignore[index]
    assert working["in_flight"] == {"running": 0, "waiting": 0, "waiting_for_server": 0}
    assert gone["workers"] == []  # it said good-bye


@pytest.fixture
def silent() -> Iterator[str]:
    """A server that takes connections and never says a word."""
    with socket.create_server(("127.0.0.1", 0)) as listening:
        yield f"127.0.0.1:{listening.getsockname()[1]}"


def without(settings: Settings, *, kafka: str = "", redis: str = "") -> Settings:
    """The same with another address of a server."""
    broker = settings.kafka.model_copy(update={"bootstrap_servers": kafka})
    store = settings.redis.model_copy(update={"url": SecretStr(f"redis://{redis}/0")})
    changed = {**({"kafka": broker} if kafka else {}), **({"redis": store} if redis else {})}
    return settings.model_copy(update=changed)


@pytest.mark.parametrize("is_silent", [False, True])
async def test_status_shows_the_rest_where_the_broker_is_away_or_hangs(
    settings: Settings, silent: str, is_silent: bool
) -> None:
    nobody = silent if is_silent else f"127.0.0.1:{free_port()}"

    seen = await look(without(settings, kafka=nobody))

    told = told_overview(seen)
    assert told["servers"]["kafka"]["up"] is False  # type: ignore[index]
    assert told["servers"]["redis"] == {"up": True, "trouble": ""}  # type: ignore[index]
    assert (told["lag"], told["dead"], told["forms"]) == (None, None, {"waiting": 0})
    assert (told["workers"], seen.is_well) == ([], False)


@pytest.mark.parametrize("is_silent", [False, True])
async def test_status_shows_the_lag_where_redis_is_away_or_hangs(
    settings: Settings, kafka: KafkaParts, silent: str, is_silent: bool
) -> None:
    await kafka.deliveries.append(opened(7))
    nobody = silent if is_silent else f"127.0.0.1:{free_port()}"

    seen = await look(without(settings, redis=nobody), patience_s=5)  # the broker may be slow here

    told = told_overview(seen)
    assert told["servers"]["kafka"] == {"up": True, "trouble": ""}  # type: ignore[index]
    assert told["servers"]["redis"]["up"] is False  # type: ignore[index]
    assert told["lag"]["records"] == 1  # type: ignore[index]
    assert (told["workers"], told["forms"], told["timers"]) == (None, None, None)
