"""Records a second from a topic into Redis, and what order and at-least-once cost.

Every path drains the same topic in a group of its own, 32 records at once, and for each record
parses the JSON and writes the body to Redis once:

    plain       an aiokafka consumer, no order per key, a commit per batch: the floor
    pump        Faust and the ordered pump
    processor   the same with the records decoded into deliveries and checked against their digest

The paths take turns, so that a busy moment of the machine hits all of them; the median of the
rounds counts.  Broker, Redis and the reader share the machine's cores.  KAFKA_BOOTSTRAP_SERVERS
and REDIS_URL are used where they are set, the embedded servers otherwise.
"""

import asyncio
import json
import os
import secrets
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory

import orjson
from aiokafka import AIOKafkaConsumer
from redis.asyncio import Redis

from reactor.adapters import embedded_redis
from reactor.adapters.redis_client import connect
from reactor.children import Child, Children, free_port
from reactor.delivery import Delivery, Subject, digest
from reactor.payload import parse
from reactor.topic import DeadLetter, Position
from streams import embedded
from streams.codec import DeliveryCodec
from streams.host import FaustHost, HostSettings
from streams.ordered import OrderedPump
from streams.packing import Packing
from streams.processor import Processor, ProcessorSettings
from streams.record import Record
from streams.topics import TopicSpec, ensure_topics
from streams.window import Limits, Partition
from streams.writer import KafkaWriter

ROUNDS = 3
PARTITIONS = 4
SUBJECTS = 200
AT_ONCE = 32  # records in work
LIMITS = Limits(running=AT_ONCE, held=4 * AT_ONCE)
KEEP_S = 60  # how long Redis keeps what is written


@dataclass(frozen=True, slots=True, kw_only=True)
class Load:
    """Records on a topic."""

    bootstrap: str
    redis_url: str
    topic: str
    count: int
    session_timeout_s: float = 6.0

    def host(self) -> HostSettings:
        """A group that has read nothing yet."""
        return HostSettings(
            bootstrap=self.bootstrap,
            group=f"bench-{secrets.token_hex(4)}",
            topics=(self.topic,),
            session_timeout_s=self.session_timeout_s,
        )


class Meter:
    """Counts what is done, from the first record that comes to the last."""

    def __init__(self, count: int) -> None:
        self._left, self._count = count, count
        self._began_s = self._ended_s = 0.0
        self.done = asyncio.Event()

    def begin(self) -> None:
        """A record has come."""
        self._began_s = self._began_s or time.perf_counter()

    def end(self) -> None:
        """A record is done."""
        self._left -= 1
        if not self._left:
            self._ended_s = time.perf_counter()
            self.done.set()

    def rate(self) -> float:
        """Records a second."""
        return self._count / (self._ended_s - self._began_s)


Path_ = Callable[[Load], Awaitable[float]]


async def floor_plain(load: Load) -> float:
    """Plain aiokafka, JSON, one write to Redis: records a second."""
    meter, redis = Meter(load.count), connect(load.redis_url, max_connections=AT_ONCE)
    at_once = asyncio.Semaphore(AT_ONCE)
    consumer = AIOKafkaConsumer(
        load.topic,
        bootstrap_servers=load.bootstrap,
        group_id=load.host().group,
        session_timeout_ms=int(load.session_timeout_s * 1000),
        enable_auto_commit=False,
        auto_offset_reset="earliest",
        fetch_max_wait_ms=25,
    )

    async def handle(key: str, value: bytes) -> None:
        async with at_once:
            orjson.loads(value)
            await _write(redis, key, value)
            meter.end()

    await consumer.start()
    while not meter.done.is_set():
        batches = await consumer.getmany(timeout_ms=500, max_records=4 * AT_ONCE)
        async with asyncio.TaskGroup() as group:
            for message in (message for batch in batches.values() for message in batch):
                meter.begin()
                group.create_task(handle(f"{message.partition}/{message.offset}", message.value))
        if batches:
            await consumer.commit()
    await consumer.stop()
    await redis.aclose()
    return meter.rate()


async def floor_noop(load: Load) -> float:
    """Faust, and nothing done: records a second."""
    meter = Meter(load.count)

    async def admit(_: Record) -> None:
        meter.begin()
        meter.end()

    async def release(_: Iterable[Partition]) -> Mapping[Partition, int]:
        return {}

    host = FaustHost(load.host(), admit=admit, release=release)
    await host.start()
    await meter.done.wait()
    await host.stop()
    return meter.rate()


async def floor_pump(load: Load) -> float:
    """Faust, the ordered pump, JSON, one write to Redis: records a second."""
    meter, redis = Meter(load.count), connect(load.redis_url, max_connections=AT_ONCE)

    async def settle(record: Record) -> None:
        meter.begin()
        orjson.loads(record.value)
        await _write(redis, str(record.position), record.value)
        meter.end()

    async def give_up(record: Record, error: BaseException, _attempts: int) -> None:
        raise AssertionError(record.position) from error

    pump = OrderedPump(settle, on_poison=give_up, limits=LIMITS)

    async def release(partitions: Iterable[Partition]) -> Mapping[Partition, int]:
        return await pump.release(partitions, drain_s=5)

    host = FaustHost(load.host(), admit=pump.admit, release=release)
    await host.start()
    await meter.done.wait()
    await host.stop()
    await redis.aclose()
    return meter.rate()


