"""Deliveries a second through the whole path, and what the bare parts of it can do.

    plain      an aiokafka consumer, the JSON parsed, one write to Redis: the floor
    pump       Faust and the ordered pump with the same: the floor of anything in order
    worker     `reactor worker` with the packages triage, community and hello: each delivery is
               an issue that nobody has seen, settled in six ticks or so, its decisions recorded
    gateway    the same over HTTP: signed requests in, settled deliveries out

Broker, Redis, gateway and worker are processes of their own.  All drain a topic of the same kind
of deliveries; they take turns, and the median of the rounds counts.  p50 and p99 are from just before a delivery
is written (or posted) until its worker says that it is settled, at a quarter of the rate that the
worker can do.  CPU is that of the reading process alone; a busy machine changes it least.
KAFKA_BOOTSTRAP_SERVERS and REDIS_URL are used where they are set, the embedded servers otherwise.
"""

import asyncio
import json
import os
import secrets
import sys
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from datetime import datetime
from pathlib import Path
from statistics import median, quantiles
from tempfile import TemporaryDirectory

import httpx
import psutil
from throughput import Load, floor_plain, floor_pump, servers

from reactor.adapters.clock import SystemClock
from reactor.children import Child, Children, Running, free_port
from reactor.cli.sending import signed_headers
from reactor.delivery import Delivery
from reactor.settings import load
from reactor.testing import account, delivery, issue, repository
from reactor.topic import DeliveryLog
from reactor.wiring.kafka import kafka_parts, large_bodies
from reactor.wiring.redis import redis_parts

ROUNDS = 2
READ = 1_500  # deliveries on the topic that the floors drain
DRAINED = 300  # deliveries on the topic of a worker when it begins
WARM_UP = 50  # the first of them, which a worker settles while it still compiles what it needs
PACED = 80  # deliveries whose time is taken
AT_ONCE = 16  # requests to the gateway
SESSION_S = 6.0  # Apache Kafka allows no less by default
SECRET = secrets.token_hex(16)

Send = Callable[[Delivery], Awaitable[object]]


@dataclass(frozen=True)
class Figures:
    """What was measured of one path."""

    rate: float  # deliveries a second
    cpu_ms: float | None = None  # per delivery
    delays_ms: Sequence[float] = ()


@dataclass
class Told:
    """What a worker tells in its log: when it settled which delivery."""

    log: Path
    moments: dict[str, float] = field(default_factory=dict)  # seconds since 1970, by delivery
    _read: int = 0

    def settled(self, ids: Iterable[str]) -> int:
        """How many of these are settled by now."""
        with self.log.open("rb") as lines:
            lines.seek(self._read)
            for line in lines:
                if not line.endswith(b"\n"):
                    break
                self._read += len(line)
                self._take(line)
        return len(self.moments.keys() & set(ids))

    async def until(self, count: int, ids: Sequence[str]) -> None:
        """Wait until that many of these are settled."""
        while self.settled(ids) < count:  # noqa: ASYNC110 - it is another process that goes on
            await asyncio.sleep(0.02)

    def _take(self, line: bytes) -> None:
        if b'"delivery_settled"' in line:
            told = json.loads(line)
            moment = datetime.fromisoformat(told["timestamp"])
            self.moments[told["delivery_id"]] = moment.timestamp()


@dataclass
class Site:
    """An installation whose topics are its own; Redis keys and group are those of the round."""

    bootstrap: str
    redis_url: str
    folder: Path
    size: int
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
            "REACTOR_KAFKA_GROUP": fresh,
            "REACTOR_REDIS_PREFIX": fresh,
            "REACTOR_KAFKA_SESSION_TIMEOUT_S": str(SESSION_S),
            "GITHUB_WEBHOOK_SECRET": SECRET,
        }

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


