"""Who sends effects on GitHub, as the settings say; and what is said where nobody can."""

import secrets
import subprocess
import sys
from collections.abc import AsyncIterator
from dataclasses import replace
from pathlib import Path

import pytest

from reactor import Attempt, EffectRefused, Platform
from reactor.adapters.clock import SystemClock
from reactor.adapters.memory import MemoryFirsts
from reactor.github import AddLabels
from reactor.github.effects import EFFECT_TYPES
from reactor.github.private_key import BadPrivateKey
from reactor.plugins import installed_entry_points
from reactor.settings import Settings, load
from reactor.testing import account, delivery, issue
from reactor.wiring.github import GitHubParts, github_parts, greetings, hosts_in, unable
from reactor.wiring.platform import install, listeners, reader
from reactor.wiring.redis import RedisParts, redis_parts
from tests.fixtures.github.fake import (
    APP_ID,
    INSTALLATION,
    SLUG,
    TOKEN,
    AppKey,
    FakeGitHub,
)

LIVE = """
reactions:
  - {name: careful, on: issues, effects: observe}
  - {name: bold, on: issues, effects: live}
"""


def settings_of(environ: dict[str, str], path: Path | None = None) -> Settings:
    return load(path, environ)


@pytest.fixture
async def redis(redis_url: str) -> AsyncIterator[RedisParts]:
    prefix = f"github-{secrets.token_hex(6)}"
    settings = load(None, {"REDIS_URL": redis_url, "REACTOR_REDIS_PREFIX": prefix})
    async with redis_parts(settings) as parts:
        yield parts


def platform_of(settings: Settings, parts: GitHubParts) -> Platform:
    installed = install(
        settings,
        firsts=MemoryFirsts(),
        clock=SystemClock(),
        points=(*installed_entry_points(), parts.package),
    )
    assert installed.faults == ()
    return installed.platform


@pytest.mark.redis
@pytest.mark.parametrize("token", ["", TOKEN], ids=["nobody", "token"])
async def test_every_kind_has_an_executor_and_can_be_read_back(
    redis: RedisParts, token: str
) -> None:
    settings = settings_of({"GITHUB_TOKEN": token})

    async with github_parts(settings, redis, clock=SystemClock()) as parts:
        platform = platform_of(settings, parts)

    for kind in EFFECT_TYPES:
        assert platform.executor_of(kind) is not None
        assert kind in platform.catalog
    assert all(name.partition(".")[0] != "github" for name in platform.actions)


@pytest.mark.redis
async def test_without_credentials_effects_are_refused_and_pygithub_is_not_needed(
    redis: RedisParts,
) -> None:
    settings = settings_of({})
    async with github_parts(settings, redis, clock=SystemClock()) as parts:
        executor = platform_of(settings, parts).executor_of(AddLabels)

    assert executor is not None
    attempt = Attempt(
        key="k", host="github.com", subject="s", subject_name="s", delivery="d", cause="c"
    )
    with pytest.raises(EffectRefused, match=r"no credentials for github\.com: set GITHUB_APP_ID"):
        await executor.action.call(  # type: ignore[misc]
            **{executor.effect: AddLabels(labels=("bug",)), executor.attempt: attempt}
        )
    assert parts.able == frozenset()


def test_a_live_reaction_on_a_host_without_credentials_is_named(tmp_path: Path) -> None:
    file = tmp_path / "reactor.yaml"
    file.write_text(LIVE + "github: {hosts: [git.acme.example]}\n", "utf-8")
    settings = settings_of({}, file)
    installed = install(settings, firsts=MemoryFirsts(), clock=SystemClock())
    ready = listeners(settings, installed.platform)

    assert list(unable(ready, frozenset({"github.com"}), settings.github)) == [
        ("bold", "git.acme.example")
    ]


@pytest.mark.redis
async def test_deliveries_tell_an_app_of_its_installations(
    redis: RedisParts, app_key: AppKey
) -> None:
    settings = settings_of(
        {"GITHUB_APP_ID": str(APP_ID), "GITHUB_PRIVATE_KEY": app_key.private_pem}
    )
    told = delivery("issues.opened", installation={"id": INSTALLATION})

    async with github_parts(settings, redis, clock=SystemClock()) as parts:
        await parts.hear(told)

    repository_id = told.payload["repository"]["id"]  # type: ignore[index]
    key = f"{redis.prefix}:installations:github.com"
    assert await redis.client.hgetall(key) == {
        str(repository_id).encode(): str(INSTALLATION).encode()
    }


