"""What is kept beside the embedded broker: put there by whoever writes, taken off when settled."""

import asyncio
import secrets
from collections.abc import AsyncIterator, Callable
from contextlib import AsyncExitStack, asynccontextmanager

import pytest
from pydantic import SecretStr
from structlog.testing import capture_logs

from reactor.adapters import embedded_redis
from reactor.adapters.redis_shelf import RedisShelf
from reactor.children import Running, free_port, start
from reactor.delivery import Delivery
from reactor.settings import Settings, load
from reactor.testing import delivery, issue
from reactor.topic import DeadLetter
from reactor.wiring.kafka import KafkaParts, kafka_parts, large_bodies
from reactor.wiring.redis import RedisParts, redis_parts
from reactor.wiring.shelf import Restoring, restore
from reactor.wiring.worker import processor
from streams import embedded
from streams.frames import unpack
from streams.reader import open_reader
from streams.record import Outgoing
from tests.fixtures.kafka_broker import broker_child

pytestmark = [pytest.mark.redis, pytest.mark.timeout(120)]


@pytest.fixture
def settings(own_broker_port: int, redis_url: str, redis_prefix: str) -> Settings:
    prefix = f"shelf-{secrets.token_hex(6)}"
    return load(
        None,
        {
            "KAFKA_BOOTSTRAP_SERVERS": embedded.bootstrap(own_broker_port),
            "REDIS_URL": redis_url,
            "REACTOR_KAFKA_PREFIX": prefix,
            "REACTOR_KAFKA_GROUP": prefix,
            "REACTOR_KAFKA_SESSION_TIMEOUT_S": "2",
            "REACTOR_REDIS_PREFIX": redis_prefix,
        },
    )


@pytest.fixture
async def broker(own_broker_port: int) -> AsyncIterator[Running]:
    running = await start(broker_child(own_broker_port), {})
    yield running
    await running.stop()


@asynccontextmanager
async def connected(settings: Settings) -> AsyncIterator[tuple[RedisParts, KafkaParts]]:
    async with AsyncExitStack() as stack:
        redis = await stack.enter_async_context(redis_parts(settings))
        bodies = large_bodies(settings, redis)
        yield redis, await stack.enter_async_context(kafka_parts(settings, bodies))


async def shelved(redis: RedisParts) -> list[str]:
    """Topics of what is on the shelf, without their prefix."""
    shelf = RedisShelf(redis.client, prefix=redis.prefix)
    return [unpack(item).topic.rpartition(".")[2] async for item in shelf.items()]


async def until(holds: Callable[[], bool]) -> None:
    while not holds():  # noqa: ASYNC110 - what is looked at has no event
        await asyncio.sleep(0.01)


def opened(number: int) -> Delivery:
    return delivery("issues.opened", id=f"d-{number}", issue=issue(number=number))


@pytest.mark.usefixtures("broker")
async def test_what_a_worker_is_done_with_comes_off_and_letters_stay(settings: Settings) -> None:
    async with connected(settings) as (redis, kafka):
        await kafka.deliveries.append(opened(7))
        await kafka.deliveries.append(delivery("ping", id="d-8"))  # nothing comes of it
        poison = Outgoing(key=b"k", value=b"not a delivery")
        await kafka.keeping.write(kafka.topics.deliveries, poison)
        await kafka.dead.bury(DeadLetter(reason="conflict", detail="", key=b"k", body=b"{}"))
        assert await shelved(redis) == ["deliveries", "deliveries", "deliveries", "dead"]

        async with processor(settings, owner="worker-1") as worker:
            await worker.start()
            await until(lambda: worker.health().pump.settled >= 3)
            await worker.stop()

        assert await shelved(redis) == ["dead", "dead"]


async def test_a_broker_that_forgot_gets_back_what_is_not_settled_and_claims_know_where(
    settings: Settings, broker: Running, own_broker_port: int
) -> None:
    async with connected(settings) as (redis, kafka):
        for number in range(5):
            position = await kafka.deliveries.append(opened(number))
            assert position
            await redis.claims.produced(opened(number).key, position, digest=opened(number).digest)
            if number < 2:
                await kafka.keeping.settled(opened(number), position)
    await broker.stop()
    again = await start(broker_child(own_broker_port), {})

    count = await restore(settings)

    async with connected(settings) as (redis, kafka), open_reader(kafka.bootstrap) as topics:
        records = await topics.read_all(kafka.topics.deliveries)
        assert count == len(records) == 3
        for record in records:
            came = await kafka.codec.decode(record)
            assert came.id in {"d-2", "d-3", "d-4"}
            assert await redis.claims.position(came.key) == record.position
    await again.stop()


@pytest.mark.usefixtures("broker")
async def test_while_redis_is_away_it_is_not_restored_yet(settings: Settings) -> None:
    nobody = embedded_redis.url(free_port())
    away = settings.redis.model_copy(update={"url": SecretStr(nobody)})

    restoring = Restoring(settings.model_copy(update={"redis": away}))
    with capture_logs() as logs:
        for _ in range(4):
            assert not await restoring.is_done()
        restoring.settings = settings
        assert await restoring.is_done()

    told = [each["event"] for each in logs if each["event"].startswith("shelf_wait")]
    assert told == ["shelf_waits", "shelf_waited"]  # however often it was tried
