"""An installation to be measured: its topics, its processes, and what they tell.

Broker and Redis are those of the environment, or started here; every round has a group and keys
that nobody has used.
"""

import asyncio
import json
import os
import secrets
import shutil
import subprocess
import sys
from collections.abc import AsyncIterator, Iterable, Iterator, Mapping, Sequence
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path

import psutil

from reactor.children import Child, Running, start
from reactor.delivery import Delivery
from reactor.settings import load
from reactor.testing import account, delivery, issue, repository
from reactor.topic import DeliveryLog
from reactor.wiring.kafka import kafka_parts, large_bodies
from reactor.wiring.redis import redis_parts

HERE = Path(__file__).resolve().parent
KAFKA = HERE.parent / "tools" / "kafka" / "broker.sh"
SESSION_S = 6.0  # Apache Kafka allows no less by default
PARTITIONS = 8  # twice the workers that are tried
SECRET = secrets.token_hex(16)
START_S = 120.0

SCENARIOS = {
    "three": ("three",),  # `three_rules.py`: three ticks
    "triage": ("triage", "community", "hello"),  # what is shipped: seven ticks
}


@dataclass
class Told:
    """What a worker tells in its log: when it settled which delivery."""

    log: Path
    moments: dict[str, float] = field(default_factory=dict)  # seconds since 1970, by delivery
    _read: int = 0

    def look(self) -> dict[str, float]:
        """All that is settled by now."""
        with self.log.open("rb") as lines:
            lines.seek(self._read)
            for line in lines:
                if not line.endswith(b"\n"):
                    break
                self._read += len(line)
                if b'"delivery_settled"' in line:
                    told = json.loads(line)
                    moment = datetime.fromisoformat(told["timestamp"])
                    self.moments[told["delivery_id"]] = moment.timestamp()
        return self.moments


@dataclass(frozen=True)
class Workers:
    """The workers of a round."""

    told: Sequence[Told]
    processes: Sequence[psutil.Process]
    environ: Mapping[str, str]

    def settled(self, ids: Iterable[str]) -> dict[str, float]:
        """When each of these was settled, of those that are by now."""
        moments: dict[str, float] = {}
        for told in self.told:
            moments |= told.look()
        return {id: moments[id] for id in ids if id in moments}

    async def until(self, count: int, ids: Sequence[str]) -> dict[str, float]:
        """When each of these was settled, as soon as so many are."""
        while len(found := self.settled(ids)) < count:  # noqa: ASYNC110 - others go on
            await asyncio.sleep(0.02)
        return found

    def cpu_s(self) -> float:
        """Processor time that they have used."""
        return sum(map(cpu_s, self.processes))


