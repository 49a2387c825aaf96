"""A worker's memory does not grow with what waits for it: 100,000 records take no more than 1,000.

What is measured is printed (`pytest -s`).
"""

import asyncio
import json
import secrets
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

import psutil
import pytest

from reactor.adapters.memory_bodies import MemoryBodies
from reactor.delivery import Delivery
from reactor.payload import parse
from reactor.settings import load
from reactor.testing import delivery, issue
from reactor.topic import Topics
from reactor.wiring.kafka import topic_specs
from streams.codec import DeliveryCodec
from streams.packing import Packing
from streams.record import Outgoing
from streams.topics import ensure_topics
from streams.writer import KafkaWriter
from tests.fixtures.site import Site, site_environ, terminate, until

pytestmark = [
    pytest.mark.e2e,
    pytest.mark.long,
    pytest.mark.kafka,
    pytest.mark.redis,
    pytest.mark.timeout(300),
]

MANY, FEW = 100_000, 1_000
DRAINED = 2_000  # of the many, while we watch
LARGE_EVERY = 2_000  # records; each of these is as large as the broker takes
LARGE_BYTES = 600_000
MOST_GROWTH_MB = 64  # a window of large records, and what an interpreter keeps of it
AT_ONCE = 500


@dataclass(frozen=True)
class Peak:
    """What a worker took."""

    at_rest_mb: float  # when it had joined
    most_mb: float
    settled: int


@pytest.fixture
def sites(tmp_path: Path, kafka_bootstrap: str, redis_url: str) -> Iterator[dict[str, Site]]:
    """Two installations on the same servers."""
    made = {}
    for name in ("few", "many"):
        prefix = f"memory-{secrets.token_hex(6)}"
        folder = tmp_path / name
        folder.mkdir()
        environ = site_environ(
            KAFKA_BOOTSTRAP_SERVERS=kafka_bootstrap,
            REDIS_URL=redis_url,
            REACTOR_KAFKA_PREFIX=prefix,
            REACTOR_KAFKA_GROUP=prefix,
            REACTOR_REDIS_PREFIX=prefix,
        )
        made[name] = Site(folder=folder, environ=environ)
        reactions = [{"name": "greet", "on": "issues", "scope": "hello"}]
        (folder / "reactor.yaml").write_text(json.dumps({"reactions": reactions}))
    yield made
    for site in made.values():
        site.stop()


def small(number: int) -> Delivery:
    """Most of them start nothing; every tenth starts a process."""
    if number % 10:
        return delivery("push", id=f"d-{number}", ref=f"refs/heads/{number}")
    return delivery("issues.opened", id=f"d-{number}", issue=issue(number=1 + number % 997))


def large(number: int) -> Delivery:
    """Bytes that no compression makes smaller."""
    return delivery("push", id=f"d-{number}", ref=secrets.token_hex(LARGE_BYTES // 2))


async def fill(site: Site, records: int) -> None:
    """Write so many to the topic, as a gateway does, but many at once."""
    settings = load(None, site.environ)
    topics = Topics(settings.kafka.prefix)
    assert settings.kafka.bootstrap_servers
    await ensure_topics(settings.kafka.bootstrap_servers, topic_specs(settings, topics))
    codec = DeliveryCodec(parse=parse, packing=Packing(MemoryBodies()))
    writer = KafkaWriter(settings.kafka.bootstrap_servers, timeout_s=60)
    like = await codec.encode(small(1))
    try:
        for first in range(0, records, AT_ONCE):
            written = [
                await codec.encode(small(n)) if n % 10 == 0 else numbered(like, n)
                for n in range(first, min(first + AT_ONCE, records))
            ]
            if first % LARGE_EVERY == 0:
                written[1] = await codec.encode(large(first + 1))
            await writer.write(topics.deliveries, *written)
    finally:
        await writer.stop()


def numbered(like: Outgoing, number: int) -> Outgoing:
    """The same record for another delivery: encoding each would take longer than writing it."""
    headers = dict(like.headers) | {"delivery": f"d-{number}".encode()}
    return replace(like, headers=tuple(headers.items()))


async def watch(site: Site, *, until_settled: int) -> Peak:
    """Start a worker, and look at what it takes while it settles so many."""
    worker = site.start_worker("worker", "--config", str(site.folder / "reactor.yaml"))
    process = psutil.Process(worker.pid)
    await until(lambda: site.is_ready("worker"), within_s=60)
    at_rest = most = process.memory_info().rss
    settled = 0
    with (site.folder / "worker.log").open() as log:
        while settled < until_settled:
            most = max(most, process.memory_info().rss)
            settled += sum('"delivery_settled"' in line for line in log)
            assert worker.poll() is None, site.log("worker")[-2000:]
            await asyncio.sleep(0.05)  # a sample
    terminate(worker)
    assert await asyncio.to_thread(worker.wait, 30) == 0
    return Peak(at_rest / 1e6, most / 1e6, settled)


async def test_a_hundred_thousand_waiting_records_take_no_more_memory_than_a_thousand(
    sites: dict[str, Site],
) -> None:
    await fill(sites["few"], FEW)
    few = await watch(sites["few"], until_settled=FEW)
    await fill(sites["many"], MANY)
    many = await watch(sites["many"], until_settled=DRAINED)

    growth_mb = many.most_mb - few.most_mb
    print(  # noqa: T201 - for whoever runs it with -s
        f"\nmemory: few={FEW} peak_mb={few.most_mb:.0f} many={MANY} peak_mb={many.most_mb:.0f} "
        f"at_rest_mb={many.at_rest_mb:.0f} settled={many.settled} "
        f"ratio={many.most_mb / few.most_mb:.2f}"
    )
    assert growth_mb < MOST_GROWTH_MB
