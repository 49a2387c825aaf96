"""A delivery in, a label on GitHub: a worker with its executor over real HTTP."""

import asyncio
import secrets
from collections.abc import Callable
from pathlib import Path

import pytest

from reactor.github.marker import marker_in
from reactor.settings import Settings, load
from reactor.testing import delivery, issue
from reactor.wiring.kafka import kafka_parts, large_bodies
from reactor.wiring.redis import redis_parts
from reactor.wiring.worker import processor
from tests.fixtures.github.fake import APP_ID, INSTALLATION, TOKEN, AppKey, FakeGitHub
from tests.fixtures.github.faults import Fault

pytestmark = [pytest.mark.kafka, pytest.mark.redis, pytest.mark.timeout(90)]

LIVE = """
reactions: [{name: welcome, on: issues.opened, effects: live, scope: [hello, triage]}]
repositories: {"*": {without_file: live}}
"""


@pytest.fixture
def servers(kafka_bootstrap: str, redis_url: str, tmp_path: Path) -> dict[str, str]:
    prefix = f"live-{secrets.token_hex(6)}"
    (tmp_path / "reactor.yaml").write_text(LIVE, "utf-8")
    return {
        "KAFKA_BOOTSTRAP_SERVERS": kafka_bootstrap,
        "REDIS_URL": redis_url,
        "REACTOR_KAFKA_PREFIX": prefix,
        "REACTOR_KAFKA_GROUP": prefix,
        "REACTOR_REDIS_PREFIX": prefix,
    }


async def until(holds: Callable[[], bool]) -> None:
    while not holds():  # noqa: ASYNC110 - what is looked at has no event
        await asyncio.sleep(0.02)


async def react(settings: Settings, *, until_seen: Callable[[], bool]) -> None:
    """Have a worker read one opened issue, until something is seen on GitHub."""
    opened = delivery("issues.opened", issue=issue(number=7), installation={"id": INSTALLATION})
    async with (
        redis_parts(settings) as redis,
        kafka_parts(settings, large_bodies(settings, redis)) as kafka,
        processor(settings, owner="worker-1") as worker,
    ):
        await kafka.deliveries.append(opened)
        await worker.start()
        try:
            await until(until_seen)
        finally:
            await worker.stop()


@pytest.mark.parametrize("who", ["app", "token"])
async def test_an_opened_issue_is_labelled(
    servers: dict[str, str],
    tmp_path: Path,
    fake_github: FakeGitHub,
    app_key: AppKey,
    who: str,
) -> None:
    credentials = {
        "app": {"GITHUB_APP_ID": str(APP_ID), "GITHUB_PRIVATE_KEY": app_key.private_pem},
        "token": {"GITHUB_TOKEN": TOKEN},
    }
    environ = {**servers, **credentials[who], "GITHUB_API_URL": fake_github.url}

    await react(
        load(tmp_path / "reactor.yaml", environ),
        until_seen=lambda: "new" in fake_github.issue()["labels"],
    )

    # the delivery has told which installation it is
    assert not any(each.path.endswith("/installation") for each in fake_github.requests())


async def test_an_answer_that_was_lost_leads_to_no_second_comment(
    servers: dict[str, str], tmp_path: Path, fake_github: FakeGitHub
) -> None:
    fake_github.fail(Fault(kind="after", method="POST", path="/repos/.*/comments"))
    environ = {**servers, "GITHUB_TOKEN": TOKEN, "GITHUB_API_URL": fake_github.url}

    def looked() -> bool:
        reads = fake_github.requests("GET")
        return any(
            each.path.endswith("/issues/7/comments") and each.status == 200 for each in reads
        )

    await react(load(tmp_path / "reactor.yaml", environ), until_seen=looked)

    (comment,) = fake_github.issue()["comments"]
    marker = marker_in(comment["body"])
    assert marker is not None
    assert marker.delivery == "github.com/d-1"
