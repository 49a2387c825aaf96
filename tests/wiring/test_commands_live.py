"""Comments in, commands done on GitHub: a worker that asks the API who may, over real HTTP."""

import asyncio
import secrets
from collections import Counter
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from datetime import timedelta
from pathlib import Path
from typing import Any

import httpx
import pytest

from reactor.settings import load
from reactor.testing import Payload, delivery, issue
from reactor.wiring.kafka import KafkaParts, kafka_parts, large_bodies
from reactor.wiring.redis import redis_parts
from reactor.wiring.worker import processor
from tests.fixtures.github.fake import (
    APP_ID,
    INSTALLATION,
    ISSUE,
    MAINTAINER,
    OUTSIDER,
    REPOSITORY,
    SLUG,
    TOKEN,
    AppKey,
    FakeGitHub,
)

pytestmark = [pytest.mark.kafka, pytest.mark.redis, pytest.mark.timeout(180)]

LIVE = """
reactions:
  - {name: pushes, on: push, effects: live, scope: [hello]}
  - {name: everything, on: "*"}
repositories: {"*": {without_file: live, labels: [bug, question]}}
"""
AT = f"/repos/{REPOSITORY}/issues"


@pytest.fixture
def servers(kafka_bootstrap: str, redis_url: str, tmp_path: Path) -> dict[str, str]:
    prefix = f"commands-{secrets.token_hex(6)}"
    (tmp_path / "reactor.yaml").write_text(LIVE, "utf-8")
    return {
        "KAFKA_BOOTSTRAP_SERVERS": kafka_bootstrap,
        "REDIS_URL": redis_url,
        "REACTOR_KAFKA_PREFIX": prefix,
        "REACTOR_KAFKA_GROUP": prefix,
        "REACTOR_REDIS_PREFIX": prefix,
    }


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


async def until(holds: Callable[[], bool]) -> None:
    while not holds():  # noqa: ASYNC110 - what is looked at has no event
        await asyncio.sleep(0.05)


@asynccontextmanager
async def working(config: Path, environ: dict[str, str], fake: FakeGitHub) -> AsyncIterator[People]:
    """While a worker hears what people say."""
    settings = load(config, {**environ, "GITHUB_API_URL": fake.url})
    async with (
        redis_parts(settings) as redis,
        kafka_parts(settings, large_bodies(settings, redis)) as kafka,
        httpx.AsyncClient() as client,
        processor(settings, owner="worker-1") as worker,
    ):
        await worker.start()
        try:
            yield People(fake, kafka, client)
        finally:
            await worker.stop()


async def test_what_people_ask_for_is_done_once_and_answered(
    servers: dict[str, str], tmp_path: Path, fake_github: FakeGitHub
) -> None:
    environ = {**servers, "GITHUB_TOKEN": TOKEN}
    async with working(tmp_path / "reactor.yaml", environ, fake_github) as people:
        await _ask_and_look(people, fake_github)


async def test_an_app_is_asked_by_its_name_and_for_what_the_repository_lets_in(
    servers: dict[str, str], tmp_path: Path, fake_github: FakeGitHub, app_key: AppKey
) -> None:
    fake_github.repository().files[".github/reactor.yml"] = "mode: live\ncommands: [close]\n"
    as_app = {"GITHUB_APP_ID": str(APP_ID), "GITHUB_PRIVATE_KEY": app_key.private_pem}
    async with working(tmp_path / "reactor.yaml", {**servers, **as_app}, fake_github) as people:
        kept_out = await people.say("/label bug", token=MAINTAINER, id="d-1")
        let_in = await people.say(f"@{SLUG} close", token=MAINTAINER, id="d-2")

        await until(lambda: people.reactions(kept_out) == ["-1"])
        await until(lambda: people.reactions(let_in) == ["eyes", "+1"])

    assert fake_github.issue()["state"] == "closed"
    assert fake_github.issue()["labels"] == []
    (told,) = [each["body"] for each in fake_github.issue()["comments"] if "[bot]" in each["user"]]
    assert "/label is not in use in octo/hello" in told


async def _ask_and_look(people: People, fake: FakeGitHub) -> None:
    # who may
    asked = await people.say("Thanks!\n\n/label bug", token=MAINTAINER, id="d-1")
    await until(lambda: people.reactions(asked) == ["eyes", "+1"])
    assert fake.issue()["labels"] == ["bug"]

    # the same is told again, and somebody quotes it
    await people.tell("created", asked, id="d-2")
    quoting = await people.say("> /label wontfix\n\nWhy?", token=MAINTAINER, id="d-3")

    # who may not
    refused = await people.say("/label question", token=OUTSIDER, id="d-4")
    await until(lambda: people.reactions(refused) == ["-1"] and len(_ours(fake)) == 1)
    assert "/label is for the role triage and above" in _ours(fake)[0]

    # what is not granted to anybody
    withheld = await people.say("/label secret", token=MAINTAINER, id="d-5")
    await until(lambda: people.reactions(withheld) == ["eyes", "-1"] and len(_ours(fake)) == 2)
    assert "add label secret: " in _ours(fake)[1]

    # an edit
    await people.edit(asked, "Thanks!\n\n/label bug\n/label question", token=MAINTAINER, id="d-6")
    await until(lambda: "question" in fake.issue()["labels"])

    # what is sent for one issue goes in order, so this is the last of it
    last = await people.say("/close not-planned", token=MAINTAINER, id="d-7")
    await until(lambda: people.reactions(last) == ["eyes", "+1"])

    found = fake.issue()
    assert (found["state"], found["state_reason"]) == ("closed", "not_planned")
    assert found["labels"] == ["bug", "question"]
    assert people.reactions(quoting) == []
    assert people.reactions(asked) == ["eyes", "+1"]
    assert len(_ours(fake)) == 2
    posts = Counter(each.path for each in fake.writes() if each.path.endswith("/labels"))
    assert posts == {f"{AT}/{ISSUE}/labels": 2}


def _ours(fake: FakeGitHub) -> list[str]:
    return [each["body"] for each in fake.issue()["comments"] if each["user"] == "the-bot"]
