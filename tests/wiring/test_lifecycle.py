"""Issues, repositories and installations go, and a worker ends what was to come of them."""

import secrets
from collections.abc import AsyncIterator
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
from reactor.wiring.sending import make_ledger
from tests.fixtures.at_work import AtWork, at_work
from tests.fixtures.github.fake import APP_ID, INSTALLATION, REPOSITORY_ID, AppKey, FakeGitHub
from tests.fixtures.live_github import by_app, opened_there
from tests.fixtures.plugins import install_package
from tests.fixtures.site import until

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
PATIENT_S = 90  # a busy machine is not what these tests look for
LISTED = [{"id": REPOSITORY_ID, "full_name": "octo/hello"}]


@dataclass(frozen=True)
class Place(AtWork):
    """A worker at work, and what its servers hold."""

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

        await until(has_it, within_s=PATIENT_S)
        return await self.process(id, reaction)

    async def until_fate(self, id: str, state: str) -> str:
        """Its reason."""

        async def has_it() -> bool:
            return (await self.fate(id))[0] == state

        await until(has_it, within_s=PATIENT_S)
        return (await self.fate(id))[1]

    async def until_settled(self, id: str) -> None:
        """Deliveries of one subject are settled in order: one that starts nothing tells so."""

        async def is_it() -> bool:
            told = await self.explained(id)
            return told is not None and bool(told["ignored"] or told["processes"])

        await until(is_it, within_s=PATIENT_S)


def delivery_at(at: datetime, kind: str, **payload: Any) -> Delivery:
    """A delivery that came then, under an id of its own."""
    made = delivery(kind, **payload)
    envelope = Envelope(id=secrets.token_hex(8), event=made.event)
    return envelope.open(made.body, received_at=at)


@pytest.fixture
def settings(
    environ: dict[str, str], tmp_path: Path, fake_github: FakeGitHub, app_key: AppKey
) -> Settings:
    config = tmp_path / "reactor.yaml"
    config.write_text(REACTIONS, "utf-8")
    return load(config, {**environ, **by_app(fake_github, app_key.private_pem)})


@pytest.fixture
async def place(
    settings: Settings, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> AsyncIterator[Place]:
    packages = tmp_path / "packages"
    packages.mkdir()
    install_package(packages, "asking", ASKING)
    monkeypatch.syspath_prepend(str(packages))
    async with at_work(settings) as there:
        yield Place(there.settings, there.redis, there.kafka)


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

    await until(has_one_timer, within_s=PATIENT_S)
    # the deletion has started what is to react to it
    assert await place.process(deleted, "mourn")


async def test_a_process_that_begins_to_wait_on_what_is_gone_ends_as_well(place: Place) -> None:
    moved = await place.happen("issues.transferred", issue=issue(number=7))
    await place.until_settled(moved)

    late = await place.happen("issues.opened", issue=issue(number=7))

    ended = await place.until_status(late, "ask", "KILLED")
    assert ended["reason"] == "octo/hello#7 was transferred to octo/other#3"


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
