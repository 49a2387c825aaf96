"""`reactor up` with credentials: what is shipped labels and answers an issue on GitHub, once."""

import signal
import subprocess
from collections import Counter

import httpx
import psutil
import pytest

from reactor.testing import comment, delivery, issue
from tests.fixtures.github.fake import INSTALLATION, ISSUE, REPOSITORY, AppKey, FakeGitHub
from tests.fixtures.github.faults import Fault
from tests.fixtures.live_github import (
    by_app,
    by_token,
    deliver,
    live,
    opened_there,
    start_up,
    texts,
    writes,
)
from tests.fixtures.site import Site, descendants, terminate, until

pytestmark = [pytest.mark.e2e, pytest.mark.long, pytest.mark.timeout(400)]

WITHIN_S = 60
AT = f"/repos/{REPOSITORY}/issues"
TITLE = "App crashes on start"
UNLIKE = "Printing a page ends in a crash"  # else its author would be told of the first one
LATER = 9  # the number of another issue
LABELS = ["bug", "needs-information", "new"]  # of two packages
AUTH = pytest.mark.parametrize("auth", ["token", "app"])


@pytest.fixture
def live_site(embedded_site: Site, fake_github: FakeGitHub, app_key: AppKey, auth: str) -> Site:
    as_app = by_app(fake_github, app_key.private_pem)
    return live(embedded_site, as_app if auth == "app" else by_token(fake_github))


def worker_of(up: subprocess.Popen[bytes]) -> psutil.Process:
    """Not its guardian."""
    (found,) = [
        process
        for process in descendants(up.pid)
        if "worker" in process.cmdline() and "-I" not in process.cmdline()
    ]
    return found


async def settled(site: Site, id: str) -> None:
    async def is_settled() -> bool:
        try:
            async with httpx.AsyncClient(timeout=5) as client:
                told = (await client.get(f"{site.url}/api/deliveries/{id}")).json()
        except httpx.HTTPError:  # it is just being started again
            return False
        return bool(told.get("status") == "settled")

    await until(is_settled, within_s=WITHIN_S)


@AUTH
async def test_an_opened_issue_is_labelled_and_answered_once_whoever_dies(
    live_site: Site, fake_github: FakeGitHub, auth: str
) -> None:
    """The worker is killed between a comment and its answer, then all is started anew."""
    told = {"installation": {"id": INSTALLATION}} if auth == "app" else {}
    opened = delivery("issues.opened", id="d-1", issue=issue(TITLE, number=ISSUE), **told)
    up = await start_up(live_site)

    # made, and nobody hears of it
    fake_github.fail(Fault(kind="hang_after", method="POST", path=f"{AT}/{ISSUE}/comments"))
    assert await deliver(live_site, opened) == "accepted"
    await until(lambda: fake_github.issue()["comments"], within_s=WITHIN_S)
    worker_of(up).send_signal(signal.SIGKILL)
    await until(lambda: fake_github.issue()["labels"] == LABELS, within_s=WITHIN_S)

    # the same comes again, under its own id and under another one
    assert await deliver(live_site, opened) == "duplicate"
    assert await deliver(live_site, opened, id="d-2") == "accepted"
    await settled(live_site, "d-2")

    # its author answers; what is sent for one issue goes in order, so this is the last of it
    asked = issue(TITLE, number=ISSUE, labels=[{"name": "needs-information"}])
    answered = delivery("issue_comment.created", id="d-3", issue=asked, comment=comment(), **told)
    await deliver(live_site, answered)
    await until(lambda: fake_github.issue()["labels"] == ["bug", "new"], within_s=WITHIN_S)

    (asking,) = texts(fake_github.issue()["comments"])
    assert "steps that lead to it" in asking
    assert Counter(writes(fake_github)) == {
        f"POST {AT}/{ISSUE}/labels": 3,
        f"POST {AT}/{ISSUE}/comments": 1,
        f"DELETE {AT}/{ISSUE}/labels/needs-information": 1,
    }

    # everything is stopped and begun on the same data
    terminate(up)
    assert up.wait(WITHIN_S) == 0
    before = len(fake_github.writes())
    await start_up(live_site)
    assert await deliver(live_site, opened) == "duplicate"
    other = issue(UNLIKE, number=LATER)
    opened_there(fake_github, other)
    await deliver(live_site, delivery("issues.opened", id="d-4", issue=other, **told))
    await until(lambda: fake_github.issue(LATER)["labels"] == LABELS, within_s=WITHIN_S)

    assert Counter(writes(fake_github)[before:]) == {
        f"POST {AT}/{LATER}/labels": 3,
        f"POST {AT}/{LATER}/comments": 1,
    }
