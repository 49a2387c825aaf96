"""Changes wait for a maintainer, who is told so on the issue and approves them there."""

import subprocess
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AsyncExitStack
from dataclasses import dataclass
from datetime import timedelta
from functools import partial
from itertools import count
from typing import Any

import httpx
import pytest

from reactor.adapters.clock import SystemClock
from reactor.delivery import Delivery
from reactor.testing import account, delivery, issue
from tests.fixtures.github.fake import ISSUE, MAINTAINER, OUTSIDER, REPOSITORY, FakeGitHub
from tests.fixtures.github.faults import Fault
from tests.fixtures.live_github import SHIPPED, by_token, deliver, live, start_up, texts
from tests.fixtures.site import Site, until
from tests.fixtures.slow_site import deliveries

pytestmark = [
    *(pytest.mark.e2e, pytest.mark.kafka, pytest.mark.redis),
    *(pytest.mark.long, pytest.mark.timeout(400)),
]

WITHIN_S = 60
COMMENTS = f"/repos/{REPOSITORY}/issues/{ISSUE}/comments"
TITLE = "App crashes on start"
WANTED = ["bug", "needs-information", "new"]  # labels, of two packages
TOKENS = {"maintainer": MAINTAINER, "outsider": OUTSIDER}


@dataclass
class Place:
    """An issue on the fake GitHub, with somebody who hears what people say on it."""

    site: Site
    fake: FakeGitHub
    tell: Callable[[Delivery], Awaitable[object]]
    numbers: "count[int]"

    async def start_worker(self, name: str) -> subprocess.Popen[bytes]:
        config = str(self.site.folder / "reactor.yaml")
        worker = self.site.start_worker(name, "--config", config)
        await until(lambda: self.site.is_ready(name), within_s=WITHIN_S)
        return worker

    async def open(self) -> None:
        opened = delivery("issues.opened", id="d-1", issue=issue(TITLE, number=ISSUE))
        await self.tell(opened)

    async def say(self, login: str, text: str, *, id: str = "", **fields: Any) -> dict[str, Any]:
        """Somebody writes it, and GitHub delivers it; gives the comment."""
        async with httpx.AsyncClient(timeout=30) as client:
            answer = await client.post(
                f"{self.fake.url}{COMMENTS}",
                headers={"authorization": f"Bearer {TOKENS[login]}"},
                json={"body": text},
            )
        assert answer.status_code == 201, answer.text
        # GitHub's seconds are whole ones: the next, so that it comes after what was there
        now = (SystemClock().now() + timedelta(seconds=1)).isoformat(timespec="seconds")
        written = answer.json() | {"created_at": now, "updated_at": now}
        await self.deliver(login, written, **fields)
        return dict(written)

    async def deliver(self, login: str, written: dict[str, Any], **fields: Any) -> None:
        subject = issue(TITLE, **({"number": ISSUE, "updated_at": written["updated_at"]} | fields))
        told = delivery(
            "issue_comment.created",
            id=f"c-{next(self.numbers)}",
            issue=subject,
            comment=written,
            sender=account(login),
        )
        await self.tell(told)

    def ours(self) -> list[str]:
        """What we wrote there, without what people did."""
        return [text for text in texts(self.fake.issue()["comments"]) if text[:1] != "/"]

    def reactions(self, written: dict[str, Any]) -> list[str]:
        """To a comment, in order."""
        found = [each for each in self.fake.issue()["comments"] if each["id"] == written["id"]]
        return [content for _, content in found[0]["reactions"]]

    async def wait(self, condition: Callable[[], object]) -> None:
        await until(lambda: bool(condition()), within_s=WITHIN_S, every_s=0.2)


def waiting_for_people(site: Site, fake: FakeGitHub) -> Site:
    """Whatever it would change waits for approval, and people are told so."""
    reaction = {"name": SHIPPED, "on": "*", "terminate_when_stuck": True, "effects": "approve"}
    return live(site, by_token(fake), reactions=[reaction], effects={"prompt": True})


