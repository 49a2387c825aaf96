"""Kill -9 of gateway and worker in the middle of their work: nothing lost, nothing twice."""

import asyncio
import json
from collections import Counter

import httpx
import pytest

from reactor.ports import Stored
from tests.fixtures.ledger import Outside, outside
from tests.fixtures.site import SAMPLES, Site, answers, post, until

pytestmark = [
    pytest.mark.e2e,
    pytest.mark.long,
    pytest.mark.kafka,
    pytest.mark.redis,
    pytest.mark.timeout(300),
]

SAMPLE = SAMPLES / "issues.opened.urgent.json"
DELIVERIES = 500
SUBJECTS = 50


@pytest.fixture
def killed_site(site: Site) -> Site:
    """Two reactions, and a commit after each tick, so that kills fall between them."""
    config = site.folder / "reactor.yaml"
    settings = {
        "reactions": [
            {"name": "triage", "on": "issues", "scope": ["triage", "community"]},
            {"name": "greet", "on": "*", "scope": "hello"},
        ],
        "worker": {"commit_every_tick": True, "lease_s": 5},
    }
    config.write_text(json.dumps(settings))
    return site


def body_of(number: int) -> bytes:
    """One issue each, of a few subjects, so that order within a subject matters too."""
    payload = json.loads(SAMPLE.read_text())
    payload["issue"]["number"] = 1000 + number % SUBJECTS
    payload["issue"]["id"] = 5_000_000_000 + number % SUBJECTS
    payload["issue"]["title"] += f" ({number})"
    return json.dumps(payload).encode()


async def is_accepted(client: httpx.AsyncClient, number: int) -> bool:
    """Send one; False where the gateway was gone."""
    try:
        answer = await post(client, "issues", body_of(number), f"kill-{number}")
    except httpx.HTTPError:
        return False
    return answer.status_code == 202


async def post_all(site: Site, numbers: list[int], *, at_once: int = 16) -> set[int]:
    """Send deliveries; the numbers of those that were answered with 202."""
    turns, accepted = asyncio.Semaphore(at_once), set[int]()

    async with site.client() as client:

        async def in_turn(number: int) -> None:
            async with turns:
                if await is_accepted(client, number):
                    accepted.add(number)

        async with asyncio.TaskGroup() as group:
            for number in numbers:
                group.create_task(in_turn(number))
    return accepted


def start(site: Site, *names: str) -> None:
    config = ("--config", str(site.folder / "reactor.yaml"))
    for name in names:
        if name == "gateway":
            site.start_gateway(*config)
        else:
            site.start_worker(name, *config)


async def finished(seen: Outside, number: int) -> bool:
    started = await seen.processes(f"github.com/kill-{number}")
    return len(started) == 2 and all(stored.head.status.is_final for stored in started)


async def all_finished(seen: Outside, numbers: set[int]) -> None:
    left = set(numbers)

    async def none_left() -> bool:
        for number in sorted(left):
            if not await finished(seen, number):
                return False
            left.discard(number)
        return True

    await until(none_left, within_s=150, every_s=0.2)


def twice(stored: Stored) -> list[str]:
    """Actions that were completed, and effects that were recorded, more than once."""
    done = Counter(run.action for run in stored.history if run.outcome in ("done", "nothing"))
    keys = Counter(record.key for record in stored.effects)
    return [name for name, count in (done + keys).items() if count > 1]


async def test_kill_9_of_gateway_and_worker_loses_nothing_and_repeats_nothing(
    killed_site: Site,
) -> None:
    start(killed_site, "gateway", "worker")
    await until(lambda: answers(f"{killed_site.url}/readyz"), within_s=60)
    await until(lambda: killed_site.is_ready("worker"), within_s=60)
    gateway, worker = killed_site.processes

    async with outside(killed_site) as seen:
        sending = asyncio.create_task(post_all(killed_site, list(range(DELIVERIES))))
        await until(lambda: finished(seen, 40), within_s=90)  # both are in the middle of it
        worker.kill()
        gateway.kill()
        accepted = await sending
        start(killed_site, "gateway", "worker")
        await until(lambda: answers(f"{killed_site.url}/readyz"), within_s=60)
        # whoever was not answered sends again, as somebody does who presses Redeliver
        missing = sorted(set(range(DELIVERIES)) - accepted)
        accepted |= await post_all(killed_site, missing)

        assert accepted == set(range(DELIVERIES))
        await all_finished(seen, accepted)

        for number in sorted(accepted):
            started = await seen.processes(f"github.com/kill-{number}")
            assert Counter(stored.head.reaction for stored in started) == {"triage": 1, "greet": 1}
            assert [each for stored in started for each in twice(stored)] == []
        assert await seen.records(seen.topics.dead) == []


async def test_two_workers_share_the_partitions_and_one_may_be_killed(killed_site: Site) -> None:
    start(killed_site, "gateway", "one", "two")
    await until(lambda: answers(f"{killed_site.url}/readyz"), within_s=60)
    await until(lambda: killed_site.is_ready("one") and killed_site.is_ready("two"), within_s=60)
    _, one, _ = killed_site.processes

    async with outside(killed_site) as seen:
        sending = asyncio.create_task(post_all(killed_site, list(range(200))))
        await until(
            lambda: all("delivery_settled" in killed_site.log(name) for name in ("one", "two")),
            within_s=90,
        )
        one.kill()
        accepted = await sending

        assert accepted == set(range(200))
        await all_finished(seen, accepted)
        for number in sorted(accepted):
            started = await seen.processes(f"github.com/kill-{number}")
            assert [each for stored in started for each in twice(stored)] == []
        assert await seen.records(seen.topics.dead) == []
