"""Storms, over the whole path of a worker: what is held back, what is kept of it, what is told."""

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack
from dataclasses import dataclass
from pathlib import Path

import pytest

from reactor.delivery import Delivery
from reactor.github.marker import MARKER
from reactor.settings import Settings, load
from reactor.testing import account, comment, delivery, issue
from reactor.wiring.kafka import KafkaParts, kafka_parts, large_bodies
from reactor.wiring.looking_up import explain
from reactor.wiring.redis import RedisParts, redis_parts
from reactor.wiring.worker import processor
from streams.reader import open_reader

pytestmark = [pytest.mark.kafka, pytest.mark.redis, pytest.mark.timeout(90)]

BOT = account("dependabot[bot]", type="Bot")
US = account("our-reactor[bot]", type="Bot")


@pytest.fixture
def settings(environ: dict[str, str], tmp_path: Path) -> Settings:
    config = tmp_path / "reactor.yaml"
    config.write_text(
        json.dumps(
            {
                "reactions": [{"name": "greet", "on": "issue_comment", "scope": "hello"}],
                "storms": {"per_subject": 2},
            }
        )
    )
    ours = {"REACTOR_BOT_LOGIN": "our-reactor[bot]", "REACTOR_KAFKA_SESSION_TIMEOUT_S": "6"}
    return load(config, {**environ, **ours})


@dataclass(frozen=True)
class Servers:
    redis: RedisParts
    kafka: KafkaParts


@pytest.fixture
async def servers(settings: Settings) -> AsyncIterator[Servers]:
    async with AsyncExitStack() as stack:
        redis = await stack.enter_async_context(redis_parts(settings))
        parts = kafka_parts(settings, large_bodies(settings, redis))
        yield Servers(redis, await stack.enter_async_context(parts))


def commented(id: str, sender: dict[str, object], body: str = "It happens to me.") -> Delivery:
    return delivery(
        "issue_comment.created",
        id=id,
        issue=issue("It crashes"),
        comment=comment(body, user=sender),
        sender=sender,
    )


async def settle(settings: Settings, servers: Servers, *came: Delivery) -> None:
    """Accept them, and have a worker settle them all."""
    for each in came:
        position = await servers.kafka.deliveries.append(each)
        assert position is not None
        await servers.redis.claims.produced(each.key, position, digest=each.digest)
    async with processor(settings, owner="worker-1") as worker:
        await worker.start()
        try:
            while worker.health().pump.settled < len(came):  # noqa: ASYNC110
                await asyncio.sleep(0.01)
        finally:
            await worker.stop()


async def test_bots_are_held_back_beyond_the_limit_and_a_person_is_not(
    settings: Settings, servers: Servers
) -> None:
    bots = [commented(f"bot-{n}", BOT) for n in range(4)]
    person = commented("person", account())

    await settle(settings, servers, *bots, person)

    outcomes = [await servers.redis.outcomes.ignored(each.key) for each in (*bots, person)]
    assert outcomes == ["", "", "storm", "storm", ""]
    told = await explain(settings, "bot-3")
    assert told["ignored"].startswith("held back, as its subject had too many events by bots")
    assert told["event"] == "issue_comment.created"
    assert len((await explain(settings, "person"))["processes"]) == 1
    async with open_reader(servers.kafka.bootstrap) as topics:
        assert await topics.count(servers.kafka.topics.dead) == 0
        assert await topics.count(servers.kafka.topics.deliveries) == 5  # nothing accepted is lost


async def test_what_we_did_ourselves_starts_nothing_by_login_and_by_marker(
    settings: Settings, servers: Servers
) -> None:
    by_login = commented("login", US)
    by_marker = commented("marker", US, f"Thanks! {MARKER} key:1 -->")

    await settle(settings, servers, by_login, by_marker)

    assert [await servers.redis.outcomes.ignored(each.key) for each in (by_login, by_marker)] == [
        "own_event",
        "own_event",
    ]
    assert (await explain(settings, "login"))["ignored"] == (
        "our own app's event: it starts nothing"
    )
