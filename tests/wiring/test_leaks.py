"""A worker that has settled many deliveries holds no more than one that has settled some."""

import asyncio
import gc
from collections import Counter

import pytest

from reactor.settings import Settings, load
from reactor.testing import delivery, issue
from reactor.wiring.kafka import kafka_parts, large_bodies
from reactor.wiring.redis import redis_parts
from reactor.wiring.worker import processor

pytestmark = [pytest.mark.long, pytest.mark.kafka, pytest.mark.redis, pytest.mark.timeout(180)]

SOME, MANY = 150, 600
AT_ONCE = 100
LEFT_OVER = 60  # objects of one type that may be in use at the one moment and not at the other


@pytest.fixture
def settings(environ: dict[str, str]) -> Settings:
    counting = {"REACTOR_WORKER_HTTP_PORT": "0"}  # so that it counts for metrics, too
    return load(None, {**environ, **counting, "REACTOR_KAFKA_SESSION_TIMEOUT_S": "6"})


def ours() -> Counter[str]:
    """How many objects there are of each type of Reactor's, and of the containers."""
    gc.collect()
    names = (f"{type(each).__module__}.{type(each).__qualname__}" for each in gc.get_objects())
    wanted = ("reactor", "streams", "_asyncio.Task", "builtins.coroutine")
    return Counter(name for name in names if name.startswith(wanted))


async def test_nothing_is_left_of_deliveries_that_are_settled(settings: Settings) -> None:
    async with (
        redis_parts(settings) as redis,
        kafka_parts(settings, large_bodies(settings, redis)) as kafka,
    ):
        made = [  # each of an issue of its own, and each different
            delivery("issues.opened", id=f"d-{n}", issue=issue(f"It crashes ({n})", number=n))
            for n in range(1, MANY + 1)
        ]
        records = [await kafka.codec.encode(each) for each in made]
        del made
        for first in range(0, MANY, AT_ONCE):
            await kafka.writer.write(kafka.topics.deliveries, *records[first : first + AT_ONCE])
        del records

        async with processor(settings, owner="worker-1") as worker:
            await worker.start()
            try:
                counted = []
                for settled in (SOME, MANY):
                    while worker.health().pump.settled < settled:  # noqa: ASYNC110
                        await asyncio.sleep(0.02)
                    counted.append(ours())
            finally:
                await worker.stop()

    some, many = counted
    assert {name: n for name, n in (many - some).items() if n > LEFT_OVER} == {}
