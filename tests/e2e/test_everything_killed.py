"""Kill -9 of everything that `reactor up` runs, broker and Redis included: nothing accepted is lost.

The embedded broker forgets all that it had; what was not settled is given to it again.
"""

import json
import os
import signal
import subprocess
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import httpx
import psutil
import pytest

from reactor.adapters.redis_client import connect
from reactor.adapters.redis_shelf import RedisShelf
from reactor.ports import Stored
from tests.fixtures.ledger import Outside, outside
from tests.fixtures.plugins import install_package
from tests.fixtures.site import SAMPLES, Site, alive, answers, descendants, post, until

pytestmark = [pytest.mark.e2e, pytest.mark.long, pytest.mark.timeout(300)]

SAMPLE = json.loads((SAMPLES / "issues.opened.json").read_text())

PLUGIN = """
    import asyncio
    from datetime import timedelta

    from pydantic import BaseModel, ConfigDict

    from reactor import action, component, wait_for
    from reactor.github import AddLabels, Issue

    class Verdict(BaseModel):
        model_config = ConfigDict(frozen=True)

        label: str

    @component(effects=(AddLabels,))
    class Odd:
        @action(value=0.9, pre=["issue.title.startsWith('ask')"])
        async def ask(self, issue: Issue) -> Verdict:
            return wait_for.form(Verdict, title="Which label?", expires=timedelta(hours=1))

        @action(value=0.9, pre=["issue.title.startsWith('wait')"])
        async def wait(self, issue: Issue) -> Verdict:
            await asyncio.sleep(0.2)
            return Verdict(label="waited")

        @action(value=0.9, pre=["issue.title.startsWith('fail')"])
        async def fail(self, issue: Issue) -> Verdict:
            raise ValueError("as the title says")

        @action(value=0.5)
        async def label(self, verdict: Verdict) -> AddLabels:
            return AddLabels(labels=(verdict.label,))

    COMPONENTS = (Odd,)
"""


@pytest.fixture
def odd_site(embedded_site: Site) -> Site:
    packages = embedded_site.folder / "packages"
    packages.mkdir()
    install_package(packages, "odd", PLUGIN)
    config = {"reactions": [{"name": "odd", "on": "issues.opened", "scope": "odd"}]}
    (embedded_site.folder / "reactor.yaml").write_text(json.dumps(config))
    embedded_site.environ = {**embedded_site.environ, "PYTHONPATH": str(packages)}
    return embedded_site


def data(site: Site) -> tuple[str, str]:
    return "--data", str(site.folder / "data")


async def start_up(site: Site) -> subprocess.Popen[bytes]:
    place = site.folder / "data" / "up.json"
    place.unlink(missing_ok=True)
    up = site.start("up", "up", "--host", "127.0.0.1", "--port", str(site.port), *data(site))
    await until(place.exists, within_s=60)
    await until(lambda: answers(f"{site.url}/readyz"), within_s=60)
    return up


async def kill_everything(up: subprocess.Popen[bytes]) -> None:
    processes = [psutil.Process(up.pid), *descendants(up.pid)]
    for process in processes:
        process.kill()
    up.wait()
    await until(lambda: not alive(processes), within_s=20)


def child(up: subprocess.Popen[bytes], *words: str) -> psutil.Process:
    """The process of `up` whose command has these words; not its guardian."""
    (found,) = [
        process
        for process in descendants(up.pid)
        if all(word in process.cmdline() for word in words) and "-I" not in process.cmdline()
    ]
    return found


async def send(site: Site, title: str, name: str, *, issue: int = 7) -> str:
    """What the gateway says to a delivery, which it must take."""
    payload = json.loads(json.dumps(SAMPLE))
    payload["issue"] |= {"number": issue, "title": title}
    async with site.client() as client:
        answer = await post(client, "issues", json.dumps(payload).encode(), name)
    assert answer.status_code == 202
    return str(answer.json()["status"])


async def form_of(site: Site, process: str) -> str:
    async with site.client() as client:
        forms = (await client.get("/api/forms")).json()["forms"]
    (form,) = [form["id"] for form in forms if form["process_id"] == process]
    return str(form)