@asynccontextmanager
async def writing(site: Site) -> AsyncIterator[DeliveryLog]:
    """The deliveries topic of a site."""
    settings = load(None, site.environ)
    async with (
        redis_parts(settings) as redis,
        kafka_parts(settings, large_bodies(settings, redis)) as kafka,
    ):
        yield kafka.deliveries


@asynccontextmanager
async def working(site: Site) -> AsyncIterator[tuple[Told, psutil.Process, Mapping[str, str]]]:
    """A worker that begins with the oldest delivery: what it tells, and its process."""
    name, environ = secrets.token_hex(4), site.environ
    log, ready = site.folder / f"{name}.log", site.folder / f"{name}.ready"

    async def is_ready() -> bool:
        return ready.exists()

    async with children(environ) as running:
        argv = reactor("worker", "--name", name, "--ready-file", str(ready))
        worker = await running.start(
            Child(name="worker", argv=argv, is_ready=is_ready, log=log, start_timeout_s=120)
        )
        yield Told(log), process_of(worker), environ


@asynccontextmanager
async def serving(site: Site, environ: Mapping[str, str]) -> AsyncIterator[Send]:
    """A gateway beside a worker: sends a delivery as a signed request, at last."""
    port = free_port()
    url = f"http://127.0.0.1:{port}"
    async with children(environ) as running, httpx.AsyncClient(timeout=30) as client:

        async def is_ready() -> bool:
            try:
                return (await client.get(f"{url}/readyz")).status_code == 200
            except httpx.HTTPError:
                return False

        argv = reactor("gateway", "--port", str(port))
        log = site.folder / "gateway.log"
        await running.start(Child(name="gateway", argv=argv, is_ready=is_ready, log=log))

        async def post(sent: Delivery) -> None:
            headers = signed_headers(sent.event, sent.body, secret=SECRET, delivery=sent.id)
            answer = await client.post(f"{url}/webhook", content=sent.body, headers=headers)
            answer.raise_for_status()

        yield post


@asynccontextmanager
async def children(environ: Mapping[str, str]) -> AsyncIterator[Children]:
    """Processes of ours, ended at the end."""
    found = Children({**os.environ, **environ})  # noqa: TID251 - the one place where it is read
    try:
        yield found
    finally:
        await found.stop()


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


async def drained(told: Told, worker: psutil.Process, ids: Sequence[str]) -> Figures:
    """What waits on the topic, settled."""
    await told.until(WARM_UP, ids)
    before, already = cpu_s(worker), told.settled(ids)
    await told.until(len(ids), ids)
    cpu_ms = (cpu_s(worker) - before) / (len(ids) - already) * 1000
    moments = sorted(told.moments[each] for each in ids)
    return Figures((len(ids) - WARM_UP) / (moments[-1] - moments[WARM_UP - 1]), cpu_ms)


async def paced(site: Site, told: Told, send: Send, rate: float) -> list[float]:
    """Milliseconds from sending to settled, with `rate` deliveries a second."""
    clock, sent = SystemClock(), dict[str, float]()
    begun_s = clock.monotonic_s()
    async with asyncio.TaskGroup() as group:
        for number, each in enumerate(site.deliveries(PACED)):
            await asyncio.sleep(begun_s + number / rate - clock.monotonic_s())
            sent[each.id] = clock.now().timestamp()
            group.create_task(_awaited(send(each)))
    await told.until(PACED, list(sent))
    return [(told.moments[id] - at) * 1000 for id, at in sent.items()]


async def flooded(site: Site, told: Told, send: Send) -> float:
    """Deliveries a second from the first request to the last that is settled."""
    several = site.deliveries(DRAINED)
    at_once, began = asyncio.Semaphore(AT_ONCE), SystemClock().now().timestamp()

    async def post(each: Delivery) -> None:
        async with at_once:
            await send(each)

    async with asyncio.TaskGroup() as group:
        for each in several:
            group.create_task(post(each))
    ids = [each.id for each in several]
    await told.until(len(ids), ids)
    return len(ids) / (max(told.moments[id] for id in ids) - began)


