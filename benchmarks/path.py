"""Deliveries a second through the whole path, how long one takes, and what its bare parts can do.

    plain      an aiokafka consumer, the JSON parsed, one write to Redis
    no-op      a Faust agent that does nothing
    pump       Faust and our ordered pump, the JSON parsed, one write to Redis: the floor
    three      `reactor worker`: each delivery is an issue that nobody has seen, settled by three
               rule actions (`three_rules.py`), its decisions recorded, its effects observed
    triage     the same with the packages that are shipped: seven ticks

By one, two and four workers; over the embedded broker, and over Apache Kafka where
KAFKA_BOOTSTRAP_SERVERS says so or Java and Maven are there (`tools/kafka/broker.sh`).  All are
processes of their own, but for the floors, and share the machine.  p50 and p99 are from just
before a delivery is posted to a gateway until its worker has settled it, at a quarter of the rate
that the workers can do.  CPU is of the reading processes alone; a busy machine changes it least.
"""

import asyncio
import os
import sys
import time
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from statistics import quantiles
from tempfile import TemporaryDirectory

from http_load import connected, request_of
from installation import (
    SECRET,
    SESSION_S,
    Site,
    Workers,
    apache_kafka,
    append_all,
    installed,
    reactor,
    serving,
    working,
    writing,
)
from throughput import Load, floor_noop, floor_plain, floor_pump, servers

from reactor.adapters.clock import SystemClock
from reactor.children import free_port

SIZE = 2_000  # bytes of a delivery; `throughput.py` tells what a larger one costs
READ = 2_000  # deliveries that a floor drains
DRAINED = 400  # deliveries that one worker drains, and half as many for each other one
WARM_UP = 60  # deliveries for each worker, settled while it still compiles what it needs
PACED = 120  # deliveries whose time is taken
SLOWEST = 10.0  # deliveries a second, at least, when times are taken

Floor = Callable[[Load], Awaitable[float]]

FLOORS: Sequence[tuple[str, Floor]] = (
    ("plain", floor_plain),
    ("no-op", floor_noop),
    ("pump", floor_pump),
)
LOADS = (("three", 1), ("three", 2), ("three", 4), ("triage", 1))


@dataclass(frozen=True)
class Figures:
    """What was measured of one path."""

    rate: float  # deliveries a second
    cpu_ms: float  # per delivery
    delays_ms: Sequence[float] = ()


async def floor(path: Floor, site: Site) -> Figures:
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


async def whole(site: Site, workers: int) -> Figures:
    """The whole path: a backlog drained, then deliveries posted one by one."""
    async with writing(site) as log, working(site, count=workers) as at_work:
        ids = await append_all(log, site.deliveries(WARM_UP * workers))
        await at_work.until(len(ids), ids)
        count, before = DRAINED * (workers + 1) // 2, at_work.cpu_s()
        began_s = SystemClock().now().timestamp()
        ids = await append_all(log, site.deliveries(count))
        moments = await at_work.until(count, ids)
        rate = count / (max(moments.values()) - began_s)
        cpu_ms = (at_work.cpu_s() - before) / count * 1000
        return Figures(rate, cpu_ms, await paced(site, at_work, max(rate / 4, SLOWEST)))


async def paced(site: Site, workers: Workers, rate: float) -> list[float]:
    """Milliseconds from a post to a finished process, with `rate` of them a second."""
    port, clock, sent = free_port(), SystemClock(), dict[str, float]()
    argv = reactor("gateway", "--port", str(port))

    async def post(id: str, request: bytes) -> None:
        async with connected(port, count=1) as (connection,):
            sent[id] = clock.now().timestamp()
            await connection.post(request)

    async with (
        serving(site.folder, workers.environ, argv, port),
        asyncio.TaskGroup() as group,
    ):
        begun_s = clock.monotonic_s()
        for number, each in enumerate(site.deliveries(PACED)):
            await asyncio.sleep(begun_s + number / rate - clock.monotonic_s())
            group.create_task(post(each.id, request_of(each, secret=SECRET)))
    moments = await workers.until(PACED, list(sent))
    return [(moments[id] - at) * 1000 for id, at in sent.items()]


def line(name: str, figures: Figures, pump: float) -> str:
    """One line of the table."""
    told = f"{name:<16}{figures.rate:>10,.0f}{figures.rate / pump:>9.2f}{figures.cpu_ms:>8.2f}"
    if not figures.delays_ms:
        return told
    cuts = quantiles(figures.delays_ms, n=100)
    return f"{told}{cuts[49]:>8.0f}{cuts[98]:>8.0f}"


async def measure(broker: str, site: Site) -> None:
    """All paths over one broker, each printed as soon as it is known."""
    print(f"\n{broker:<16}{'a second':>10}{'of pump':>9}{'CPU ms':>8}{'p50 ms':>8}{'p99 ms':>8}")
    async with writing(site) as log:
        await append_all(log, site.deliveries(READ))
    floors = {name: await floor(path, site) for name, path in FLOORS}
    pump = floors["pump"].rate
    for name, figures in floors.items():
        print(line(name, figures, pump), flush=True)
    for scenario, workers in LOADS:
        fresh = Site(site.bootstrap, site.redis_url, site.folder, SIZE, scenario)
        figures = await whole(fresh, workers)
        print(line(f"{scenario}, {workers} worker", figures, pump), flush=True)


async def main(environ: Mapping[str, str]) -> None:
    """Print a table for each broker."""
    given = environ.get("KAFKA_BOOTSTRAP_SERVERS")
    with TemporaryDirectory() as name:
        folder = Path(name)
        installed(folder)
        sys.path.insert(0, str(folder))  # so that settings with its package can be read here, too
        async with servers(environ) as (bootstrap, redis_url):
            site = Site(bootstrap, redis_url, folder, SIZE)
            await measure("given broker" if given else "embedded broker", site)
            if given:
                return
            with apache_kafka(folder / "kafka") as found:
                if found is None:
                    print("\nno Apache Kafka: that needs java and mvn, or KAFKA_BOOTSTRAP_SERVERS")
                    return
                await measure(
                    "Apache Kafka", replace(site, bootstrap=found, topics=f"{site.topics}-k")
                )


if __name__ == "__main__":
    asyncio.run(main(os.environ))  # noqa: TID251 - the one place where it is read
