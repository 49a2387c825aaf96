"""The console as it is put together: who may look, and what it reads."""

import json
import secrets
from datetime import UTC, datetime, timedelta
from pathlib import Path

import httpx
import pytest
from pydantic import ValidationError
from redis.asyncio import Redis

from reactor.adapters.redis_boards import RedisBoards
from reactor.catalog import TypeCatalog
from reactor.codec import Codec
from reactor.ports import Commit
from reactor.settings import Settings, load
from reactor.status import Status, process_id
from reactor.testing import delivery, issue
from reactor.topic import Topics
from reactor.waiting import FormRequest
from reactor.web.access import Access
from reactor.web.console.entrance import Entrance
from reactor.web.console.proxy import TrustedProxy, trusted_networks
from reactor.wiring.console import console_app
from reactor.wiring.doing import Here
from reactor.wiring.entrance import NoToken, console_access
from reactor.wiring.kafka import kafka_parts, large_bodies, topic_specs
from reactor.wiring.redis import NoServer, redis_parts
from streams.reader import open_reader
from streams.topics import ensure_topics
from tests.contract.samples import head
from tests.web.console.browser import Browser, browsing
from tests.web.console.looked import Looked

TOKEN = "a long random word"
URL = "https://console.acme.example"
PROXY = TrustedProxy(
    networks=trusted_networks(["127.0.0.1"]), host="console.acme.example", user_header="X-User"
)


def test_on_loopback_no_token_is_asked_for() -> None:
    settings = load(None, {"REACTOR_TOKEN": TOKEN})

    access = console_access(settings)

    assert (access.loopback, access.token) == (True, None)


@pytest.mark.parametrize("url", ["http://localhost:8081", "http://127.0.0.1:8081"])
def test_an_address_of_this_machine_asks_for_no_token_either(url: str) -> None:
    access = console_access(load(None, {"REACTOR_CONSOLE_URL": url, "REACTOR_TOKEN": TOKEN}))

    assert (access.loopback, access.token) == (True, None)


def test_on_loopback_too_a_token_is_asked_for_where_others_come_by_an_address_of_theirs() -> None:
    access = console_access(load(None, {"REACTOR_CONSOLE_URL": URL, "REACTOR_TOKEN": TOKEN}))

    assert not Entrance(access=access).is_open
    with pytest.raises(NoToken, match=r"console\.acme\.example") as refused:
        console_access(load(None, {"REACTOR_CONSOLE_URL": URL}))
    assert "set REACTOR_TOKEN" in str(refused.value)


def test_on_loopback_too_a_token_is_asked_for_once_there_is_one_to_look_with() -> None:
    settings = load(None, {"REACTOR_READ_TOKEN": "to look", "REACTOR_TOKEN": TOKEN})

    access = console_access(settings)

    assert access.token == TOKEN
    assert not Entrance(access=access, read_token="to look").is_open
    assert not Entrance(access=Access(loopback=True), read_token="to look").is_open


def test_beyond_loopback_the_token_is_that_of_the_gateway() -> None:
    settings = load(None, {"REACTOR_CONSOLE_HOST": "0.0.0.0", "REACTOR_TOKEN": TOKEN})

    access = console_access(settings)

    assert (access.loopback, access.token) == (False, TOKEN)


def test_beyond_loopback_without_a_token_it_does_not_start() -> None:
    settings = load(None, {"REACTOR_CONSOLE_HOST": "0.0.0.0"})

    with pytest.raises(NoToken, match="set REACTOR_TOKEN") as refused:
        console_access(settings)

    assert "0.0.0.0" in str(refused.value)


@pytest.mark.parametrize(
    "environ",
    [
        {"REACTOR_CONSOLE_HOST": "0.0.0.0", "REACTOR_TOKEN": ""},
        {"REACTOR_CONSOLE_HOST": "::", "REACTOR_READ_TOKEN": ""},
        {"REACTOR_CONSOLE_HOST": "console.acme.example"},
    ],
)
def test_an_empty_token_is_none(environ: dict[str, str]) -> None:
    with pytest.raises(NoToken):
        console_access(load(None, environ))


def test_a_token_to_look_with_is_enough_to_start() -> None:
    environ = {"REACTOR_CONSOLE_HOST": "0.0.0.0", "REACTOR_READ_TOKEN": TOKEN}

    assert console_access(load(None, environ)) == Access(loopback=False, token=None)


