"""What a repository says of itself counts in a worker, from the push that brings it."""

import secrets
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from reactor.adapters.clock import SystemClock
from reactor.github.dialect import Envelope
from reactor.github.repository_file import PATH
from reactor.lookup import UnknownDelivery
from reactor.settings import Settings, load
from reactor.testing import delivery, issue
from reactor.wiring.explaining import explaining
from reactor.wiring.kafka import KafkaParts
from tests.fixtures.at_work import at_work
from tests.fixtures.github.fake import HEAD, INSTALLATION, REPOSITORY_ID, AppKey, FakeGitHub
from tests.fixtures.github.seed import plant_issue
from tests.fixtures.live_github import by_app
from tests.fixtures.site import until

pytestmark = [pytest.mark.kafka, pytest.mark.redis, pytest.mark.timeout(180)]

LIVE = """
reactions: [{name: welcome, on: issues.opened, effects: live, scope: hello}]
github: {report_files: true}
"""
HELLO = {"id": REPOSITORY_ID, "full_name": "octo/hello", "default_branch": "main"}
PATIENT_S = 60  # a busy machine is not what these tests look for


@pytest.fixture
def settings(
    environ: dict[str, str], tmp_path: Path, fake_github: FakeGitHub, app_key: AppKey
) -> Settings:
    config = tmp_path / "reactor.yaml"
    config.write_text(LIVE, "utf-8")
    return load(config, {**environ, **by_app(fake_github, app_key.private_pem)})


@dataclass(frozen=True)
class Place:
    """A worker at work, and the GitHub that it works on."""

    settings: Settings
    kafka: KafkaParts
    fake: FakeGitHub

    async def deliver(self, kind: str, **payload: Any) -> str:
        """Something happens on GitHub; its id, once it is settled."""
        made = delivery(kind, installation={"id": INSTALLATION}, **payload)
        envelope = Envelope(id=secrets.token_hex(8), event=made.event)
        told = envelope.open(made.body, received_at=SystemClock().now())
        await self.kafka.deliveries.append(told)
        await until(lambda: self._is_settled(told.id), within_s=PATIENT_S)
        return told.id

    async def push(self, text: str) -> None:
        """Somebody changes the file of the repository."""
        with self.fake.api.lock:
            self.fake.repository().files[PATH] = text
        commits = [{"id": HEAD, "modified": [PATH]}]
        await self.deliver(
            "push", ref="refs/heads/main", after=HEAD, commits=commits, repository=HELLO
        )

    async def open_issue(self, number: int) -> str:
        """Somebody opens an issue; the id of the delivery."""
        with self.fake.api.lock:
            plant_issue(self.fake.world, self.fake.repository(), {"number": number})
        return await self.deliver("issues.opened", issue=issue(number=number))

    async def effects_of(self, id: str) -> list[dict[str, Any]]:
        """The effects of the processes that a delivery has started."""
        async with explaining(self.settings) as parts:
            told = await parts.lookup.delivery(id)
        return [effect for process in told["processes"] for effect in process["effects"]]

    async def _is_settled(self, id: str) -> bool:
        async with explaining(self.settings) as parts:
            try:
                told = await parts.lookup.delivery(id)
            except UnknownDelivery:
                return False
        processes = told["processes"]
        return bool(told["ignored"]) or (
            bool(processes) and all(it["status"] not in ("RUNNING", "NEW") for it in processes)
        )


@asynccontextmanager
async def working(settings: Settings, fake: FakeGitHub) -> AsyncIterator[Place]:
    async with at_work(settings) as place:
        yield Place(settings, place.kafka, fake)


async def test_a_repository_without_a_file_is_only_observed_and_explain_says_why(
    settings: Settings, fake_github: FakeGitHub
) -> None:
    async with working(settings, fake_github) as place:
        opened = await place.open_issue(20)
        effects = await place.effects_of(opened)

    assert effects
    assert all("octo/hello has no .github/reactor.yml" in str(effect) for effect in effects)
    assert fake_github.writes() == []


async def test_what_a_push_says_counts_for_what_happens_after_it(
    settings: Settings, fake_github: FakeGitHub
) -> None:
    def is_labelled(number: int) -> bool:
        return "new" in fake_github.issue(number)["labels"]

    async with working(settings, fake_github) as place:
        await place.push("mode: live\nlabels: [new]\n")
        await place.open_issue(20)
        await until(lambda: is_labelled(20), within_s=PATIENT_S)

        # with faults: the good one goes on to count, and its owners are told where
        await place.push("mode: live\nlabels: [new]\nallow: AddLabels\n")
        await place.open_issue(21)
        await until(lambda: is_labelled(21), within_s=PATIENT_S)

        await place.push("mode: live\nlabels: [other]\n")
        refused = await place.effects_of(await place.open_issue(22))

    (check,) = fake_github.repository().checks.values()
    (annotation,) = check.fields["output"]["annotations"]
    assert (check.head_sha, annotation["start_line"]) == (HEAD, 3)
    assert any("does not allow the label new" in str(effect) for effect in refused)
    assert fake_github.issue(22)["labels"] == []
