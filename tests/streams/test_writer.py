import asyncio
import gc
import os
from collections.abc import Awaitable, Callable
from datetime import timedelta

import pytest

from reactor.children import start
from reactor.errors import InfrastructureError
from reactor.topic import Position
from streams import embedded
from streams.reader import open_reader
from streams.record import Outgoing, RecordTooLarge
from streams.topics import TopicSpec, ensure_topics
from streams.writer import KafkaWriter, _write
from tests.fixtures.kafka_broker import broker_child

NewTopic = Callable[..., Awaitable[str]]

pytestmark = [pytest.mark.kafka, pytest.mark.timeout(60)]


async def test_a_written_record_lies_where_it_was_said_to_lie(
    kafka_bootstrap: str, writer: KafkaWriter, new_topic: NewTopic
) -> None:
    topic = await new_topic()
    record = Outgoing(key=b"k", value=b"v", headers=(("a", b"1"), ("b", b"\xff")))

    positions = await writer.write(topic, record, record)

    assert positions == [Position(topic, 0, 0), Position(topic, 0, 1)]
    async with open_reader(kafka_bootstrap) as reader:
        read = await reader.at(positions[1])
    assert read
    assert (read.key, read.value, read.headers) == (record.key, record.value, record.headers)


async def test_records_written_at_once_lie_in_their_order(
    kafka_bootstrap: str, writer: KafkaWriter, new_topic: NewTopic
) -> None:
    topic = await new_topic()

    await writer.write(topic, *(Outgoing(key=b"k", value=b"%d" % n) for n in range(500)))

    async with open_reader(kafka_bootstrap) as reader:
        values = [record.value for record in await reader.read_all(topic)]
    assert values == [b"%d" % n for n in range(500)]


async def test_a_record_beyond_the_limit_is_refused_with_what_to_do(
    writer: KafkaWriter, new_topic: NewTopic
) -> None:
    topic = await new_topic()

    with pytest.raises(RecordTooLarge, match=r"message\.max\.bytes"):
        await writer.write(topic, Outgoing(key=b"k", value=os.urandom(1_100_000)))

    assert await writer.write(topic, Outgoing(key=b"k", value=b"small"))


async def test_a_broker_that_is_away_is_given_up_in_time_and_found_when_it_comes(
    kafka_prefix: str, own_broker_port: int
) -> None:
    bootstrap = embedded.bootstrap(own_broker_port)
    spec = TopicSpec(name=kafka_prefix, partitions=1, retention=timedelta(hours=1))
    record = Outgoing(key=b"k", value=b"v")
    unheard: list[str] = []
    asyncio.get_running_loop().set_exception_handler(
        lambda _, told: unheard.append(told["message"])
    )
    writer = KafkaWriter(bootstrap, timeout_s=0.5)
    await writer.start()

    with pytest.raises(InfrastructureError, match="kafka did not answer"):
        await writer.write(kafka_prefix, record)
    assert not await writer.is_ready(within_s=0.1)

    broker = await start(broker_child(own_broker_port), environ={})
    await ensure_topics(bootstrap, [spec])
    while not await writer.is_ready(within_s=5):
        pass
    assert await _written(writer, kafka_prefix, record)

    await broker.stop()
    with pytest.raises(InfrastructureError):
        await writer.write(kafka_prefix, record)
    assert not await writer.is_ready(within_s=0.1)
    await writer.stop()  # leaves no task behind, or the test run would say so
    del writer
    gc.collect()
    assert not [told for told in unheard if "never retrieved" in told]


async def test_a_stopped_writer_says_so(kafka_bootstrap: str) -> None:
    writer = KafkaWriter(kafka_bootstrap)
    await writer.stop()

    with pytest.raises(InfrastructureError, match="this writer is stopped"):
        await writer.write("topic", Outgoing(key=None, value=b"v"))


class FullProducer:
    """Takes one record; for the next it has no room, and its caller waits."""

    def __init__(self) -> None:
        self.ack: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self.is_full = asyncio.Event()

    async def send(self, *_: object, **__: object) -> "asyncio.Future[None]":
        if self.is_full.is_set():
            await asyncio.Event().wait()
        self.is_full.set()
        return self.ack


async def test_a_writing_that_is_given_up_leaves_no_error_that_nobody_looks_at() -> None:
    producer = FullProducer()
    record = Outgoing(key=b"k", value=b"v")
    writing = asyncio.create_task(_write(producer, "t", [record, record]))
    await producer.is_full.wait()

    writing.cancel()
    with pytest.raises(asyncio.CancelledError):
        await writing

    assert producer.ack.cancelled()


async def _written(writer: KafkaWriter, topic: str, record: Outgoing) -> list[Position]:
    """Once the writer has found the broker, whose first answers may take longer than it waits."""
    while True:
        try:
            return await writer.write(topic, record)
        except InfrastructureError:
            continue
