"""The console as it is put together: who may look, and what it reads."""

import secrets
from datetime import timedelta

import httpx
import pytest
from redis.asyncio import Redis

from reactor.adapters.redis_boards import RedisBoards
from reactor.catalog import TypeCatalog
from reactor.codec import Codec
from reactor.ports import Commit
from reactor.settings import Settings, load
from reactor.status import process_id
from reactor.testing import delivery, issue
from reactor.wiring.console import console_app
from reactor.wiring.entrance import NoToken, console_access
from reactor.wiring.kafka import kafka_parts, large_bodies
from reactor.wiring.redis import NoServer, redis_parts
from tests.contract.samples import head

TOKEN = "a long random word"


def test_on_loopback_no_token_is_asked_for() -> None:
    settings = load(None, {"REACTOR_TOKEN": TOKEN})

    access = console_access(settings)

    assert (access.loopback, access.token) == (True, None)


def test_beyond_loopback_the_token_is_that_of_the_gateway() -> None:
    settings = load(None, {"REACTOR_CONSOLE_HOST": "0.0.0.0", "REACTOR_TOKEN": TOKEN})

    access = console_access(settings)

    assert (access.loopback, access.token) == (False, TOKEN)


def test_beyond_loopback_without_a_token_it_does_not_start() -> None:
    settings = load(None, {"REACTOR_CONSOLE_HOST": "0.0.0.0"})

    with pytest.raises(NoToken, match="set REACTOR_TOKEN") as refused:
        console_access(settings)

    assert "0.0.0.0" in str(refused.value)


async def test_without_redis_it_says_what_is_missing() -> None:
    with pytest.raises(NoServer, match="REDIS_URL"):
        async with console_app(Settings()):
            pass


@pytest.mark.redis
@pytest.mark.kafka
@pytest.mark.timeout(60)
async def test_it_shows_what_lies_in_redis_and_on_the_topic(
    redis_client: Redis, redis_url: str, kafka_bootstrap: str, redis_prefix: str
) -> None:
    prefix = f"console-{secrets.token_hex(6)}"
    settings = load(
        None,
        {
            "REDIS_URL": redis_url,
            "REACTOR_REDIS_PREFIX": redis_prefix,
            "KAFKA_BOOTSTRAP_SERVERS": kafka_bootstrap,
            "REACTOR_KAFKA_PREFIX": prefix,
        },
    )
    came = delivery("issues.opened", id="guid-1", issue=issue("It crashes"))
    async with (
        redis_parts(settings) as redis,
        kafka_parts(settings, large_bodies(settings, redis)) as kafka,
    ):
        position = await kafka.deliveries.append(came)
        assert position
        await redis.claims.produced(came.key, position, digest=came.digest)
    boards = RedisBoards(redis_client, Codec(TypeCatalog()), prefix=redis_prefix)
    name = process_id(delivery=came.key, reaction="everything")
    lease = timedelta(seconds=9)
    opened = await boards.open(name, delivery=came.key, owner="w", lease=lease)
    await boards.commit(opened.lease, Commit(head=head(name, delivery=came.key)))

    async with console_app(settings) as app:
        transport = httpx.ASGITransport(app)
        async with httpx.AsyncClient(transport=transport, base_url="http://localhost") as client:
            ready = await client.get("/readyz")
            listed = (await client.get("/api/processes")).json()["processes"]
            shown = (await client.get("/api/deliveries/guid-1")).json()

    assert ready.status_code == 200
    assert [process["id"] for process in listed] == [name]
    assert [process["id"] for process in shown["processes"]] == [name]
    assert shown["topic"].startswith(f"{prefix}.deliveries[")
    assert '"title": "It crashes"' in shown["request"]["payload"]