async def _awaited(awaitable: Awaitable[object]) -> None:
    await awaitable


async def floor(path: Callable[[Load], Awaitable[float]], site: Site) -> Figures:
    """One of the floors, over the topic of a site."""
    before = time.process_time()
    rate = await path(
        Load(
            bootstrap=site.bootstrap,
            redis_url=site.redis_url,
            topic=f"{site.topics}.deliveries",
            count=READ,
            session_timeout_s=SESSION_S,
        )
    )
    return Figures(rate, (time.process_time() - before) / READ * 1000)


async def filled(site: Site, count: int) -> list[str]:
    """Write that many deliveries to the topic of a site; their ids."""
    async with writing(site) as log:
        several = site.deliveries(count)
        for start in range(0, count, 200):
            await asyncio.gather(*map(log.append, several[start : start + 200]))
    return [each.id for each in several]


async def timed(site: Site, ids: Sequence[str], rate: float) -> tuple[list[float], Figures]:
    """How long a delivery takes: one that was written, and one that is posted."""
    async with writing(site) as log, working(site) as (told, _, environ):
        await told.until(len(ids), ids)
        written_ms = await paced(site, told, log.append, rate)
        async with serving(site, environ) as post:
            posted_ms = await paced(site, told, post, rate)
            return written_ms, Figures(await flooded(site, told, post), None, posted_ms)


async def measure(many: Site, few: Site) -> dict[str, Figures]:
    """All paths: the floors over many deliveries, workers over few."""
    await filled(many, READ)
    ids = await filled(few, DRAINED)
    plain, pump, worker = list[Figures](), list[Figures](), list[Figures]()
    for _ in range(ROUNDS):
        plain.append(await floor(floor_plain, many))
        pump.append(await floor(floor_pump, many))
        async with working(few) as (told, process, _):
            worker.append(await drained(told, process, ids))
    found = {"plain": middle(plain), "pump": middle(pump), "worker": middle(worker)}
    written_ms, found["gateway"] = await timed(few, ids, found["worker"].rate / 4)
    return {**found, "worker": replace(found["worker"], delays_ms=written_ms)}


def middle(several: Sequence[Figures]) -> Figures:
    """The median of the rounds."""
    cpus = [each.cpu_ms for each in several if each.cpu_ms is not None]
    return Figures(median(each.rate for each in several), median(cpus))


def print_table(size: int, found: Mapping[str, Figures]) -> None:
    """One line for each path."""
    for path in ("plain", "pump", "worker", "gateway"):
        figures = found[path]
        ratios = [figures.rate / found[floor].rate for floor in ("plain", "pump")]
        cpu = f"{figures.cpu_ms:>8.2f}" if figures.cpu_ms else f"{'':>8}"
        line = f"{size:>7,} {path:<9}{figures.rate:>8,.0f}{ratios[0]:>10.3f}{ratios[1]:>9.3f}{cpu}"
        if figures.delays_ms:
            cuts = quantiles(figures.delays_ms, n=100)
            line += f"{cuts[49]:>8.0f}{cuts[98]:>8.0f}"
        print(line)


async def main(environ: Mapping[str, str]) -> None:
    """Print the table."""
    header = f"{'body':>7} {'path':<9}{'a second':>8}{'of plain':>10}{'of pump':>9}"
    print(f"{header}{'CPU ms':>8}{'p50 ms':>8}{'p99 ms':>8}")
    with TemporaryDirectory() as folder:
        async with servers(environ) as (bootstrap, redis_url):
            for size in (2_000, 20_000):
                many, few = (Site(bootstrap, redis_url, Path(folder), size) for _ in range(2))
                print_table(size, await measure(many, few))


if __name__ == "__main__":
    asyncio.run(main(os.environ))  # noqa: TID251 - the one place where it is read
