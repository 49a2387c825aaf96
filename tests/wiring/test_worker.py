"""A worker as it is put together: what it settles, what it tells, what it must not give up."""

import asyncio
import subprocess
import sys
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import AsyncExitStack
from dataclasses import replace
from pathlib import Path

import pytest
import structlog
from structlog.testing import LogCapture

from reactor.dead import Selection
from reactor.delivery import Delivery
from reactor.settings import Settings, load
from reactor.testing import delivery, issue
from reactor.wiring.dead import open_dead
from reactor.wiring.kafka import KafkaParts, kafka_parts, large_bodies
from reactor.wiring.redis import redis_parts
from reactor.wiring.worker import processor
from streams.processor import Processor
from streams.reader import open_reader

pytestmark = [pytest.mark.kafka, pytest.mark.redis, pytest.mark.timeout(60)]


@pytest.fixture
def settings(environ: dict[str, str]) -> Settings:
    return load(None, {**environ, "REACTOR_KAFKA_SESSION_TIMEOUT_S": "6"})


@pytest.fixture
async def kafka(settings: Settings) -> AsyncIterator[KafkaParts]:
    async with AsyncExitStack() as stack:
        redis = await stack.enter_async_context(redis_parts(settings))
        yield await stack.enter_async_context(kafka_parts(settings, large_bodies(settings, redis)))


@pytest.fixture
def told() -> Iterator[LogCapture]:
    """What is logged; at the level that production has, so that every line is really made."""
    capture = LogCapture()
    structlog.configure(
        processors=[capture], wrapper_class=structlog.make_filtering_bound_logger("INFO")
    )
    yield capture
    structlog.reset_defaults()


async def until(holds: Callable[[], bool]) -> None:
    while not holds():  # noqa: ASYNC110 - what is looked at has no event
        await asyncio.sleep(0.01)


async def settle(worker: Processor, *, records: int) -> None:
    await worker.start()
    try:
        await until(lambda: worker.health().pump.settled >= records)
    finally:
        await worker.stop()


def opened(number: int) -> Delivery:
    return delivery("issues.opened", id=f"d-{number}", issue=issue(number=number))


def unclaimed(title: str) -> Delivery:
    """Accepted while Redis was away; one id, whatever it says."""
    came = delivery("issues.opened", id="d-9", issue=issue(title))
    headers = {"content-type": "application/json", "x-github-event": "issues"}
    return replace(came, headers=headers, unclaimed=True)


async def test_a_settled_delivery_is_told_in_one_line_and_nothing_is_given_up(
    settings: Settings, kafka: KafkaParts, told: LogCapture
) -> None:
    position = await kafka.deliveries.append(opened(7))

    async with processor(settings, owner="worker-1") as worker:
        await settle(worker, records=1)

    (line,) = [entry for entry in told.entries if entry["event"] == "delivery_settled"]
    assert line["delivery_id"] == "d-7"
    assert line["event_name"] == "issues.opened"
    assert line["position"] == str(position)
    assert list(line["processes"].values()) == ["TERMINATED"]
    async with open_reader(kafka.bootstrap) as topics:
        assert await topics.count(kafka.topics.dead) == 0
        assert await topics.count(kafka.topics.journal) == 1


async def test_of_two_bodies_accepted_under_one_id_while_redis_was_away_none_is_lost(
    settings: Settings, kafka: KafkaParts
) -> None:
    first, other = unclaimed("It was one"), unclaimed("It was another")
    position = await kafka.deliveries.append(first)
    await kafka.deliveries.append(first)
    await kafka.deliveries.append(other)

    async with processor(settings, owner="worker-1") as worker:
        await settle(worker, records=3)
        async with open_dead(settings) as dead:
            (conflict,) = await dead.desk.listed(Selection())
            letter = await dead.desk.one(conflict.id)
            await dead.desk.retry(letter, by="ann", at=first.received_at)
    async with processor(settings, owner="worker-2") as worker:
        await settle(worker, records=1)

    assert (letter.letter.reason, letter.letter.body) == ("conflict", other.body)
    async with redis_parts(settings) as redis:
        assert await redis.claims.position(first.key) == position
    async with open_reader(kafka.bootstrap) as topics:
        assert await topics.count(kafka.topics.dead) == 1
        assert await topics.count(kafka.topics.deliveries) == 4
        decided = await topics.read_all(kafka.topics.journal)
    assert len({record.key for record in decided}) == 2  # a process of each body


def test_what_a_worker_has_loaded_at_its_start_is_left_out_of_collections() -> None:
    # in an interpreter of its own, for it holds for all that runs in one
    look = """
import gc
from reactor.wiring.worker import spare_collections
before = len(gc.get_objects())
spare_collections()
print(gc.get_freeze_count() > before * 0.9, len(gc.get_objects()) < before * 0.1)
"""
    run = subprocess.run([sys.executable, "-c", look], capture_output=True, text=True, check=True)

    assert run.stdout.split() == ["True", "True"]


async def test_a_worker_does_not_look_ready_for_what_a_killed_one_has_left(tmp_path: Path) -> None:
    ready_file = tmp_path / "worker.ready"
    ready_file.touch()
    nobody = {"KAFKA_BOOTSTRAP_SERVERS": "127.0.0.1:1", "REDIS_URL": "redis://127.0.0.1:1/0"}
    words = (sys.executable, "-m", "reactor", "worker", "--ready-file", str(ready_file))

    worker = await asyncio.create_subprocess_exec(*words, cwd=tmp_path, env=nobody)
    try:
        async with asyncio.timeout(50):
            while ready_file.exists():
                assert worker.returncode is None
                await asyncio.sleep(0.05)
    finally:
        worker.kill()
        await worker.wait()
