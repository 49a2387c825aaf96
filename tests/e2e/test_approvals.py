"""Effects that wait for a person: approved on the command line, and sent once, whoever dies."""

import json
import subprocess
import sys
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack
from dataclasses import dataclass
from typing import Any

import pytest

from reactor.testing import delivery, issue
from reactor.topic import DeliveryLog
from tests.fixtures.bell import Sink, install_bell
from tests.fixtures.site import Site, until
from tests.fixtures.slow_site import deliveries

pytestmark = [pytest.mark.e2e, pytest.mark.kafka, pytest.mark.redis, pytest.mark.timeout(300)]


@dataclass
class Desk:
    """A site whose one reaction has its effects approved, and the commands of a person."""

    site: Site
    sink: Sink
    log: DeliveryLog

    async def start_worker(self, name: str) -> subprocess.Popen[bytes]:
        config = str(self.site.folder / "reactor.yaml")
        worker = self.site.start_worker(name, "--config", config)
        await until(lambda: self.site.is_ready(name), within_s=90)
        return worker

    def run(self, *words: str) -> subprocess.CompletedProcess[str]:
        """`reactor WORDS...`."""
        return subprocess.run(
            [sys.executable, "-m", "reactor", *words],
            check=False,
            capture_output=True,
            text=True,
            env=dict(self.site.environ),
            cwd=self.site.folder,
            timeout=90,
        )

    def waiting(self) -> dict[str, Any]:
        """By kind of effect, what waits."""
        told = json.loads(self.run("approvals", "--json").stdout)
        return {each["kind"]: each for each in told["approvals"]}

    async def held(self, title: str) -> dict[str, Any]:
        """An issue of that title is opened; gives what waits then."""
        await self.log.append(delivery("issues.opened", id="d-1", issue=issue(title)))
        await until(lambda: len(self.waiting()) == 3, within_s=60, every_s=0.5)
        return self.waiting()


@pytest.fixture
async def desk(site: Site) -> AsyncIterator[Desk]:
    sink, names = install_bell(site.folder)
    site.environ = {**site.environ, **names}
    settings = {
        "reactions": [{"name": "bells", "on": "issues", "scope": ["bell"], "effects": "approve"}],
        "repositories": {"*": {"without_file": "live"}},
        "worker": {"lease_s": 2},
    }
    (site.folder / "reactor.yaml").write_text(json.dumps(settings))
    async with AsyncExitStack() as stack:
        yield Desk(site, sink, await stack.enter_async_context(deliveries(site)))


async def test_nothing_is_sent_before_it_is_approved_and_then_it_is_sent_once(desk: Desk) -> None:
    await desk.start_worker("worker")
    held = await desk.held("it crashes")
    assert desk.sink.lines == []

    approved = desk.run("approve", held["Mark"]["id"], "--by", "ann", "--wait", "60")
    rejected = desk.run(
        *("approve", held["Say"]["id"], "--reject", "--by", "ann", "--wait", "60"),
        *("--reason", "too loud"),
    )

    assert "by ann" in approved.stdout, approved.stderr
    assert "it is refused, by ann" in rejected.stdout, rejected.stderr
    await until(lambda: desk.sink.of("it crashes") == ["mark"], within_s=60)
    assert set(desk.waiting()) == {"Welcome"}
    again = desk.run("approve", held["Mark"]["id"])
    assert again.returncode == 2
    assert "nothing waits for approval" in again.stderr
    explained = desk.run("explain", "d-1").stdout
    assert "approved by ann" in explained
    assert "ann rejected it: too loud" in explained
    traced = desk.run("trace", "octo/hello").stdout
    assert "approved by ann" in traced
    assert "ann rejected it: too loud" in traced
    assert [line["kind"] for line in desk.sink.lines] == ["mark"]


async def test_an_approval_outlives_the_workers_that_die_before_it_is_sent(desk: Desk) -> None:
    """One dies before it has read the approval, the next one while it sends."""
    first = await desk.start_worker("worker-a")
    held = await desk.held("it crashes")
    first.kill()
    first.wait()

    taken = desk.run("approve", held["Mark"]["id"], "--by", "ann", "--wait", "0.1")
    assert "unread so far" in taken.stdout, taken.stderr
    desk.sink.kill_at("asked", "mark-it crashes")
    second = desk.site.start_worker("worker-b", "--config", "reactor.yaml")
    await until(lambda: second.poll() is not None, within_s=90)
    assert desk.sink.lines == []
    await desk.start_worker("worker-c")

    await until(lambda: desk.sink.of("it crashes") == ["mark"], within_s=60)
    assert set(desk.waiting()) == {"Say", "Welcome"}
