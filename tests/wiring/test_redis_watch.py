"""Redis without the data that it had: each process that knew of it says so, once for each loss."""

from datetime import timedelta

import pytest
from prometheus_client import CollectorRegistry
from redis.asyncio import Redis
from structlog.testing import capture_logs
from structlog.typing import EventDict

from reactor.adapters import redis_keys
from reactor.adapters.clock import ManualClock
from reactor.adapters.redis_client import connect
from reactor.adapters.redis_mark import RedisMark
from reactor.children import free_port
from reactor.errors import InfrastructureError
from reactor.settings import RedisSettings, Settings
from reactor.web.redis_metrics import RedisMetrics
from reactor.wiring.redis import redis_parts
from reactor.wiring.redis_watch import RedisWatch, watching
from reactor.wiring.status import look
from tests.fixtures.site import until


def events(logs: list[EventDict]) -> list[str]:
    return [each["event"] for each in logs if each["log_level"] == "error"]


@pytest.mark.redis
async def test_the_loss_of_all_data_is_told_once_by_each_that_had_seen_it(
    redis_client: Redis, redis_prefix: str
) -> None:
    mark, clock = RedisMark(redis_client, prefix=redis_prefix), ManualClock()
    first, second = RedisWatch(mark, clock), RedisWatch(mark, clock)
    with capture_logs() as logs:
        for _ in range(2):
            await first.look()
            await second.look()
    assert events(logs) == []
    before = await mark.read()

    await redis_client.delete(redis_keys.installation(redis_prefix))  # as with everything else
    clock.move(timedelta(minutes=1))
    newcomer = RedisWatch(mark, clock)
    with capture_logs() as logs:
        for _ in range(2):
            await first.look()
            await second.look()
            await newcomer.look()

    assert events(logs) == ["redis_lost_its_data"] * 2
    assert (first.losses, second.losses, newcomer.losses) == (1, 1, 0)
    after = await mark.read()
    assert before
    assert after
    assert before.id != after.id
    assert (before.lost_at, after.lost_at) == (None, clock.now())


@pytest.mark.redis
async def test_the_data_of_another_is_told_and_a_mark_that_says_nothing_is_left_alone(
    redis_client: Redis, redis_prefix: str
) -> None:
    mark = RedisMark(redis_client, prefix=redis_prefix)
    watch = RedisWatch(mark, ManualClock())
    await watch.look()

    await redis_client.set(redis_keys.installation(redis_prefix), b"of somebody else")
    await watch.look()

    assert watch.losses == 1
    assert await redis_client.get(redis_keys.installation(redis_prefix)) == b"of somebody else"


async def test_one_that_is_away_has_lost_nothing_as_far_as_anybody_knows() -> None:
    client = connect(f"redis://127.0.0.1:{free_port()}/0")
    watch = RedisWatch(RedisMark(client), ManualClock())

    with pytest.raises(InfrastructureError):
        await watch.look()

    assert watch.losses == 0
    await client.aclose()


@pytest.mark.redis
async def test_a_process_looks_again_and_again_counts_it_and_status_tells(
    redis_url: str, redis_client: Redis, redis_prefix: str
) -> None:
    redis = RedisSettings.model_validate({"url": redis_url, "prefix": redis_prefix})
    settings, key = Settings(redis=redis), redis_keys.installation(redis_prefix)
    registry = CollectorRegistry()

    async with redis_parts(settings) as parts, watching(parts, ManualClock()) as watch:
        registry.register(RedisMetrics(lambda: watch.losses))
        await until(lambda: redis_client.exists(key))
        await redis_client.delete(key)
        await until(lambda: watch.losses)

    assert registry.get_sample_value("reactor_redis_data_losses_total") == 1
    kafka = settings.kafka.model_copy(update={"bootstrap_servers": f"127.0.0.1:{free_port()}"})
    seen = await look(settings.model_copy(update={"kafka": kafka}))
    assert seen.redis_lost_at is not None