def test_behind_a_proxy_no_token_is_needed_and_loopback_is_not_open() -> None:
    console = {"proxy": {"addresses": ["127.0.0.1"]}, "public_url": URL}
    settings = Settings.model_validate({"console": console})

    entrance = Entrance(access=console_access(settings), proxy=PROXY)

    assert not entrance.is_open


@pytest.mark.parametrize("address", ["0.0.0.0/0", "::/0", "proxy.acme.example", "10.0.0.7/8", ""])
def test_what_is_no_address_of_one_proxy_is_refused(address: str) -> None:
    with pytest.raises(ValidationError):
        Settings.model_validate({"console": {"proxy": {"addresses": [address]}, "public_url": URL}})


def test_a_proxy_is_trusted_for_one_name_of_the_console_alone() -> None:
    with pytest.raises(ValidationError, match="proxy needs public_url"):
        Settings.model_validate({"console": {"proxy": {"addresses": ["10.0.0.7"]}}})


@pytest.mark.parametrize("url", ["acme.example", "https://a.b/path", "https://u:p@a.b", "ftp://a"])
def test_what_is_no_address_of_a_console_is_refused(url: str) -> None:
    with pytest.raises(ValidationError):
        Settings.model_validate({"console": {"public_url": url}})


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


@pytest.mark.redis
@pytest.mark.kafka
@pytest.mark.timeout(90)
async def test_who_logs_in_answers_a_form_and_it_is_on_its_way_under_their_name(
    redis_url: str, kafka_bootstrap: str, redis_prefix: str, tmp_path: Path
) -> None:
    prefix = f"console-{secrets.token_hex(6)}"
    environ = {
        "REDIS_URL": redis_url,
        "REACTOR_REDIS_PREFIX": redis_prefix,
        "KAFKA_BOOTSTRAP_SERVERS": kafka_bootstrap,
        "REACTOR_KAFKA_PREFIX": prefix,
        "REACTOR_CONSOLE_HOST": "0.0.0.0",
        "REACTOR_TOKEN": TOKEN,
        "REACTOR_DATA": str(tmp_path),
    }
    settings = load(None, environ)
    await ensure_topics(kafka_bootstrap, topic_specs(settings, Topics(prefix)))
    form = await ask(settings)

    async with console_app(settings, here=Here(environ=environ)) as app, browsing(app) as ann:
        menu = [each.text for each in (await logged_in(ann)).all("a")]
        done = await ann.post(
            f"/forms/{form.id}",
            {"csrf": await ann.word(f"/forms/{form.id}"), "field-0": "bug"},
        )
        cookies = dict(ann.client.cookies)
    async with console_app(settings) as app, browsing(app) as again:
        again.client.cookies.update(cookies)
        known = await again.visit("/components")

    assert {"Forms", "Dead letters", "Replays", "Settings"} <= set(menu)
    assert (done.status_code, known.status_code) == (303, 200)
    async with open_reader(kafka_bootstrap) as reader:
        (record,) = await reader.read_all(f"{prefix}.signals")
    signal = json.loads(record.value)
    assert (signal["by"], signal["answer"]["value"]) == ("ann", {"label": "bug"})
    assert settings.gateway.token
    async with redis_parts(settings) as redis:
        keys = [key async for key in redis.client.scan_iter(f"{redis_prefix}:session:*")]
    assert len(keys) == 1
    assert next(iter(cookies.values())).encode() not in keys[0]


async def logged_in(browser: Browser) -> Looked:
    """The front page, once somebody is in."""
    came_in = await browser.log_in(TOKEN)
    assert came_in.status_code == 303
    return await browser.look("/components")


async def ask(settings: Settings) -> FormRequest:
    """A process that waits for an answer."""
    asked = FormRequest(
        id="p" + "1" * 24 + "-1",
        process_id="p" + "1" * 24,
        action="writer.ask",
        kind="form",
        model="tests:Verdict",
        title="Which label?",
        schema={
            "type": "object",
            "properties": {"label": {"type": "string"}},
            "required": ["label"],
        },
        asked_at=datetime(2026, 3, 14, tzinfo=UTC),
    )
    async with redis_parts(settings) as redis:
        boards = RedisBoards(redis.client, Codec(TypeCatalog()), prefix=redis.prefix)
        came = "github.com/d-1"
        opened = await boards.open(
            asked.process_id, delivery=came, owner="w", lease=timedelta(seconds=9)
        )
        waiting = head(asked.process_id, delivery=came, status=Status.WAITING, forms=(asked,))
        await boards.commit(opened.lease, Commit(head=waiting))
        await redis.forms.add(asked.id, asked_at=asked.asked_at)
    return asked
