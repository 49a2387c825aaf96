"""A component is reminded, over the whole path of a worker: asked for, fired, and back in its reaction."""

import asyncio
import json
from collections.abc import AsyncIterator
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest

from reactor.adapters.clock import SystemClock
from reactor.settings import Settings, load
from reactor.testing import delivery, issue
from reactor.wiring.kafka import KafkaParts, kafka_parts, large_bodies
from reactor.wiring.looking_up import looking_up
from reactor.wiring.redis import redis_parts
from reactor.wiring.worker import processor

pytestmark = [pytest.mark.kafka, pytest.mark.redis, pytest.mark.timeout(90)]

A_SECOND = 1 / 86_400  # of a day


@pytest.fixture
def settings(environ: dict[str, str], tmp_path: Path) -> Settings:
    config = tmp_path / "reactor.yaml"
    config.write_text(
        json.dumps(
            {
                "reactions": [
                    {"name": "triage", "on": "issues.opened", "scope": "triage"},
                    {"name": "other", "on": "issues.opened", "scope": "hello"},
                ],
                "components": {"triage": {"remind_after_days": A_SECOND}},
            }
        )
    )
    return load(config, {**environ, "REACTOR_KAFKA_SESSION_TIMEOUT_S": "6"})


@pytest.fixture
async def kafka(settings: Settings) -> AsyncIterator[KafkaParts]:
    async with (
        redis_parts(settings) as redis,
        kafka_parts(settings, large_bodies(settings, redis)) as parts,
    ):
        yield parts


def poor() -> dict[str, object]:
    """An issue whose author is asked for more."""
    return issue("it does not work", updated_at=SystemClock().now().isoformat())


async def settle(settings: Settings, owner: str, count: int) -> None:
    """Have a worker settle so many deliveries."""
    async with processor(settings, owner=owner) as worker:
        await worker.start()
        try:
            while worker.health().pump.settled < count:  # noqa: ASYNC110 - it tells nobody
                await asyncio.sleep(0.01)
        finally:
            await worker.stop()


async def test_what_a_component_asked_for_comes_back_to_its_reaction_and_to_no_other(
    settings: Settings, kafka: KafkaParts
) -> None:
    await kafka.deliveries.append(delivery("issues.opened", id="d-1", issue=poor()))

    await settle(settings, "worker-1", 2)

    async with looking_up(settings) as lookup:
        recent = await lookup.boards.recent(limit=10)
        heads = [each.head for each in recent if each.head.event.startswith("timer.")]
        (head,) = heads
        told = await lookup.process(head.id)
    assert (head.reaction, head.event) == ("triage", "timer.triage_author_silent")
    assert (head.subject, head.subject_name, head.host) == (
        "github.com/1296269#17",
        "octo/hello#17",
        "github.com",
    )
    assert [tick["chosen"] for tick in told["ticks"] if tick["chosen"]] == [
        "triage.look_again",
        "triage.remind_author",
    ]
    assert [each["kind"] for each in told["effects"]] == ["PostComment"]


async def test_one_that_falls_due_while_nothing_runs_comes_as_soon_as_a_worker_does(
    settings: Settings, kafka: KafkaParts
) -> None:
    await kafka.deliveries.append(delivery("issues.opened", id="d-1", issue=poor()))
    components = {"triage": {"remind_after_days": 1}}
    await settle(settings.model_copy(update={"components": components}), "worker-1", 1)

    async with redis_parts(settings) as redis:
        (timer,) = await redis.timers.all()
        await redis.timers.put(replace(timer, due_at=timer.due_at - timedelta(days=1)))
    await settle(settings, "worker-2", 1)

    async with looking_up(settings) as lookup:
        recent = await lookup.boards.recent(limit=10)
    assert sorted(each.head.event for each in recent) == [
        "issues.opened",
        "issues.opened",
        "timer.triage_author_silent",
    ]
