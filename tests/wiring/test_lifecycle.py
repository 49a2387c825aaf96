"""Issues, repositories and installations go, and a worker ends what was to come of them."""

import asyncio
import secrets
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from reactor.adapters.clock import SystemClock
from reactor.delivery import Delivery
from reactor.explain import ToldDelivery
from reactor.github.dialect import Envelope
from reactor.lookup import UnknownDelivery
from reactor.settings import Settings, load
from reactor.testing import delivery, issue
from reactor.wiring.explaining import explaining
from reactor.wiring.kafka import KafkaParts, kafka_parts, large_bodies
from reactor.wiring.redis import RedisParts, redis_parts
from reactor.wiring.sending import make_ledger
from reactor.wiring.worker import processor
from tests.fixtures.github.fake import APP_ID, INSTALLATION, REPOSITORY_ID, AppKey, FakeGitHub
from tests.fixtures.live_github import opened_there
from tests.fixtures.plugins import install_package

pytestmark = [pytest.mark.kafka, pytest.mark.redis, pytest.mark.long, pytest.mark.timeout(240)]

ASKING = """
    from datetime import timedelta

    from reactor import action, component, wait_for
    from reactor.github import AddLabels, Issue, IssuesEvent

    @component(effects=(AddLabels,))
    class Asking:
        @action(value=0.9, pre=["event.action == 'opened'"])
        async def ask(self, event: IssuesEvent, issue: Issue) -> str:
            "Ask a person for a label, and wait."
            return wait_for.form(str, title="Which label?", expires=timedelta(days=1))

    COMPONENTS = (Asking,)
"""
REACTIONS = """
reactions:
  - {name: ask, on: issues.opened, scope: [asking]}
  - {name: label, on: issues.opened, scope: [hello], effects: live}
  - {name: mourn, on: issues.deleted, scope: [triage]}
repositories: {"*": {without_file: live}}
effects: {approval_days: 1}
"""
LISTED = [{"id": REPOSITORY_ID, "full_name": "octo/hello"}]


@dataclass(frozen=True)
class Place:
    """A worker at work, and what its servers hold."""

    settings: Settings
    redis: RedisParts
    kafka: KafkaParts

    async def happen(self, kind: str, *, earlier: timedelta = timedelta(0), **payload: Any) -> str:
        """Something happens on GitHub; its id.  `earlier`: so long ago it was delivered."""
        told = delivery_at(SystemClock().now() - earlier, kind, **payload)
        await self.kafka.deliveries.append(told)
        return told.id

    async def explained(self, id: str) -> ToldDelivery | None:
        async with explaining(self.settings) as parts:
            try:
                return await parts.lookup.delivery(id)
            except UnknownDelivery:
                return None

    async def process(self, id: str, reaction: str) -> dict[str, Any]:
        """What is told of the one that a delivery has started by a reaction; {} if there is none."""
        told = await self.explained(id)
        found = [
            each for each in (told["processes"] if told else []) if each["reaction"] == reaction
        ]
        return dict(found[0]) if found else {}

    async def fate(self, id: str) -> tuple[str, str]:
        """State and reason of the effect that came of the reaction `label`."""
        process = await self.process(id, "label")
        there = [each for each in process.get("effects", []) if each.get("fate")]
        return (there[0]["state"], there[0]["fate"]["reason"]) if there else ("", "")

    async def until_status(self, id: str, reaction: str, status: str) -> dict[str, Any]:
        async def has_it() -> bool:
            return (await self.process(id, reaction)).get("status") == status

        await until(has_it)
        return await self.process(id, reaction)

    async def until_fate(self, id: str, state: str) -> str:
        """Its reason."""

        async def has_it() -> bool:
            return (await self.fate(id))[0] == state

        await until(has_it)
        return (await self.fate(id))[1]

    async def until_settled(self, id: str) -> None:
        """Deliveries of one subject are settled in order: one that starts nothing tells so."""

        async def is_it() -> bool:
            told = await self.explained(id)
            return told is not None and bool(told["ignored"] or told["processes"])

        await until(is_it)


def delivery_at(at: datetime, kind: str, **payload: Any) -> Delivery:
    """A delivery that came then, under an id of its own."""
    made = delivery(kind, **payload)
    envelope = Envelope(id=secrets.token_hex(8), event=made.event)
    return envelope.open(made.body, received_at=at)


async def until(holds: Callable[[], Awaitable[bool]], *, within_s: float = 90) -> None:
    async with asyncio.timeout(within_s):
        while not await holds():  # noqa: ASYNC110 - what is looked at has no event
            await asyncio.sleep(0.1)


