"""Apache Kafka over TLS, and with users: every client of ours gets in, or is told what to mend."""

import asyncio
from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta

import pytest

from reactor.adapters.memory import MemoryDeadLetters
from reactor.delivery import Delivery
from reactor.topic import Position
from streams.broker import AccessRefused, Broker
from streams.codec import DeliveryCodec
from streams.host import HostSettings
from streams.processor import Processor, ProcessorSettings
from streams.producer import KafkaDeliveryLog
from streams.reader import open_reader
from streams.topics import TopicRefused, TopicSpec, cluster_id, ensure_topics
from streams.writer import KafkaWriter
from tests.fixtures.guarded_kafka import Guarded

pytestmark = [pytest.mark.long, pytest.mark.kafka, pytest.mark.timeout(400)]


@pytest.fixture(
    params=[
        ("SASL_PLAINTEXT", "SCRAM-SHA-512"),
        ("SASL_PLAINTEXT", "PLAIN"),
        ("SASL_SSL", "SCRAM-SHA-512"),
        ("SSL", ""),
    ],
    ids=" ".join,
)
def broker(request: pytest.FixtureRequest, guarded: Guarded) -> Broker:
    return guarded.broker(*request.param)


async def test_a_delivery_goes_all_the_way(
    broker: Broker,
    codec: DeliveryCodec,
    make_delivery: Callable[..., Delivery],
    kafka_prefix: str,
) -> None:
    topic, settled = f"{kafka_prefix}.deliveries", asyncio.Event()

    async def settle(_delivery: Delivery, _position: Position) -> None:
        settled.set()

    await ensure_topics(broker, [TopicSpec(name=topic, partitions=1, retention=timedelta(hours=1))])
    writer = KafkaWriter(broker, timeout_s=15)
    await KafkaDeliveryLog(writer, codec, topic=topic).append(make_delivery())
    processor = Processor(
        ProcessorSettings(host=HostSettings(bootstrap=broker, group=kafka_prefix, topics=(topic,))),
        codec=codec,
        settle=settle,
        dead_letters=MemoryDeadLetters(),
    )
    await processor.start()
    async with asyncio.timeout(30):
        await settled.wait()
    await processor.stop()

    async with open_reader(broker) as reader:
        assert len(await reader.read_all(topic)) == 1
    assert await cluster_id(broker)
    await writer.stop()


async def test_a_wrong_password_is_told_at_once_and_not_repeated(guarded: Guarded) -> None:
    stranger = replace(guarded.broker("SASL_PLAINTEXT"), password="hunter2")

    with pytest.raises(AccessRefused, match=r"correct kafka\.security") as caught:
        await ensure_topics(stranger, [TopicSpec(name="t", partitions=1)])

    assert "hunter2" not in str(caught.value)


async def test_a_mechanism_that_the_broker_does_not_know_is_told(guarded: Guarded) -> None:
    other = replace(guarded.broker("SASL_PLAINTEXT"), mechanism="SCRAM-SHA-256")

    with pytest.raises(AccessRefused, match=r"correct kafka\.security"):
        await ensure_topics(other, [TopicSpec(name="t", partitions=1)])


async def test_a_certificate_of_an_unknown_ca_is_told_with_the_setting(guarded: Guarded) -> None:
    without = replace(guarded.broker("SASL_SSL"), ca_file=None)

    with pytest.raises(AccessRefused, match=r"kafka\.security\.ca_file"):
        await ensure_topics(without, [TopicSpec(name="t", partitions=1)])


async def test_a_topic_that_we_may_not_create_is_told_with_what_to_do(guarded: Guarded) -> None:
    elsewhere = TopicSpec(name="not-ours.deliveries", partitions=1)

    with pytest.raises(TopicRefused, match=r"create it by hand, or give this client the right to"):
        await ensure_topics(guarded.broker("SASL_PLAINTEXT"), [elsewhere])
