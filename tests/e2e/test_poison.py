"""What can't be settled is given up with its reason, driven again when it is mended, and the
others go on.
"""

import asyncio
import json
import os
import subprocess
import sys
from collections import Counter
from functools import partial
from typing import Any

import pytest
from aiokafka import AIOKafkaProducer

from reactor.dead import Entry, Selection
from reactor.delivery import digest
from reactor.ports import Stored
from reactor.status import Status
from reactor.wiring.dead import open_dead
from tests.fixtures.ledger import Outside, outside
from tests.fixtures.plugins import install_package
from tests.fixtures.poisons import FAILURES, POISON_REACTIONS, POISONS
from tests.fixtures.site import SAMPLES, Site, answers, post, until

pytestmark = [
    pytest.mark.e2e,
    pytest.mark.long,
    pytest.mark.kafka,
    pytest.mark.redis,
    pytest.mark.timeout(480),
]

SIZE_OF_A_BOMB = b"99999999999"
WHOLE = [
    ("schema", b"1"),
    ("host", b"github.com"),
    ("event", b"issues"),
    ("delivery", b"planted"),
    ("received", b"2026-03-14T15:09:00+00:00"),
    ("media-type", b"application/json"),
    ("subject", b"octo/hello"),
    ("digest", digest(b"{}").encode()),
]
PLANTED: list[tuple[bytes, list[tuple[str, bytes]]]] = [
    (b"not json", []),
    (b"{}", [("schema", b"99")]),
    (b"{}", [("schema", b"1"), ("host", b"github.com"), ("event", b"issues")]),
    (b"\x28\xb5\x2f\xfd", [("schema", b"1"), ("packing", b"zstd"), ("size", SIZE_OF_A_BOMB)]),
    (b"{}", [*WHOLE, ("source", b"rumour")]),
    (b"not json", [*WHOLE[:-1], ("digest", digest(b"not json").encode()), ("source", b"cli")]),
]
"""Records that no gateway wrote: none of ours, of another schema, half of one, a huge one, one of
an unknown type, and one whose body is no JSON.
"""

PLANTED_REASONS = (
    "the header schema is missing",
    "schema '99' is unknown",
    "is missing",
    "the header size is no number up to",
    "the header source is 'rumour'",
    "the body can't be read",
)


def issue(title: str, number: int) -> bytes:
    payload = json.loads((SAMPLES / "issues.opened.json").read_bytes())
    payload["issue"] |= {"title": title, "number": number, "id": number}
    return json.dumps(payload).encode()


async def send(site: Site, body: bytes, delivery: str) -> dict[str, Any]:
    async with site.client() as client:
        answer = await post(client, "issues", body, delivery)
    assert answer.status_code == 202, answer.text
    return dict(answer.json())


async def plant(bootstrap: str, topic: str) -> None:
    producer = AIOKafkaProducer(bootstrap_servers=bootstrap)
    await producer.start()
    try:
        for value, headers in PLANTED:
            await producer.send_and_wait(topic, value, key=b"k", headers=headers)
    finally:
        await producer.stop()


async def command(site: Site, *words: str) -> tuple[int, str, str]:
    """Run `reactor WORDS...`: its exit code, and what it said."""
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "reactor", *words),
        stdin=asyncio.subprocess.DEVNULL,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
        env=dict(site.environ),
        cwd=site.folder,
    )
    said, complained = await process.communicate()
    return process.returncode or 0, said.decode(), complained.decode()


async def letters(seen: Outside, **selected: Any) -> list[Entry]:
    async with open_dead(seen.settings) as dead:
        return await dead.desk.listed(Selection(**selected))


def heads(stored: list[Stored]) -> list[tuple[int, Status]]:
    return [(each.head.attempt, each.head.status) for each in stored]


async def started(site: Site, *, titles: list[str]) -> None:
    """A gateway and the package, before any worker runs; the issues are numbered from 1."""
    install_package(site.folder, "poisons", POISONS)
    (site.folder / "reactor.yaml").write_text(POISON_REACTIONS)
    path = os.pathsep.join(filter(None, [str(site.folder), site.environ.get("PYTHONPATH")]))
    site.environ = {**site.environ, "PYTHONPATH": path}
    site.start_gateway()
    await until(lambda: answers(f"{site.url}/readyz"), within_s=60)
    for number, title in enumerate(titles, start=1):
        await send(site, issue(title, number), f"d-{number}")