@dataclass
class Site:
    """An installation with topics of its own."""

    bootstrap: str
    redis_url: str
    folder: Path
    size: int  # bytes of a delivery, about
    scenario: str = "three"
    topics: str = field(default_factory=lambda: f"bench-{secrets.token_hex(4)}")
    numbers: int = 0

    @property
    def environ(self) -> dict[str, str]:
        """What `reactor` commands are told; each time a group and keys that nobody has used."""
        fresh = f"bench-{secrets.token_hex(4)}"
        return {
            "KAFKA_BOOTSTRAP_SERVERS": self.bootstrap,
            "REDIS_URL": self.redis_url,
            "REACTOR_KAFKA_PREFIX": self.topics,
            "REACTOR_KAFKA_PARTITIONS": str(PARTITIONS),
            "REACTOR_KAFKA_GROUP": fresh,
            "REACTOR_REDIS_PREFIX": fresh,
            "REACTOR_KAFKA_SESSION_TIMEOUT_S": str(SESSION_S),
            "GITHUB_WEBHOOK_SECRET": SECRET,
            "PYTHONPATH": os.pathsep.join([str(HERE), str(self.folder)]),
        }

    @property
    def config(self) -> Path:
        """The settings of the scenario."""
        return self.folder / f"{self.scenario}.yaml"

    def deliveries(self, count: int) -> list[Delivery]:
        """New issues of as many authors, each a delivery of about `size` bytes."""
        first, self.numbers = self.numbers + 1, self.numbers + count
        return [self._delivery(number) for number in range(first, first + count)]

    def _delivery(self, number: int) -> Delivery:
        told = "It crashes at start, and the update has lost all our data. " * 8
        urls = {
            f"link_{n}_url": f"https://api.example.com/repos/octo/hello/{n}" for n in range(999)
        }
        shown = dict(list(urls.items())[: max(self.size - 1500, 0) // 66])
        opened = issue("Data loss", number=number, id=number, body=told, user=account(f"u{number}"))
        fields = {"issue": opened, "repository": repository(**shown)}
        return delivery("issues.opened", id=f"{self.topics}-{number}", **fields)


def installed(folder: Path) -> None:
    """Make `three_rules.py` a package with an entry point, and write the settings of scenarios."""
    about = folder / "reactor_three-0.1.dist-info"
    about.mkdir()
    (about / "METADATA").write_text("Metadata-Version: 2.1\nName: reactor-three\nVersion: 0.1\n")
    (about / "entry_points.txt").write_text(
        "[reactor.components]\nthree = three_rules:COMPONENTS\n"
    )
    for name, packages in SCENARIOS.items():
        reaction = {"name": "bench", "on": "*", "scope": packages, "terminate_when_stuck": True}
        (folder / f"{name}.yaml").write_text(json.dumps({"reactions": [reaction]}))


@asynccontextmanager
async def writing(site: Site) -> AsyncIterator[DeliveryLog]:
    """The deliveries topic of a site."""
    settings = load(site.config, site.environ)
    async with (
        redis_parts(settings) as redis,
        kafka_parts(settings, large_bodies(settings, redis)) as kafka,
    ):
        yield kafka.deliveries


async def append_all(log: DeliveryLog, several: Sequence[Delivery]) -> list[str]:
    """Write them; their ids."""
    for first in range(0, len(several), 200):
        await asyncio.gather(*map(log.append, several[first : first + 200]))
    return [each.id for each in several]


@asynccontextmanager
async def working(site: Site, *, count: int) -> AsyncIterator[Workers]:
    """So many workers, all of which have a place in the group."""
    environ = site.environ
    names = [f"worker-{secrets.token_hex(4)}" for _ in range(count)]
    async with processes(environ, *(_worker(site, name) for name in names)) as found:
        yield Workers([Told(site.folder / f"{name}.log") for name in names], found, environ)


def _worker(site: Site, name: str) -> Child:
    ready = site.folder / f"{name}.ready"

    async def is_ready() -> bool:
        return ready.exists()

    argv = ["worker", "--config", str(site.config), "--name", name, "--ready-file", str(ready)]
    log = site.folder / f"{name}.log"
    return Child(
        name=name, argv=reactor(*argv), is_ready=is_ready, log=log, start_timeout_s=START_S
    )


@asynccontextmanager
async def serving(
    folder: Path, environ: Mapping[str, str], argv: Sequence[str], port: int
) -> AsyncIterator[psutil.Process]:
    """A server of HTTP, from when it listens."""

    async def is_ready() -> bool:
        try:
            _, writer = await asyncio.open_connection("127.0.0.1", port)
        except OSError:
            return False
        writer.close()
        return True

    log = folder / f"server-{port}.log"
    child = Child(name="server", argv=argv, is_ready=is_ready, log=log, start_timeout_s=START_S)
    async with processes(environ, child) as (process,):
        yield process


@asynccontextmanager
async def processes(
    environ: Mapping[str, str], *children: Child
) -> AsyncIterator[list[psutil.Process]]:
    """Processes of ours, started and ended at once."""
    running: list[Running] = []
    whole = {**os.environ, **environ}  # noqa: TID251 - handed on

    async def begin(child: Child) -> None:
        running.append(await start(child, whole))

    try:
        async with asyncio.TaskGroup() as group:
            for child in children:
                group.create_task(begin(child))
        yield [process_of(each) for each in running]
    finally:
        await asyncio.gather(*(each.stop() for each in running))


def reactor(*words: str) -> list[str]:
    """A command of ours."""
    return [sys.executable, "-m", "reactor", *words]


def process_of(running: Running) -> psutil.Process:
    """The process itself, beneath its guardian."""
    return psutil.Process(running.process.pid).children()[0]


def cpu_s(process: psutil.Process) -> float:
    """Processor time that it has used."""
    times = process.cpu_times()
    return float(times.user + times.system)


@contextmanager
def apache_kafka(folder: Path) -> Iterator[str | None]:
    """An Apache Kafka of its own, its bootstrap server; None where there is no Java or Maven."""
    if not (shutil.which("java") and shutil.which("mvn")):
        yield None
        return
    subprocess.run(["bash", KAFKA, "start", folder], check=True, stdout=sys.stderr)
    try:
        yield (folder / "address").read_text().strip()
    finally:
        subprocess.run(["bash", KAFKA, "stop", folder], check=False, stdout=sys.stderr)
