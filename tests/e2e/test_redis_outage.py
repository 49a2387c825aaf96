"""Redis killed, stopped and hung under a worker: work waits, goes on by itself, and none is lost."""

import json
import signal
import subprocess
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from reactor.children import free_port
from reactor.ports import Stored
from tests.fixtures.ledger import Outside, outside
from tests.fixtures.redis_process import binary
from tests.fixtures.site import SAMPLES, Site, answers, post, site_environ, until

pytestmark = [
    pytest.mark.e2e,
    pytest.mark.long,
    pytest.mark.kafka,
    pytest.mark.redis,
    pytest.mark.timeout(300),
]

DELIVERIES = 240
SUBJECTS = 24
CONFIG = {
    "reactions": [{"name": "triage", "on": "issues", "scope": ["triage", "community"]}],
    "worker": {"commit_every_tick": True, "lease_s": 5},
    "redis": {"timeout_s": 1},
}


@dataclass
class OwnRedis:
    """A server that keeps its files and its port, whatever is done to it."""

    folder: Path
    port: int
    process: subprocess.Popen[bytes] | None = None

    @property
    def url(self) -> str:
        return f"redis://127.0.0.1:{self.port}/0"

    def start(self) -> None:
        words = ("--port", str(self.port), "--dir", str(self.folder), "--save", "")
        self.process = subprocess.Popen(
            [binary(), *words, "--appendonly", "yes", "--appendfsync", "always"],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
        )

    def send(self, number: signal.Signals) -> None:
        assert self.process is not None
        self.process.send_signal(number)

    def kill(self) -> None:
        """Kill -9."""
        self.send(signal.SIGKILL)
        assert self.process is not None
        self.process.wait()


@pytest.fixture
def redis(tmp_path: Path) -> Iterator[OwnRedis]:
    folder = tmp_path / "redis"
    folder.mkdir()
    server = OwnRedis(folder, free_port())
    server.start()
    yield server
    server.send(signal.SIGCONT)
    server.kill()


@pytest.fixture
def outage_site(
    tmp_path: Path, kafka_bootstrap: str, kafka_prefix: str, redis: OwnRedis
) -> Iterator[Site]:
    made = Site(
        folder=tmp_path,
        environ=site_environ(
            KAFKA_BOOTSTRAP_SERVERS=kafka_bootstrap,
            REDIS_URL=redis.url,
            REACTOR_KAFKA_PREFIX=kafka_prefix,
            REACTOR_KAFKA_GROUP=kafka_prefix,
        ),
    )
    (tmp_path / "reactor.yaml").write_text(json.dumps(CONFIG))
    yield made
    made.stop()


def body_of(number: int) -> bytes:
    payload = json.loads((SAMPLES / "issues.opened.urgent.json").read_text())
    payload["issue"]["number"] = 1000 + number % SUBJECTS
    payload["issue"]["id"] = 5_000_000_000 + number % SUBJECTS
    payload["issue"]["title"] += f" ({number})"
    return json.dumps(payload).encode()


async def send_all(site: Site) -> None:
    """Begin with a gateway, and let it accept everything."""
    config = ("--config", str(site.folder / "reactor.yaml"))
    site.start_gateway(*config)
    await until(lambda: answers(f"{site.url}/readyz"), within_s=60)
    async with site.client() as client:
        for number in range(DELIVERIES):
            answer = await post(client, "issues", body_of(number), f"outage-{number}")
            assert answer.status_code == 202
    site.start_worker("worker", *config)


def settled(site: Site) -> dict[str, dict[str, str]]:
    """What the worker has acknowledged: of each delivery, its processes and how they ended."""
    lines = (line for line in site.log("worker").splitlines() if "delivery_settled" in line)
    told = map(json.loads, lines)
    return {each["delivery_id"]: each["processes"] for each in told if each["processes"]}


def twice(stored: Stored) -> list[str]:
    done = Counter(run.action for run in stored.history if run.outcome in ("done", "nothing"))
    keys = Counter(record.key for record in stored.effects)
    return [name for name, count in (done + keys).items() if count > 1]


async def check(seen: Outside, site: Site) -> None:
    """All is there that was acknowledged, once, and nothing was given up."""
    for delivery, processes in settled(site).items():
        started = await seen.processes(f"github.com/{delivery}")
        assert {stored.head.id: str(stored.head.status) for stored in started} == processes
        assert [each for stored in started for each in twice(stored)] == []
    assert await seen.records(seen.topics.dead) == []


async def test_kill_9_of_redis_in_the_middle_of_work_loses_no_acknowledged_tick(
    outage_site: Site, redis: OwnRedis
) -> None:
    await send_all(outage_site)

    for moment in (15, 62, 117, 201):  # settled; what is under way then is anybody's guess
        await until(lambda: len(settled(outage_site)) >= moment, within_s=90)  # noqa: B023 - awaited
        redis.kill()
        redis.start()
    await until(lambda: len(settled(outage_site)) == DELIVERIES, within_s=120, every_s=0.2)

    async with outside(outage_site) as seen:
        await check(seen, outage_site)


async def test_redis_that_hangs_and_then_is_down_for_seconds_pauses_the_work(
    outage_site: Site, redis: OwnRedis
) -> None:
    await send_all(outage_site)
    await until(lambda: len(settled(outage_site)) >= 20, within_s=90)

    redis.send(signal.SIGSTOP)  # connections stay, and nobody answers
    waits = ("redis did not answer", "TimeoutError")
    await until(lambda: all(word in outage_site.log("worker") for word in waits), within_s=60)
    redis.send(signal.SIGCONT)
    before = len(settled(outage_site))
    await until(lambda: len(settled(outage_site)) >= min(before + 20, DELIVERIES), within_s=60)
    redis.kill()
    refused = outage_site.log("worker").count("ConnectionError")
    await until(
        lambda: outage_site.log("worker").count("ConnectionError") > refused + 20, within_s=60
    )
    redis.start()
    await until(lambda: len(settled(outage_site)) == DELIVERIES, within_s=120, every_s=0.2)

    async with outside(outage_site) as seen:
        await check(seen, outage_site)
    assert outage_site.processes[-1].poll() is None  # it is the worker that it was


async def test_two_bodies_under_one_id_that_came_while_redis_hung_are_both_kept(
    outage_site: Site, redis: OwnRedis
) -> None:
    site, file = outage_site, outage_site.folder / "reactor.yaml"
    # beside the embedded broker, which needs Redis, it is the spool that takes them
    file.write_text(json.dumps({**CONFIG, "gateway": {"spool": str(site.folder / "spool")}}))
    site.start_gateway("--config", str(file))
    await until(lambda: answers(f"{site.url}/readyz"), within_s=60)

    first, other = body_of(1), body_of(1 + SUBJECTS)  # of one subject, so they are read in order

    redis.send(signal.SIGSTOP)
    async with site.client() as client:
        for body in (first, first, other):
            answer = await post(client, "issues", body, "hung-1")
            assert (answer.status_code, answer.json()["status"]) == (202, "accepted")
    redis.send(signal.SIGCONT)
    site.start_worker("worker", "--config", str(file))
    await until(lambda: site.log("worker").count("delivery_settled") == 3, within_s=60)

    async with outside(site) as seen:
        assert len(await seen.processes("github.com/hung-1")) == 1
        assert [letter.value for letter in await seen.records(seen.topics.dead)] == [other]
        position = await seen.claims.position("github.com/hung-1")
        assert position is not None
        assert position.topic == seen.topics.deliveries
