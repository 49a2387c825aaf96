"""What the tests of the Kafka edge share: deliveries, codecs, topics of their own."""

import asyncio
import json
import os
from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from reactor.adapters.memory_bodies import MemoryBodies
from reactor.delivery import Delivery, Subject, digest
from reactor.payload import parse
from streams.codec import DeliveryCodec
from streams.host import HostSettings
from streams.packing import Packing
from streams.topics import TopicSpec, ensure_topics
from streams.writer import KafkaWriter

MakeDelivery = Callable[..., Delivery]
NewTopic = Callable[..., Awaitable[str]]


@pytest.fixture
def make_delivery() -> MakeDelivery:
    """Makes deliveries: `make_delivery(id, number)`, and any field by name."""

    def make(id: str = "d-1", number: int = 7, **fields: object) -> Delivery:
        body = json.dumps({"action": "opened", "issue": {"number": number, "id": id}}).encode()
        delivery = Delivery(
            id=id,
            event="issues",
            action="opened",
            host="github.com",
            subject=Subject(key=f"github.com/1296269#{number}", name=f"octo/hello#{number}"),
            body=body,
            media_type="application/json",
            payload={},
            received_at=datetime(2026, 2, 3, 4, 5, 6, 789, tzinfo=UTC),
            digest=digest(body),
        )
        return replace(delivery, **fields)  # type: ignore[arg-type]

    return make


@pytest.fixture
def bodies() -> MemoryBodies:
    return MemoryBodies()


@pytest.fixture
def packing(bodies: MemoryBodies) -> Packing:
    return Packing(bodies)


@pytest.fixture
def codec(packing: Packing) -> DeliveryCodec:
    return DeliveryCodec(parse=parse, packing=packing)


@pytest.fixture
def host(kafka_bootstrap: str, kafka_prefix: str) -> HostSettings:
    """A group of this test alone, on the topic that `new_topic` creates by default."""
    is_embedded = "KAFKA_BOOTSTRAP_SERVERS" not in os.environ  # noqa: TID251 - of the test run
    return HostSettings(
        bootstrap=kafka_bootstrap,
        group=kafka_prefix,
        topics=(f"{kafka_prefix}.deliveries",),
        # Apache Kafka allows no less than 6 s; joining the embedded broker takes half of it
        session_timeout_s=2.0 if is_embedded else 6.0,
    )


@pytest.fixture
async def new_topic(kafka_bootstrap: str, kafka_prefix: str) -> NewTopic:
    """Creates a topic for this test alone, and gives its name."""

    async def create(name: str = "deliveries", partitions: int = 1) -> str:
        full = f"{kafka_prefix}.{name}"
        spec = TopicSpec(name=full, partitions=partitions, retention=timedelta(hours=1))
        await ensure_topics(kafka_bootstrap, [spec])
        return full

    return create


@pytest.fixture
async def writer(kafka_bootstrap: str) -> AsyncIterator[KafkaWriter]:
    writer = KafkaWriter(kafka_bootstrap, timeout_s=15)
    yield writer
    await writer.stop()


@pytest.fixture
def until() -> Callable[..., Awaitable[None]]:
    """Waits for a condition, looking again whenever the loop has turned."""

    async def wait(condition: Callable[[], bool]) -> None:
        while not condition():  # noqa: ASYNC110
            await asyncio.sleep(0.005)  # what is looked at has no event

    return wait
