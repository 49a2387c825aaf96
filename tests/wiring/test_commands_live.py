"""Comments in, commands done on GitHub: a worker that asks the API who may, over real HTTP."""

from collections import Counter
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import timedelta
from pathlib import Path
from typing import Any

import httpx
import pytest

from reactor.settings import load
from reactor.testing import Payload, delivery, issue
from reactor.wiring.kafka import KafkaParts
from tests.fixtures.at_work import at_work
from tests.fixtures.github.fake import (
    INSTALLATION,
    ISSUE,
    MAINTAINER,
    OUTSIDER,
    REPOSITORY,
    SLUG,
    AppKey,
    FakeGitHub,
)
from tests.fixtures.live_github import by_app, by_token
from tests.fixtures.site import until

pytestmark = [pytest.mark.kafka, pytest.mark.redis, pytest.mark.timeout(180)]

LIVE = """
reactions:
  - {name: pushes, on: push, effects: live, scope: [hello]}
  - {name: everything, on: "*"}
repositories: {"*": {without_file: live, labels: [bug, question]}}
"""
AT = f"/repos/{REPOSITORY}/issues"
PATIENT_S = 60  # a busy machine is not what these tests look for


@pytest.fixture
def config(tmp_path: Path) -> Path:
    path = tmp_path / "reactor.yaml"
    path.write_text(LIVE, "utf-8")
    return path


class People:
    """Write comments there, and have GitHub tell of them."""

    def __init__(self, fake: FakeGitHub, kafka: KafkaParts, client: httpx.AsyncClient) -> None:
        self.fake, self._kafka, self._client = fake, kafka, client

    async def say(self, text: str, *, token: str, id: str) -> Payload:
        comment = await self._ask("POST", f"{AT}/{ISSUE}/comments", token, text)
        await self.tell("created", comment, id=id)
        return comment

    async def edit(self, comment: Payload, text: str, *, token: str, id: str) -> None:
        self.fake.api.world.ahead += timedelta(seconds=5)
        changed = await self._ask("PATCH", f"{AT}/comments/{comment['id']}", token, text)
        was = {"body": {"from": comment["body"]}}
        await self.tell("edited", changed, id=id, changes=was)

    async def tell(self, action: str, comment: Payload, *, id: str, **more: Any) -> None:
        subject = issue(number=ISSUE)
        told = {"issue": subject, "comment": comment, "sender": comment["user"], **more}
        told["installation"] = {"id": INSTALLATION}
        await self._kafka.deliveries.append(delivery(f"issue_comment.{action}", id=id, **told))

    def reactions(self, comment: Payload) -> list[str]:
        found = {each["id"]: each["reactions"] for each in self.fake.issue()["comments"]}
        return [content for _, content in found[comment["id"]]]

    async def _ask(self, method: str, path: str, token: str, text: str) -> Payload:
        answer = await self._client.request(
            method,
            self.fake.url + path,
            json={"body": text},
            headers={"Authorization": f"Bearer {token}"},
        )
        answer.raise_for_status()
        found: Payload = answer.json()
        return found


@asynccontextmanager
async def working(config: Path, environ: dict[str, str], fake: FakeGitHub) -> AsyncIterator[People]:
    """While a worker hears what people say."""
    async with (
        httpx.AsyncClient(timeout=30) as client,
        at_work(load(config, environ)) as place,
    ):
        yield People(fake, place.kafka, client)


async def test_what_people_ask_for_is_done_once_and_answered(
    environ: dict[str, str], config: Path, fake_github: FakeGitHub
) -> None:
    async with working(config, {**environ, **by_token(fake_github)}, fake_github) as people:
        await _ask_and_look(people, fake_github)


async def test_an_app_is_asked_by_its_name_and_for_what_the_repository_lets_in(
    environ: dict[str, str], config: Path, fake_github: FakeGitHub, app_key: AppKey
) -> None:
    fake_github.repository().files[".github/reactor.yml"] = "mode: live\ncommands: [close]\n"
    as_app = by_app(fake_github, app_key.private_pem)
    async with working(config, {**environ, **as_app}, fake_github) as people:
        kept_out = await people.say("/label bug", token=MAINTAINER, id="d-1")
        let_in = await people.say(f"@{SLUG} close", token=MAINTAINER, id="d-2")

        await until(lambda: people.reactions(kept_out) == ["-1"], within_s=PATIENT_S)
        await until(lambda: people.reactions(let_in) == ["eyes", "+1"], within_s=PATIENT_S)

    assert fake_github.issue()["state"] == "closed"
    assert fake_github.issue()["labels"] == []
    (told,) = [each["body"] for each in fake_github.issue()["comments"] if "[bot]" in each["user"]]
    assert "/label is not in use in octo/hello" in told


async def _ask_and_look(people: People, fake: FakeGitHub) -> None:
    # who may
    asked = await people.say("Thanks!\n\n/label bug", token=MAINTAINER, id="d-1")
    await until(lambda: people.reactions(asked) == ["eyes", "+1"], within_s=PATIENT_S)
    assert fake.issue()["labels"] == ["bug"]

    # the same is told again, and somebody quotes it
    await people.tell("created", asked, id="d-2")
    quoting = await people.say("> /label wontfix\n\nWhy?", token=MAINTAINER, id="d-3")

    # who may not
    refused = await people.say("/label question", token=OUTSIDER, id="d-4")
    await until(
        lambda: people.reactions(refused) == ["-1"] and len(_ours(fake)) == 1, within_s=PATIENT_S
    )
    assert "/label is for the role triage and above" in _ours(fake)[0]

    # what is not granted to anybody
    withheld = await people.say("/label secret", token=MAINTAINER, id="d-5")
    await until(
        lambda: people.reactions(withheld) == ["eyes", "-1"] and len(_ours(fake)) == 2,
        within_s=PATIENT_S,
    )
    assert "add label secret: " in _ours(fake)[1]

    # what GitHub refuses when it is sent
    late = await people.say("/assign @nobody-of-that-name", token=MAINTAINER, id="d-8")
    await until(
        lambda: people.reactions(late) == ["eyes", "-1"] and len(_ours(fake)) == 3,
        within_s=PATIENT_S,
    )
    assert "assign nobody-of-that-name: " in _ours(fake)[2]

    # an edit
    await people.edit(asked, "Thanks!\n\n/label bug\n/label question", token=MAINTAINER, id="d-6")
    await until(lambda: "question" in fake.issue()["labels"], within_s=PATIENT_S)

    # what is sent for one issue goes in order, so this is the last of it
    last = await people.say("/close not-planned", token=MAINTAINER, id="d-7")
    await until(lambda: people.reactions(last) == ["eyes", "+1"], within_s=PATIENT_S)

    found = fake.issue()
    assert (found["state"], found["state_reason"]) == ("closed", "not_planned")
    assert found["labels"] == ["bug", "question"]
    assert people.reactions(quoting) == []
    assert people.reactions(asked) == ["eyes", "+1"]
    assert len(_ours(fake)) == 3
    posts = Counter(each.path for each in fake.writes() if each.path.endswith("/labels"))
    assert posts == {f"{AT}/{ISSUE}/labels": 2}


def _ours(fake: FakeGitHub) -> list[str]:
    return [each["body"] for each in fake.issue()["comments"] if each["user"] == "the-bot"]
