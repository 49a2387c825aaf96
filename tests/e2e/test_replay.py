"""Replays beside live workers, after them, and killed: then is compared with now, nothing is sent."""

import asyncio
import json
import subprocess
from collections.abc import Sequence
from pathlib import Path

import pytest

from reactor.testing import account, issue, repository
from reactor.topic import Topics
from streams.reader import open_reader
from tests.fixtures.site import Site, answers, post, terminate, until

pytestmark = [pytest.mark.e2e, pytest.mark.timeout(480)]

CALM, URGENT = "A typo in the docs.", "The update has lost all our data, and nobody can work."
EVERYTHING = '{"reactions": [{"name": "everything", "on": "*"}]}'


async def send(site: Site, numbers: Sequence[int]) -> list[str]:
    """Post issues, every fourth of which is urgent; the ids of the deliveries."""
    async with site.client() as client:
        for number in numbers:
            text = CALM if number % 4 else URGENT
            told = issue(text, number=number, id=number, body=text, user=account(f"u{number}"))
            body = {"action": "opened", "issue": told, "repository": repository()}
            sent = await post(client, "issues", json.dumps(body).encode(), f"d-{number}")
            assert sent.status_code == 202, sent.text
    return [f"d-{number}" for number in numbers]


async def settled(site: Site, ids: Sequence[str], *, within_s: float = 120) -> None:
    left = set(ids)

    async def are_settled() -> bool:
        async with site.client() as client:
            for each in sorted(left):
                told = await client.get(f"/api/deliveries/{each}")
                if told.is_success and told.json()["status"] == "settled":
                    left.discard(each)
        return not left

    await until(are_settled, within_s=within_s, every_s=0.2)


def start(site: Site, name: str, *words: str) -> subprocess.Popen[bytes]:
    data = str(site.folder / "data")
    return site.start(name, "replay", "--data", data, "--config", str(config(site)), *words)


async def replay(site: Site, name: str, *words: str, code: int = 0) -> str:
    """Run it to its end; its last line, without the rate."""
    process = start(site, name, *words)
    assert await asyncio.to_thread(process.wait, 120) == code, site.log(name)
    last = site.log(name).strip().splitlines()[-1]
    return last.partition(" rate=")[0]


def config(site: Site) -> Path:
    path = site.folder / "replayed.yaml"
    path.write_text(EVERYTHING, encoding="utf-8")
    return path


def line(deliveries: int, *, different: int = 0) -> str:
    same = deliveries - different
    return (
        f"replay: deliveries={deliveries} processes={deliveries} same={same}"
        f" different={different} failed=0"
    )


async def test_a_replay_disturbs_nobody_is_killed_and_goes_on_and_needs_nothing_that_runs(
    embedded_site: Site,
) -> None:
    site, data = embedded_site, embedded_site.folder / "data"
    up = site.start(
        "up", "up", "--port", str(site.port), "--data", str(data), "--config", str(config(site))
    )
    await until(lambda: answers(f"{site.url}/readyz"), within_s=120)
    await settled(site, await send(site, range(1, 121)))

    # live traffic while it runs, and a kill in the middle
    progress = data / "replays" / "cut" / "progress.json"
    cut = start(site, "cut", "--id", "cut", "--until", "2999-01-01")
    sending = asyncio.create_task(send(site, range(121, 131)))
    await until(lambda: progress.is_file() or cut.poll() is not None, within_s=120)
    cut.kill()
    await asyncio.to_thread(cut.wait)
    assert not (progress.parent / "done").exists(), site.log("cut")
    await settled(site, await sending)
    gone_on = await replay(site, "gone-on", "--resume", "cut")
    results = (progress.parent / "results.jsonl").read_text().splitlines()

    # what if, told with the exit code and as a page
    page = site.folder / "page.html"
    words = ("--set", "components.triage.urgent_at=1", "--fail-on-diff", "--html", str(page))
    what_if = await replay(site, "what-if", *words, "--id", "what-if", code=1)
    one = await replay(site, "one", "--delivery", "d-7", "--fail-on-diff")
    terminate(up)
    assert await asyncio.to_thread(up.wait, 60) == 0
    later = await replay(site, "later", "--fail-on-diff")

    keys = [json.loads(each)["delivery"] for each in results]
    assert len(keys) == len(set(keys))
    assert gone_on == line(len(keys))
    assert len(keys) >= 120
    assert one == line(1)
    assert later == line(130)
    assert what_if == line(130, different=len(range(4, 131, 4)))
    assert "heavy_hitter_issue" in page.read_text(encoding="utf-8")


@pytest.mark.kafka
@pytest.mark.redis
async def test_the_topics_are_read_and_the_group_of_the_workers_stays_where_it_is(
    site: Site,
) -> None:
    words = ("--config", str(config(site)))
    site.start_gateway(*words)
    site.start_worker("w", *words)
    await until(lambda: answers(f"{site.url}/readyz"), within_s=120)
    await settled(site, await send(site, range(1, 41)))
    bootstrap = site.environ["KAFKA_BOOTSTRAP_SERVERS"]
    topic = Topics(site.environ["REACTOR_KAFKA_PREFIX"]).deliveries

    async with open_reader(bootstrap, group=site.environ["REACTOR_KAFKA_GROUP"]) as reader:
        extents = await reader.extents(topic)
        ends = {partition: extent.end for partition, extent in extents.items() if extent.end}

        async def is_committed() -> bool:
            return await reader.committed(ends) == ends

        await until(is_committed, within_s=60, every_s=0.2)
        every = await replay(site, "every", "--fail-on-diff")
        first = next(iter(ends))
        some = await replay(site, "some", "--offset", f"{first.number}:0..2")
        after = await reader.committed(ends)

    assert every == line(40)
    assert some == line(min(2, ends[first]))
    assert after == ends