def test_on_each_host_we_are_who_the_settings_say(tmp_path: Path) -> None:
    file = tmp_path / "reactor.yaml"
    file.write_text(
        "github: {bot_login: ours, hosts: {git.acme.example: {bot_login: theirs}, x.example: {}}}",
        "utf-8",
    )
    read = reader(settings_of({}, file))

    def is_own(host: str, login: str) -> bool:
        said = delivery("issues.labeled", issue=issue(), sender=account(login))
        return read(replace(said, host=host)).is_own

    assert is_own("github.com", "ours")
    assert is_own("git.acme.example", "theirs")
    assert not is_own("git.acme.example", "ours")
    assert is_own("x.example", "ours")


@pytest.mark.redis
async def test_a_private_key_that_is_none_stops_the_start(redis: RedisParts) -> None:
    pem = "-----BEGIN RSA PRIVATE KEY-----\\nMIIE\\n-----END RSA PRIVATE KEY-----"
    settings = settings_of({"GITHUB_APP_ID": "1", "GITHUB_PRIVATE_KEY": pem})

    with pytest.raises(BadPrivateKey, match="nothing can be signed"):
        async with github_parts(settings, redis, clock=SystemClock()):
            pass


def test_a_key_may_lie_in_a_file(tmp_path: Path, app_key: AppKey) -> None:
    (tmp_path / "key.pem").write_text(app_key.private_pem)
    path = str(tmp_path / "key.pem")

    settings = settings_of({"APP_ID": "1", "PRIVATE_KEY_PATH": path})

    assert hosts_in(settings.github)["github.com"].login.private_key == app_key.private_pem
    with pytest.raises(BadPrivateKey, match="No such file"):
        hosts_in(settings_of({"APP_ID": "1", "PRIVATE_KEY_PATH": path + "x"}).github)


async def test_each_host_says_who_we_are_there(
    tmp_path: Path, fake_github: FakeGitHub, other_github: FakeGitHub, app_key: AppKey
) -> None:
    (tmp_path / "key.pem").write_text(app_key.private_pem)
    file = tmp_path / "reactor.yaml"
    file.write_text(
        f"""
github:
  token: {TOKEN}
  api_url: {fake_github.url}
  hosts:
    git.acme.example:
      app_id: {APP_ID}
      private_key_path: {tmp_path / "key.pem"}
      api_url: {other_github.enterprise_url}
    mistaken.example: {{token: ghp_wrong, api_url: {other_github.url}}}
    silent.example: {{}}
""",
        "utf-8",
    )

    told = await greetings(settings_of({}, file), clock=SystemClock())
    found = {host: getattr(said, "who", str(said)) for host, said in told}

    assert found["github.com"] == "token of the-bot"
    assert found["git.acme.example"] == f"app {SLUG} (id {APP_ID})"
    assert "does not take our token" in str(found["mistaken.example"])
    assert "silent.example" not in found


_WITHOUT_PYGITHUB = """
import asyncio, sys
sys.modules["github"] = None
from reactor.adapters.clock import SystemClock
from reactor.errors import ReactorError
from reactor.settings import load
from reactor.wiring.github import github_parts
from reactor.wiring.redis import redis_parts
from pathlib import Path

async def main():
    settings = load(Path(sys.argv[1]), {"GITHUB_TOKEN": "t", "REDIS_URL": "redis://127.0.0.1:9"})
    async with redis_parts(settings) as redis:
        async with github_parts(settings, redis, clock=SystemClock()) as parts:
            print(sorted(parts.able))

try:
    asyncio.run(main())
except ReactorError as error:
    print(error)
"""


@pytest.mark.parametrize(
    ("effects", "said"),
    [("observe", "[]"), ("live", "install webhook-reactor[github]")],
)
def test_pygithub_is_missed_only_where_something_is_to_be_sent(
    tmp_path: Path, effects: str, said: str
) -> None:
    file = tmp_path / "reactor.yaml"
    file.write_text(f"reactions: [{{name: all, on: issues, effects: {effects}}}]", "utf-8")
    command = [sys.executable, "-c", _WITHOUT_PYGITHUB, str(file)]

    run = subprocess.run(command, capture_output=True, text=True, check=True)

    assert run.stdout.strip().endswith(said)
