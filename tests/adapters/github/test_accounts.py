"""Who we are: tokens are renewed in time and by one thread, installations found, hosts apart."""

import asyncio
import base64
import json
from collections.abc import AsyncIterator
from dataclasses import dataclass
from datetime import timedelta

import pytest

from reactor import EffectDelayed, EffectGivenUp, EffectRefused
from reactor.adapters.github.answers import Answer, GitHubTrouble
from reactor.adapters.github.connection import Asked, Wire
from reactor.adapters.github.executor import GitHubExecutor
from reactor.adapters.github.tokens import app_connection
from reactor.github import AddLabels, PostComment
from reactor.github.hosts import Login
from reactor.github.private_key import BadPrivateKey
from tests.adapters.github.conftest import Desk
from tests.fixtures.github.fake import (
    APP_ID,
    INSTALLATION,
    REPOSITORY_ID,
    SLUG,
    TOKEN,
    AppKey,
    FakeGitHub,
)
from tests.fixtures.github.faults import Fault, bad_credentials

LABEL = AddLabels(labels=("bug",))
RENEWALS = f"/app/installations/{INSTALLATION}/access_tokens"


@dataclass
class Hands:
    """A clock that is moved by hand."""

    now_s: float = 1000.0

    def __call__(self) -> float:
        return self.now_s


@pytest.fixture
async def timed(fake_github: FakeGitHub, as_app: Login) -> AsyncIterator[tuple[Desk, Hands]]:
    hands = Hands()
    desk = Desk(fake_github, as_app, monotonic_s=hands)
    desk.open()
    yield desk, hands
    desk.executor.close()


def asked(fake: FakeGitHub, path: str) -> int:
    return sum(each.path == path for each in fake.requests())


async def test_a_token_of_an_installation_is_kept_until_shortly_before_its_end(
    timed: tuple[Desk, Hands],
) -> None:
    desk, hands = timed
    await desk.send(LABEL)
    hands.now_s += 3200
    await desk.send(LABEL)
    assert asked(desk.fake, RENEWALS) == 1

    hands.now_s += 200  # 5 minutes before the end have begun
    await desk.send(LABEL)

    assert asked(desk.fake, RENEWALS) == 2


async def test_many_threads_renew_a_token_once(desk: Desk) -> None:
    await asyncio.gather(*(desk.send(LABEL, key=f"{number:032x}") for number in range(12)))

    assert asked(desk.fake, RENEWALS) == 1


async def test_a_token_that_is_refused_is_renewed_once_and_the_request_repeated(
    desk: Desk,
) -> None:
    await desk.send(LABEL)
    desk.fake.fail(bad_credentials(path="/repos/.*/comments"))

    await desk.send(PostComment(body="Thanks."))

    assert len(desk.fake.issue()["comments"]) == 1
    assert asked(desk.fake, RENEWALS) == 2


async def test_what_was_granted_since_a_token_was_made_counts_with_the_next_try(
    desk: Desk,
) -> None:
    installation = desk.fake.world.installations[INSTALLATION]
    everything, installation.permissions = installation.permissions, {"metadata": "read"}
    with pytest.raises(EffectGivenUp):
        await desk.send(LABEL)

    installation.permissions = everything
    await desk.send(LABEL)

    assert desk.fake.issue()["labels"] == ["bug"]


async def test_a_clock_that_is_hours_behind_githubs_delays_the_effect(desk: Desk) -> None:
    await desk.send(LABEL)
    desk.fake.go_ahead(timedelta(hours=2))

    with pytest.raises(EffectDelayed, match="does not take our token"):
        await desk.send(LABEL)  # nor is the app's own token believed


async def test_tokens_that_are_refused_again_and_again_delay_the_effect(desk: Desk) -> None:
    desk.fake.fail(bad_credentials(path="/repos/.*/labels", times=2))

    with pytest.raises(EffectDelayed, match="does not take our token"):
        await desk.send(LABEL)

    assert desk.fake.issue()["labels"] == []


async def test_the_apps_own_token_stands_a_clock_that_is_a_little_wrong(desk: Desk) -> None:
    for seconds in (-55, 0, 55):
        desk.fake.api.world.ahead = timedelta(seconds=seconds)
        found = await asyncio.to_thread(desk.account.greet)
        assert found.who == f"app {SLUG} (id {APP_ID})"

    token = desk.fake.requests()[-1].token.split(".")[1]
    claims = json.loads(base64.urlsafe_b64decode(token + "=="))
    assert claims["exp"] - claims["iat"] == 600
    assert claims["iss"] == str(APP_ID)


async def test_a_host_that_does_not_say_what_our_app_is_called_is_named(desk: Desk) -> None:
    desk.fake.fail(Fault(path="/app", status=200, message="something else answers"))

    with pytest.raises(GitHubTrouble, match=r"github\.com did not say what our app is called"):
        await asyncio.to_thread(desk.account.bot)


async def test_the_installation_that_deliveries_tell_of_is_not_looked_up(desk: Desk) -> None:
    payload = {"repository": {"id": REPOSITORY_ID}, "installation": {"id": INSTALLATION}}
    await desk.installations.note("github.com", payload)

    await desk.send(LABEL)

    assert asked(desk.fake, "/repos/octo/hello/installation") == 0


