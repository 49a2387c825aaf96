"""A delivery in, a label on GitHub: a worker with its executor over real HTTP."""

from collections.abc import Callable
from pathlib import Path

import pytest

from reactor.github.marker import marker_in
from reactor.settings import Settings, load
from reactor.testing import delivery, issue
from tests.fixtures.at_work import at_work
from tests.fixtures.github.fake import INSTALLATION, AppKey, FakeGitHub
from tests.fixtures.github.faults import Fault
from tests.fixtures.live_github import by_app, by_token
from tests.fixtures.site import until

pytestmark = [pytest.mark.kafka, pytest.mark.redis, pytest.mark.timeout(90)]

LIVE = """
reactions: [{name: welcome, on: issues.opened, effects: live, scope: [hello, triage]}]
repositories: {"*": {without_file: live}}
"""


@pytest.fixture
def config(tmp_path: Path) -> Path:
    path = tmp_path / "reactor.yaml"
    path.write_text(LIVE, "utf-8")
    return path


async def react(settings: Settings, *, until_seen: Callable[[], bool]) -> None:
    """Have a worker read one opened issue, until something is seen on GitHub."""
    opened = delivery("issues.opened", issue=issue(number=7), installation={"id": INSTALLATION})
    async with at_work(settings) as place:
        await place.kafka.deliveries.append(opened)
        await until(until_seen, within_s=60)


@pytest.mark.parametrize("who", ["app", "token"])
async def test_an_opened_issue_is_labelled(
    environ: dict[str, str], config: Path, fake_github: FakeGitHub, app_key: AppKey, who: str
) -> None:
    credentials = {
        "app": by_app(fake_github, app_key.private_pem),
        "token": by_token(fake_github),
    }

    await react(
        load(config, {**environ, **credentials[who]}),
        until_seen=lambda: "new" in fake_github.issue()["labels"],
    )

    # the delivery has told which installation it is
    assert not any(each.path.endswith("/installation") for each in fake_github.requests())


async def test_an_answer_that_was_lost_leads_to_no_second_comment(
    environ: dict[str, str], config: Path, fake_github: FakeGitHub
) -> None:
    fake_github.fail(Fault(kind="after", method="POST", path="/repos/.*/comments"))

    def looked() -> bool:
        reads = fake_github.requests("GET")
        return any(
            each.path.endswith("/issues/7/comments") and each.status == 200 for each in reads
        )

    await react(load(config, {**environ, **by_token(fake_github)}), until_seen=looked)

    (comment,) = fake_github.issue()["comments"]
    marker = marker_in(comment["body"])
    assert marker is not None
    assert marker.delivery == "github.com/d-1"