@pytest.fixture
async def place(site: Site, fake_github: FakeGitHub) -> AsyncIterator[Place]:
    waiting_for_people(site, fake_github)
    async with AsyncExitStack() as stack:
        log = await stack.enter_async_context(deliveries(site))
        yield Place(site, fake_github, log.append, count(1))


@pytest.fixture
async def up(embedded_site: Site, fake_github: FakeGitHub) -> Place:
    """Over `reactor up`, told by signed requests."""
    site = waiting_for_people(embedded_site, fake_github)
    await start_up(site)
    return Place(site, fake_github, partial(deliver, site), count(1))


async def test_what_waits_is_listed_refused_to_outsiders_and_done_once_for_maintainers(
    place: Place,
) -> None:
    await place.start_worker("worker")
    await place.open()
    await place.wait(lambda: any("/approve" in text for text in place.ours()))
    assert place.fake.issue()["labels"] == []

    by_outsider = await place.say("outsider", "/approve")
    await place.wait(lambda: place.reactions(by_outsider) == ["-1"])
    await place.wait(lambda: any("maintain and above" in text for text in place.ours()))
    assert place.fake.issue()["labels"] == []

    by_maintainer = await place.say("maintainer", "/approve")
    await place.wait(lambda: sorted(place.fake.issue()["labels"]) == WANTED)
    await place.wait(lambda: place.reactions(by_maintainer) == ["eyes", "+1"])
    await place.wait(lambda: len(_questions(place)) == 1)

    # GitHub delivers it once more; then there is nothing left that could be approved
    await place.deliver("maintainer", by_maintainer)
    again = await place.say("maintainer", "/approve")
    await place.wait(lambda: place.reactions(again) == ["eyes", "confused"])

    why = await place.say("maintainer", "/why")
    await place.wait(lambda: place.reactions(why) == ["eyes", "+1"])
    (explained,) = [text for text in place.ours() if text.startswith("<details>")]
    assert "approved by maintainer" in explained

    # looked at anew, as it is now: the label that somebody took off is wanted again
    kept = [{"name": name} for name in WANTED if name != "bug"]
    await place.say("maintainer", "/retriage", labels=kept)
    await place.wait(lambda: any("add label bug" in text for text in _prompts(place)))

    assert len(_questions(place)) == 1
    assert len(_prompts(place)) == 1


async def test_over_up_an_outsider_is_refused_and_what_a_maintainer_approves_is_done(
    up: Place,
) -> None:
    await up.open()
    await up.wait(lambda: len(_prompts(up)) == 1)

    by_outsider = await up.say("outsider", "/approve")
    await up.wait(lambda: up.reactions(by_outsider) == ["-1"])
    await up.wait(lambda: any("maintain and above" in text for text in up.ours()))
    assert up.fake.issue()["labels"] == []

    by_maintainer = await up.say("maintainer", "/approve")
    await up.wait(lambda: sorted(up.fake.issue()["labels"]) == WANTED)
    await up.wait(lambda: up.reactions(by_maintainer) == ["eyes", "+1"])
    await up.wait(lambda: len(_questions(up)) == 1)


async def test_what_was_approved_is_made_once_though_its_worker_dies_meanwhile(
    place: Place,
) -> None:
    worker = await place.start_worker("worker-a")
    await place.open()
    await place.wait(lambda: len(_prompts(place)) == 1)
    refused = await place.say("outsider", "/approve")
    await place.wait(lambda: place.reactions(refused) == ["-1"])
    await place.wait(lambda: any("maintain and above" in text for text in place.ours()))

    approved = await place.say("maintainer", "/approve")
    # the change is made, and nobody hears of it
    place.fake.fail(Fault(kind="hang_after", method="POST", path=COMMENTS))
    await place.wait(lambda: len(_questions(place)) == 1)
    worker.kill()
    worker.wait()
    await place.start_worker("worker-b")

    await place.wait(lambda: place.reactions(approved) == ["eyes", "+1"])
    await place.wait(lambda: sorted(place.fake.issue()["labels"]) == WANTED)
    assert len(_questions(place)) == 1


def _questions(place: Place) -> list[str]:
    return [text for text in place.ours() if "steps that lead to it" in text]


def _prompts(place: Place) -> list[str]:
    return [text for text in place.ours() if "for approval:" in text]