@pytest.fixture
def settings(
    kafka_bootstrap: str, redis_url: str, tmp_path: Path, fake_github: FakeGitHub, app_key: AppKey
) -> Settings:
    prefix = f"lifecycle-{secrets.token_hex(6)}"
    (tmp_path / "reactor.yaml").write_text(REACTIONS, "utf-8")
    environ = {
        "KAFKA_BOOTSTRAP_SERVERS": kafka_bootstrap,
        "REDIS_URL": redis_url,
        "REACTOR_KAFKA_PREFIX": prefix,
        "REACTOR_KAFKA_GROUP": prefix,
        "REACTOR_REDIS_PREFIX": prefix,
        "GITHUB_APP_ID": str(APP_ID),
        "GITHUB_PRIVATE_KEY": app_key.private_pem,
        "GITHUB_API_URL": fake_github.url,
    }
    return load(tmp_path / "reactor.yaml", environ)


@pytest.fixture
async def place(
    settings: Settings, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> AsyncIterator[Place]:
    packages = tmp_path / "packages"
    packages.mkdir()
    install_package(packages, "asking", ASKING)
    monkeypatch.syspath_prepend(str(packages))
    async with working(settings) as found:
        yield found


@asynccontextmanager
async def working(settings: Settings) -> AsyncIterator[Place]:
    async with (
        redis_parts(settings) as redis,
        kafka_parts(settings, large_bodies(settings, redis)) as kafka,
        processor(settings, owner="worker-1") as worker,
    ):
        await worker.start()
        try:
            yield Place(settings, redis, kafka)
        finally:
            await worker.stop()


def installed(**more: Any) -> dict[str, Any]:
    """The fields of a payload that says which installation it comes from."""
    return {"installation": {"id": INSTALLATION, "app_id": APP_ID} | more}


async def test_what_waits_on_an_issue_that_is_deleted_ends_and_nothing_more_comes_of_it(
    place: Place,
) -> None:
    gone = await place.happen("issues.opened", issue=issue(number=7))
    stays = await place.happen("issues.opened", issue=issue(number=8))
    await place.until_status(gone, "ask", "WAITING")
    waits = await place.until_status(stays, "ask", "WAITING")

    deleted = await place.happen("issues.deleted", issue=issue(number=7))

    ended = await place.until_status(gone, "ask", "KILLED")
    assert ended["reason"] == "octo/hello#7 was deleted"
    assert (await place.process(stays, "ask"))["status"] == "WAITING"
    assert await place.redis.forms.newest(limit=9) == [form["id"] for form in waits["forms"]]

    async def has_one_timer() -> bool:
        return len(await place.redis.timers.all()) == 1

    await until(has_one_timer)
    # the deletion has started what is to react to it
    assert await place.process(deleted, "mourn")


async def test_a_process_that_begins_to_wait_on_what_is_gone_ends_as_well(place: Place) -> None:
    moved = await place.happen("issues.transferred", issue=issue(number=7))
    await place.until_settled(moved)

    late = await place.happen("issues.opened", issue=issue(number=7))

    ended = await place.until_status(late, "ask", "KILLED")
    assert ended["reason"] == "octo/hello#7 was transferred"


async def test_without_the_app_nothing_is_sent_and_with_it_everything_is(
    place: Place, fake_github: FakeGitHub
) -> None:
    first = await place.happen("issues.opened", issue=issue(number=8), **installed())
    await place.until_fate(first, "done")
    changes = len(fake_github.writes())

    with fake_github.api.lock:
        installation = fake_github.world.installations.pop(INSTALLATION)
    gone = await place.happen(
        "installation.deleted", repository=None, repositories=LISTED, **installed()
    )
    await place.until_settled(gone)

    late = await place.happen(
        "issues.opened", issue=issue(number=7), earlier=timedelta(minutes=1), **installed()
    )

    assert "the app was uninstalled" in await place.until_fate(late, "refused")
    assert len(fake_github.writes()) == changes

    with fake_github.api.lock:
        fake_github.world.installations[INSTALLATION] = installation
    opened_there(fake_github, issue(number=9))
    anew = await place.happen("issues.opened", issue=issue(number=9), **installed())

    await place.until_fate(anew, "done")
    assert "new" in fake_github.issue(9)["labels"]


async def test_what_was_to_be_sent_while_the_app_was_suspended_can_be_sent_after_it(
    place: Place, fake_github: FakeGitHub
) -> None:
    first = await place.happen("issues.opened", issue=issue(number=8), **installed())
    await place.until_fate(first, "done")

    suspended = await place.happen("installation.suspend", repository=None, **installed())
    await place.until_settled(suspended)
    meanwhile = await place.happen(
        "issues.opened", issue=issue(number=7), earlier=timedelta(minutes=1), **installed()
    )
    why = await place.until_fate(meanwhile, "given_up")
    assert "the app is suspended" in why
    assert "reactor effects retry" in why

    back = await place.happen("installation.unsuspend", repository=None, **installed())
    await place.until_settled(back)
    async with explaining(place.settings) as parts:
        ledger = make_ledger(place.settings, place.redis, parts.installed.platform)
        (given_up,) = await ledger.given_up(limit=9)
        assert await ledger.retry(given_up, now=SystemClock().now())

    await place.until_fate(meanwhile, "done")
    assert "new" in fake_github.issue(7)["labels"]