async def becomes(site: Site, name: str, status: str) -> str:
    """Wait until the one process of a delivery has the status; its id."""
    found: list[dict[str, str]] = []

    async def has_become() -> bool:
        try:
            async with site.client() as client:
                answer = await client.get(f"/api/deliveries/{name}")
        except httpx.HTTPError:  # the gateway is just being started again
            return False
        found[:] = answer.json().get("processes", ())
        return [process["status"] for process in found] == [status]

    await until(has_become, within_s=90)
    return found[0]["id"]


def run(site: Site, name: str, *words: str) -> None:
    assert site.start(name, *words, *data(site)).wait(60) == 0, site.log(name)


@asynccontextmanager
async def looked_at(site: Site) -> AsyncIterator[Outside]:
    """Redis and the broker as they run now."""
    told = json.loads((site.folder / "data" / "up.json").read_text())
    servers = {name: told[name] for name in ("KAFKA_BOOTSTRAP_SERVERS", "REDIS_URL")}
    seen_site = Site(folder=site.folder, environ={**site.environ, **servers})
    async with outside(seen_site) as seen:
        yield seen


def done(stored: Stored) -> list[str]:
    return [run.action for run in stored.history if run.outcome in ("done", "nothing")]


async def until_shelved(seen: Outside, count: int) -> None:
    """Wait until the shelf holds so many records."""
    assert seen.settings.redis.url
    client = connect(seen.settings.redis.url.get_secret_value())
    shelf = RedisShelf(client, prefix=seen.settings.redis.prefix)

    async def holds() -> bool:
        return len([item async for item in shelf.items()]) == count

    await until(holds)
    await client.aclose()


async def test_what_was_accepted_and_not_settled_is_settled_after_a_start_on_the_same_data(
    odd_site: Site,
) -> None:
    up = await start_up(odd_site)
    await send(odd_site, "ask", "asked", issue=1)
    await send(odd_site, "ask", "unwanted", issue=2)
    await send(odd_site, "wait", "settled", issue=3)
    await send(odd_site, "fail", "failed", issue=4)
    asked = await becomes(odd_site, "asked", "WAITING")
    unwanted = await becomes(odd_site, "unwanted", "WAITING")
    await becomes(odd_site, "settled", "TERMINATED")
    await becomes(odd_site, "failed", "FAILED")
    form = await form_of(odd_site, asked)
    async with looked_at(odd_site) as seen:
        await until_shelved(seen, 1)  # the dead letter alone

    # accepted from here on, and read by nobody
    child(up, "worker").send_signal(signal.SIGSTOP)
    for number in range(20):
        await send(odd_site, "wait", f"late-{number}", issue=10 + number % 4)
    run(
        odd_site,
        "answer",
        "answer",
        form,
        "--json",
        '{"label": "bug"}',
        "--by",
        "ann",
        "--wait",
        "0",
    )
    run(odd_site, "kill", "signal", unwanted, "kill")
    await kill_everything(up)

    await start_up(odd_site)

    await becomes(odd_site, "asked", "TERMINATED")
    await becomes(odd_site, "unwanted", "KILLED")
    for number in range(20):
        await becomes(odd_site, f"late-{number}", "TERMINATED")
    async with looked_at(odd_site) as seen:
        await until_shelved(seen, 1)
        names = ["asked", "settled", *(f"late-{number}" for number in range(20))]
        for name in names:
            (stored,) = await seen.processes(f"github.com/{name}")
            # an answer is the result of the action that asked, which counts as waiting
            assert done(stored) == (["odd.wait"] if name != "asked" else []) + ["odd.label"]
            assert len(stored.effects) == 1
            assert await seen.claims.position(f"github.com/{name}") is not None
        letters = await seen.records(seen.topics.dead)
        assert len(letters) == 1
    assert await send(odd_site, "wait", "late-3", issue=13) == "duplicate"
    run(odd_site, "dead", "dead", "list", "--json")
    assert "as the title says" in odd_site.log("dead")


async def test_a_broker_that_was_killed_is_started_again_and_given_what_it_forgot(
    odd_site: Site,
) -> None:
    up = await start_up(odd_site)
    for number in range(30):
        await send(odd_site, "wait", f"d-{number}", issue=number % 3)

    os.kill(child(up, "broker").pid, signal.SIGKILL)

    for number in range(30):
        await becomes(odd_site, f"d-{number}", "TERMINATED")
    async with looked_at(odd_site) as seen:
        await until_shelved(seen, 0)
        for number in range(30):
            (stored,) = await seen.processes(f"github.com/d-{number}")
            assert done(stored) == ["odd.wait", "odd.label"]