async def test_each_poison_is_isolated_told_and_driven_again_once_it_is_mended(
    site: Site, kafka_bootstrap: str
) -> None:
    failing = [title for title in FAILURES if title != "ends the worker"]
    fine = [f"fine {number}" for number in range(5)]
    titles = [*failing, *fine]
    await started(site, titles=titles)

    async with outside(site) as seen:
        await plant(kafka_bootstrap, seen.topics.deliveries)
        site.start_worker("worker")

        # the others go on
        await until(lambda: all_ended(seen, titles), within_s=120, every_s=0.3)
        for number, title in enumerate(titles, start=1):
            (stored,) = await seen.processes(f"github.com/d-{number}")
            is_fine = stored.head.status is Status.TERMINATED
            assert is_fine == (title in fine), (title, stored.head)

        # each has its reason, in one command
        await until(lambda: is_listed(seen, len(failing) + len(PLANTED)), within_s=60, every_s=0.3)
        listed = await letters(seen)
        assert Counter(each.letter.reason for each in listed) == {
            "failed": len(failing),
            "poison": len(PLANTED),
        }
        for number, title in enumerate(failing, start=1):
            (entry,) = (each for each in listed if each.delivery == f"github.com/d-{number}")
            assert FAILURES[title] in entry.letter.detail, title
            assert (entry.event, entry.attempt) == ("issues.opened", 1)
        for reason in PLANTED_REASONS:
            assert [each for each in listed if reason in each.letter.detail], reason
        (entry,) = (each for each in listed if each.delivery == "github.com/d-1")
        _, shown, _ = await command(site, "dead", "show", entry.id)
        assert FAILURES["raises"] in shown
        assert "reactor explain d-1" in shown
        assert '"title": "raises"' in shown

        # mended, and driven again: the next attempt, and no effect twice
        (site.folder / "mended").touch()
        code, said, complained = await command(site, "dead", "retry", "--reason", "failed", "--yes")
        assert code == 0, complained
        assert said.splitlines()[-1] == f"dead: retried={len(failing)} skipped=0"
        await until(lambda: all_ended(seen, failing, attempts=2), within_s=120, every_s=0.3)
        for number in range(1, len(failing) + 1):
            assert heads(await seen.processes(f"github.com/d-{number}")) == [
                (1, Status.FAILED),
                (2, Status.TERMINATED),
            ]
        rung = (site.folder / "rung").read_text().splitlines()
        assert sorted(rung) == sorted(titles)

        # what can't be mended comes back as a letter of its own, and is dropped
        assert {each.letter.reason for each in await letters(seen)} == {"poison"}
        code, said, _ = await command(site, "dead", "retry", "--every", "--yes")
        assert said.splitlines()[-1] == f"dead: retried={len(PLANTED)} skipped=0"
        await until(lambda: is_listed(seen, len(PLANTED)), within_s=60, every_s=0.3)
        again = await letters(seen)
        assert [each.attempt for each in again] == [2] * len(PLANTED)
        code, said, _ = await command(site, "dead", "drop", *(e.id for e in again), "--yes")
        assert said.splitlines()[-1] == f"dead: dropped={len(PLANTED)} skipped=0"
        _, said, _ = await command(site, "dead", "list", "--json")
        assert json.loads(said) == {"letters": [], "found": 0}
        assert len(await letters(seen, is_handled_too=True)) == len(failing) + 2 * len(PLANTED)


async def test_a_component_that_ends_its_worker_is_given_up_after_a_few_times(site: Site) -> None:
    titles = ["ends the worker", "fine 1", "fine 2", "fine 3"]
    await started(site, titles=titles)

    async with outside(site) as seen:
        for _ in range(12):  # whoever runs workers starts them again
            worker = site.start_worker("worker")
            await until(partial(is_over, worker, seen, titles), within_s=60, every_s=0.2)
            if worker.poll() is None:
                break

        statuses = [
            heads(await seen.processes(f"github.com/d-{number}"))
            for number in range(1, len(titles) + 1)
        ]
        assert statuses == [[(1, Status.FAILED)], *[[(1, Status.TERMINATED)]] * 3]
        await until(lambda: is_listed(seen, 1), within_s=60, every_s=0.3)
        (entry,) = await letters(seen)
        assert FAILURES["ends the worker"] in entry.letter.detail


async def test_a_conflict_is_accepted_under_an_id_of_its_own(site: Site) -> None:
    await started(site, titles=["fine"])
    assert (await send(site, issue("another", 2), "d-1"))["status"] == "conflict"

    async with outside(site) as seen:
        (entry,) = await letters(seen, reason="conflict")
        assert entry.delivery == "github.com/d-1"
        code, said, _ = await command(site, "dead", "retry", "--every", "--dry-run")
        assert (code, said.splitlines()[-1]) == (0, "dead: would be retried: 1")
        code, _, complained = await command(site, "dead", "drop", "beef", "--yes")
        assert code == 2
        assert "no dead letter 'beef'" in complained
        code, _, complained = await command(site, "dead", "retry", entry.id[:6], "--yes")
        assert code == 0, complained
        site.start_worker("worker")
        (record,) = (
            each
            for each in await seen.records(seen.topics.deliveries)
            if dict(each.headers)["delivery"] != b"d-1"
        )
        own = dict(record.headers)["delivery"].decode()
        assert own.startswith("d-1-c")
        await until(lambda: ended(seen, f"github.com/{own}"), within_s=60, every_s=0.3)
        await until(lambda: ended(seen, "github.com/d-1"), within_s=60, every_s=0.3)
        assert await letters(seen) == []


async def ended(seen: Outside, delivery: str, *, attempts: int = 1) -> bool:
    stored = await seen.processes(delivery)
    return len(stored) == attempts and all(each.head.status.is_final for each in stored)


async def all_ended(seen: Outside, titles: list[str], *, attempts: int = 1) -> bool:
    numbers = range(1, len(titles) + 1)
    return all([await ended(seen, f"github.com/d-{n}", attempts=attempts) for n in numbers])


async def is_over(worker: subprocess.Popen[bytes], seen: Outside, titles: list[str]) -> bool:
    """The worker has ended, or all that there is to do."""
    return worker.poll() is not None or await all_ended(seen, titles)


async def is_listed(seen: Outside, count: int) -> bool:
    return len(await letters(seen)) == count