async def test_an_installation_that_nobody_told_of_is_looked_up_once_and_kept(desk: Desk) -> None:
    await desk.send(LABEL)
    await desk.send(LABEL)

    assert asked(desk.fake, "/repos/octo/hello/installation") == 1
    assert await desk.store.read("github.com", REPOSITORY_ID) == INSTALLATION


async def test_an_app_that_was_installed_anew_is_found(desk: Desk) -> None:
    old = {"repository": {"id": REPOSITORY_ID}, "installation": {"id": 41}}
    await desk.installations.note("github.com", old)

    await desk.send(LABEL)

    assert desk.fake.issue()["labels"] == ["bug"]
    assert await desk.store.read("github.com", REPOSITORY_ID) == INSTALLATION


async def test_where_the_app_is_not_installed_nothing_is_written_and_that_is_said(
    timed: tuple[Desk, Hands],
) -> None:
    desk, hands = timed
    desk.fake.world.installations.clear()

    for _ in range(3):
        with pytest.raises(EffectRefused, match="no installation of the app there, and no token"):
            await desk.send(LABEL)
    assert asked(desk.fake, "/repos/octo/hello/installation") == 1

    hands.now_s += 61
    with pytest.raises(EffectRefused):
        await desk.send(LABEL)
    assert asked(desk.fake, "/repos/octo/hello/installation") == 2
    assert desk.fake.writes() == []


async def test_where_the_app_is_not_installed_a_token_writes(
    fake_github: FakeGitHub, as_app: Login
) -> None:
    fake_github.world.installations.clear()
    login = Login(app_id=as_app.app_id, private_key=as_app.private_key, token=TOKEN)
    desk = Desk(fake_github, login)
    desk.open()

    await desk.send(LABEL)

    assert [each.token for each in fake_github.writes()] == [TOKEN]


async def test_a_suspended_installation_is_named(desk: Desk) -> None:
    desk.fake.world.installations[INSTALLATION].is_suspended = True

    with pytest.raises(EffectRefused, match="suspended"):
        await desk.send(LABEL)


async def test_without_credentials_nothing_is_sent_and_the_names_are_told(
    fake_github: FakeGitHub,
) -> None:
    desk = Desk(fake_github, Login())
    desk.open()

    with pytest.raises(EffectRefused, match=r"no credentials for github\.com: set GITHUB_APP_ID"):
        await desk.send(LABEL)

    assert fake_github.requests() == []


async def test_hosts_have_nothing_in_common(
    fake_github: FakeGitHub, other_github: FakeGitHub, as_app: Login
) -> None:
    ours = Desk(fake_github, as_app)
    theirs = Desk(
        other_github,
        Login(token=TOKEN),
        host="git.acme.example",
        url=other_github.enterprise_url,
    )
    ours.open()
    theirs.open()
    both = GitHubExecutor({ours.host: ours.account, theirs.host: theirs.account})

    for desk in (ours, theirs):
        await asyncio.to_thread(both.send, LABEL, desk.attempt())
    with pytest.raises(EffectRefused, match=r"evil\.example is no host that we know"):
        await asyncio.to_thread(both.send, LABEL, ours.attempt(host="evil.example"))

    assert fake_github.issue()["labels"] == other_github.issue()["labels"] == ["bug"]
    assert TOKEN not in {each.token for each in fake_github.requests()}
    assert {each.token for each in other_github.requests()} == {TOKEN}


async def test_what_is_no_private_key_is_refused_before_anything_is_sent() -> None:
    wire = Wire(host="github.com", api_url="http://127.0.0.1:9")
    pem = "-----BEGIN RSA PRIVATE KEY-----\nMIIEsecret\n-----END RSA PRIVATE KEY-----\n"

    with pytest.raises(BadPrivateKey) as caught:
        app_connection(wire, APP_ID, pem)

    assert "MIIE" not in str(caught.value)


async def test_an_apps_key_of_another_app_is_said_to_be_refused(
    fake_github: FakeGitHub, app_key: AppKey
) -> None:
    login = Login(app_id=APP_ID + 1, private_key=app_key.private_pem)
    desk = Desk(fake_github, login)
    desk.open()

    with pytest.raises(EffectRefused, match="Integration not found"):
        await asyncio.to_thread(desk.account.greet)


async def test_connections_of_installations_are_bounded(desk: Desk) -> None:
    first = desk.account.by_installation(1)
    for number in range(2, 250):
        desk.account.by_installation(number)

    assert desk.account.by_installation(1) is not first
    assert len(desk.account._installed) == 200


class Strict:
    """A pace that lets nothing be written."""

    def __init__(self) -> None:
        self.heard: list[tuple[str, str, int]] = []

    def before(self, asked: Asked) -> None:
        if asked.is_write and "/repos/" in asked.path:
            raise EffectDelayed("not so fast", 3)

    def after(self, asked: Asked, answer: Answer | None) -> None:
        assert answer is not None
        self.heard.append((asked.account, asked.verb, answer.status))


async def test_who_paces_is_asked_before_and_told_after(
    fake_github: FakeGitHub, as_app: Login
) -> None:
    strict = Strict()
    desk = Desk(fake_github, as_app, pace=strict)
    desk.open()

    with pytest.raises(EffectDelayed, match="not so fast"):
        await desk.send(LABEL)

    assert strict.heard == [(f"app {APP_ID}", "GET", 200)]
