"""Who we are on GitHub: the settings say it, or the host does, now or later."""

import asyncio
import secrets
from collections.abc import AsyncIterator
from datetime import timedelta
from typing import Any

import pytest
from reactor_hello import COMPONENTS

from reactor import Package, Platform
from reactor.adapters.clock import SystemClock
from reactor.follow_up import Pauses
from reactor.settings import Settings, load
from reactor.testing import account, delivery, issue
from reactor.wiring.commands import all_listeners
from reactor.wiring.github import github_parts
from reactor.wiring.logins import own_logins
from reactor.wiring.platform import reader
from reactor.wiring.redis import RedisParts, redis_parts
from tests.fixtures.github.fake import APP_ID, BOT, AppKey, FakeGitHub
from tests.fixtures.github.faults import Fault

pytestmark = pytest.mark.redis

AT_ONCE = Pauses(first=timedelta(0), longest=timedelta(0), factor=1)
AWAY = "http://127.0.0.1:9"
PLATFORM = Platform(packages=[Package(name="hello", components=COMPONENTS)])
LABELLED = delivery("issues.labeled", issue=issue(), sender=account(BOT))


@pytest.fixture
async def redis(redis_url: str) -> AsyncIterator[RedisParts]:
    prefix = f"logins-{secrets.token_hex(6)}"
    settings = load(None, {"REDIS_URL": redis_url, "REACTOR_REDIS_PREFIX": prefix})
    async with redis_parts(settings) as parts:
        yield parts


def app_on(url: str, key: AppKey, *, effects: str = "live", **more: str) -> Settings:
    environ = {"GITHUB_APP_ID": str(APP_ID), "GITHUB_PRIVATE_KEY": key.private_pem, **more}
    told: dict[str, Any] = load(None, {**environ, "GITHUB_API_URL": url}).model_dump()
    told["reactions"] = [{"name": "all", "on": "*", "effects": effects}]
    return Settings.model_validate(told)


@pytest.mark.parametrize(
    ("effects", "login"), [("live", {"github.com": BOT}), ("observe", {})], ids=["live", "observe"]
)
async def test_what_our_app_does_is_known_to_be_ours_where_it_does_anything(
    redis: RedisParts,
    app_key: AppKey,
    fake_github: FakeGitHub,
    effects: str,
    login: dict[str, str],
) -> None:
    settings = app_on(fake_github.url, app_key, effects=effects)

    async with (
        github_parts(settings, redis, clock=SystemClock()) as parts,
        all_listeners(settings, PLATFORM, parts) as (_, logins),
    ):
        assert logins == login
        assert reader(settings, logins)(LABELLED).is_own == bool(login)


async def test_a_host_that_is_away_does_not_keep_a_worker_from_starting(
    redis: RedisParts, app_key: AppKey
) -> None:
    settings = app_on(AWAY, app_key)

    async with (
        github_parts(settings, redis, clock=SystemClock()) as parts,
        all_listeners(settings, PLATFORM, parts) as (_, logins),
    ):
        assert logins == {}
        assert not reader(settings, logins)(LABELLED).is_own


async def test_who_we_are_is_known_as_soon_as_the_host_tells(
    redis: RedisParts, app_key: AppKey, fake_github: FakeGitHub
) -> None:
    fake_github.fail(Fault(path="/app", times=3, status=503))
    settings = app_on(fake_github.url, app_key)

    async with (
        github_parts(settings, redis, clock=SystemClock()) as parts,
        own_logins(parts.accounts, {}, AT_ONCE) as logins,
    ):
        read = reader(settings, logins)
        async with asyncio.timeout(30):
            while not read(LABELLED).is_own:  # noqa: ASYNC110 - the host tells it to a thread
                await asyncio.sleep(0.01)

    assert logins == {"github.com": BOT}


async def test_a_host_is_not_asked_for_what_the_settings_say(
    redis: RedisParts, app_key: AppKey, fake_github: FakeGitHub
) -> None:
    settings = app_on(fake_github.url, app_key, REACTOR_BOT_LOGIN="named[bot]")

    async with (
        github_parts(settings, redis, clock=SystemClock()) as parts,
        all_listeners(settings, PLATFORM, parts) as (_, logins),
    ):
        assert logins == {"github.com": "named[bot]"}

    assert fake_github.requests() == []
