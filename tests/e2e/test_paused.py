"""A process that was paused for longer than its lease wakes, and can write nothing any more."""

import asyncio
import signal
import subprocess
from collections import Counter
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

import pytest

from reactor.adapters import redis_keys
from reactor.children import free_port
from reactor.journal import JournalRecord
from reactor.wiring.redis import redis_parts
from streams import embedded
from streams.journal import JournalCodec
from streams.packing import Packing
from tests.fixtures.ledger import Outside, outside
from tests.fixtures.site import SAMPLES, Site, answers, post, site_environ, until
from tests.fixtures.slow_site import (
    HOST,
    deliveries,
    is_begun,
    is_finished,
    send,
    start_worker,
    with_slow_component,
)

pytestmark = [
    pytest.mark.e2e,
    pytest.mark.long,
    pytest.mark.kafka,
    pytest.mark.redis,
    pytest.mark.timeout(240),
]


async def journal_of(seen: Outside) -> list[JournalRecord]:
    """All that lies on the journal topic, repeats included."""
    codec = JournalCodec(Packing(None))
    records = await seen.records(seen.topics.journal)
    return [line for record in records for line in await codec.decode(record)]


def versions(records: list[JournalRecord]) -> Counter[tuple[str, int]]:
    """How many different records there are under each (process, seq)."""
    different = {(record.process_id, record.seq, repr(record)) for record in records}
    return Counter((process, seq) for process, seq, _ in different)


def has_let_go(log: str) -> bool:
    """Whether a worker that woke has found that its record is another's; each way may be first."""
    ways = ('"guard": "lease"', '"guard": "order"', "records_abandoned", "record_tried_again")
    return any(way in log for way in ways)


@pytest.mark.parametrize("how", ["wait", "hang"])  # a task, or a thread
async def test_a_worker_that_wakes_after_its_lease_was_taken_writes_nothing_and_is_of_use_again(
    site: Site, how: str
) -> None:
    with_slow_component(site, lease_s=3)
    async with outside(site) as seen, deliveries(site) as log:
        paused = start_worker(site, "paused")
        await until(lambda: site.is_ready("paused"), within_s=60)
        await send(log, f"{how} 3", "slow")
        await until(lambda: is_begun(seen, "slow"))
        paused.send_signal(signal.SIGSTOP)  # in the middle of its action

        start_worker(site, "other")
        await until(lambda: is_finished(seen, "slow"), within_s=90)
        (before,) = await seen.processes(f"{HOST}/slow")
        journal_before = await journal_of(seen)
        paused.send_signal(signal.SIGCONT)
        await until(lambda: has_let_go(site.log("paused")), within_s=60)
        for n in range(40):  # many subjects, so that both have some
            await send(log, "wait 0.1", f"later-{n}", number=100 + n)
        for n in range(40):
            await until(lambda n=n: is_finished(seen, f"later-{n}"), within_s=90)  # type: ignore[misc]
        await until(lambda: '"delivery_settled"' in site.log("paused"), within_s=60)

        (after,) = await seen.processes(f"{HOST}/slow")
        # what is published is marked later, and in any order
        assert replace(after, sent_seq=0) == replace(before, sent_seq=0)
        assert [run.outcome for run in after.history] == ["done"]
        journal = await journal_of(seen)
        mine = [record for record in journal if record.process_id == after.head.id]
        assert set(versions(mine).values()) == {1}
        assert {r.seq for r in mine} == {
            r.seq for r in journal_before if r.process_id == after.head.id
        }
        assert paused.poll() is None
        assert await seen.records(seen.topics.dead) == []


@pytest.fixture
def broker(tmp_path: Path) -> Iterator[tuple[subprocess.Popen[bytes], str]]:
    """One of the test's own, to be frozen."""
    port = free_port()
    command = embedded.argv(embedded.find_broker(), port=port)
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL)
    yield process, embedded.bootstrap(port)
    with suppress(ProcessLookupError):
        process.kill()
    process.wait()


@pytest.fixture
def two_gateways(
    tmp_path: Path, broker: tuple[subprocess.Popen[bytes], str], redis_url: str
) -> Iterator[Site]:
    names = {"KAFKA_BOOTSTRAP_SERVERS": broker[1], "REDIS_URL": redis_url}
    prefix = f"paused-{free_port()}"
    made = Site(folder=tmp_path, environ=site_environ(REACTOR_REDIS_PREFIX=prefix, **names))
    yield made
    made.stop()


async def test_a_gateway_that_is_paused_between_claim_and_produce_swallows_nothing(
    two_gateways: Site, broker: tuple[subprocess.Popen[bytes], str]
) -> None:
    site, other_port, body = (
        two_gateways,
        free_port(),
        (SAMPLES / "issues.opened.json").read_bytes(),
    )
    other = Site(folder=site.folder, environ=site.environ, port=other_port)
    try:
        async with outside(site) as seen:
            paused = site.start_gateway()
            other.start("other", "gateway", "--port", str(other_port))
            site.start_worker("worker")
            await until(lambda: answers(f"{site.url}/readyz"), within_s=60)
            await until(lambda: answers(f"{other.url}/readyz"), within_s=60)
            await until(lambda: site.is_ready("worker"), within_s=60)
            broker[0].send_signal(signal.SIGSTOP)  # so that it can't be produced

            async with site.client() as client, other.client() as second:
                first = asyncio.create_task(post(client, "issues", body, "twice"))
                await until(lambda: is_claimed(seen, "twice"))
                paused.send_signal(signal.SIGSTOP)
                broker[0].send_signal(signal.SIGCONT)
                again = await post(second, "issues", body, "twice")
                paused.send_signal(signal.SIGCONT)
                answer = await first

            assert (again.status_code, again.json()["status"]) in [
                (202, "accepted"),
                (202, "duplicate"),
            ]
            assert answer.status_code in (202, 503)  # which says: send it again
            await until(lambda: is_finished(seen, "twice"), within_s=90)
            (process,) = await seen.processes(f"{HOST}/twice")
            done = Counter(run.action for run in process.history if run.outcome == "done")
            assert set(done.values()) == {1}
    finally:
        other.stop()


async def is_claimed(seen: Outside, id: str) -> bool:
    """Whether somebody has claimed the id."""
    key = redis_keys.claim(seen.settings.redis.prefix, f"{HOST}/{id}")
    async with redis_parts(seen.settings) as redis:
        return bool(await redis.client.exists(key))