async def path_processor(load: Load) -> float:
    """The whole processor with a handler that writes once to Redis: records a second."""
    meter, redis = Meter(load.count), connect(load.redis_url, max_connections=AT_ONCE)

    async def settle(delivery: Delivery, position: Position) -> None:
        meter.begin()
        await _write(redis, str(position), delivery.body)
        meter.end()

    processor = Processor(
        ProcessorSettings(host=load.host(), limits=LIMITS),
        codec=DeliveryCodec(parse=parse, packing=Packing(None)),
        settle=settle,
        dead_letters=NoLetters(),
    )
    await processor.start()
    await meter.done.wait()
    await processor.stop()
    await redis.aclose()
    return meter.rate()


class NoLetters:
    """Dead letters, of which a benchmark must not have any."""

    async def bury(self, letter: DeadLetter) -> Position:
        """Never."""
        raise AssertionError(letter.detail)


async def filled(load: Load, size: int) -> None:
    """Create the topic of a load, and write its deliveries of about `size` bytes each."""
    spec = TopicSpec(name=load.topic, partitions=PARTITIONS, retention=timedelta(hours=1))
    await ensure_topics(load.bootstrap, [spec])
    writer = KafkaWriter(load.bootstrap, timeout_s=60)
    codec = DeliveryCodec(parse=parse, packing=Packing(None))
    for start in range(0, load.count, 200):
        deliveries = [_delivery(n, size) for n in range(start, min(start + 200, load.count))]
        await writer.write(load.topic, *[await codec.encode(each) for each in deliveries])
    await writer.stop()


def _delivery(number: int, size: int) -> Delivery:
    few = size // 90  # most of a GitHub payload is addresses
    links = {f"link_{n}_url": f"https://api.github.com/repos/octo/hello/{n}" for n in range(few)}
    issue = {"number": number, "body": "It breaks when I save. " * few, **links}
    body = json.dumps({"action": "opened", "issue": issue}).encode()
    subject = number % SUBJECTS
    return Delivery(
        id=f"d-{number}",
        event="issues",
        action="opened",
        host="github.com",
        subject=Subject(key=f"github.com/1#{subject}", name=f"octo/hello#{subject}"),
        body=body,
        media_type="application/json",
        payload={},
        received_at=datetime(2026, 1, 1, tzinfo=UTC),
        digest=digest(body),
    )


async def _write(redis: Redis, key: str, value: bytes) -> None:
    await redis.set(f"bench:{key}", value, ex=KEEP_S)


@asynccontextmanager
async def servers(environ: Mapping[str, str]) -> AsyncIterator[tuple[str, str]]:
    """A broker and a Redis: (bootstrap servers, Redis URL)."""
    with TemporaryDirectory() as folder:
        children = Children(environ)
        bootstrap, redis_url = environ.get("KAFKA_BOOTSTRAP_SERVERS"), environ.get("REDIS_URL")
        try:
            if not bootstrap:
                port = free_port()
                argv = embedded.argv(embedded.find_broker(), port=port)
                child = _child("kafka", argv, embedded.is_ready, port)
                await children.start(replace(child, log=Path(folder, "kafka.log")))
                bootstrap = embedded.bootstrap(port)
            if not redis_url:
                port = free_port()
                binary = embedded_redis.find_server()
                argv = embedded_redis.argv(binary, port=port, folder=Path(folder))
                child = _child("redis", argv, embedded_redis.is_ready, port)
                await children.start(replace(child, log=Path(folder, "redis.log")))
                redis_url = embedded_redis.url(port)
            yield bootstrap, redis_url
        finally:
            await children.stop()


def _child(
    name: str, argv: list[str], is_ready: Callable[[int], Awaitable[bool]], port: int
) -> Child:
    return Child(name=name, argv=argv, is_ready=lambda: is_ready(port), grace_s=2)


PATHS: tuple[tuple[str, Path_], ...] = (
    ("plain", floor_plain),
    ("pump", floor_pump),
    ("processor", path_processor),
)


async def measured(load: Load) -> dict[str, float]:
    """Records a second of every path, each the median of the rounds."""
    rates: dict[str, list[float]] = {name: [] for name, _ in PATHS}
    for _ in range(ROUNDS):
        for name, path in PATHS:
            rates[name].append(await path(load))
    return {name: median(each) for name, each in rates.items()}


async def main(environ: Mapping[str, str]) -> None:
    """Print the table."""
    print(f"{'body':>8} {'path':<10} {'records/s':>10} {'of plain':>9}")
    async with servers(environ) as (bootstrap, redis_url):
        for size, count in ((20_000, 2_000), (2_000, 6_000)):
            topic = f"bench-{secrets.token_hex(4)}"
            load = Load(bootstrap=bootstrap, redis_url=redis_url, topic=topic, count=count)
            await filled(load, size)
            rates = await measured(load)
            for name, rate in rates.items():
                print(f"{size:>8,} {name:<10} {rate:>10,.0f} {rate / rates['plain']:>9.2f}")


if __name__ == "__main__":
    asyncio.run(main(os.environ))  # noqa: TID251 - the one place where it is read
