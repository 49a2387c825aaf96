"""What a member of a group commits that has been overtaken by a rebalance is refused by the broker."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import suppress

import pytest
from aiokafka import AIOKafkaConsumer, TopicPartition
from aiokafka.errors import CommitFailedError
from aiokafka.structs import OffsetAndMetadata

from streams.host import HostSettings
from streams.record import Outgoing
from streams.writer import KafkaWriter

NewTopic = Callable[..., Awaitable[str]]

pytestmark = [pytest.mark.kafka, pytest.mark.timeout(90)]


def member(host: HostSettings) -> AIOKafkaConsumer:
    return AIOKafkaConsumer(
        *host.topics,
        bootstrap_servers=host.bootstrap,
        group_id=host.group,
        session_timeout_ms=int(host.session_timeout_s * 1000),
        heartbeat_interval_ms=300,
        enable_auto_commit=False,
        auto_offset_reset="earliest",
    )


async def reading(consumer: AIOKafkaConsumer) -> None:
    """Read for ever, which lets it rejoin."""
    while True:
        await consumer.getmany(timeout_ms=100)


@pytest.fixture
async def pair(
    host: HostSettings, writer: KafkaWriter, new_topic: NewTopic
) -> AsyncIterator[tuple[AIOKafkaConsumer, int]]:
    """The first member of a group that a second one has joined, and its generation before."""
    topic = await new_topic(partitions=2)
    await writer.write(topic, *(Outgoing(key=bytes([n]), value=b"x") for n in range(20)))
    first, second = member(host), member(host)
    await first.start()
    generation: int = first._coordinator.generation
    tasks = [asyncio.create_task(reading(first))]
    await second.start()
    tasks.append(asyncio.create_task(reading(second)))
    while not (len(first.assignment()) == len(second.assignment()) == 1):  # noqa: ASYNC110
        await asyncio.sleep(0.05)
    yield first, generation
    for task in tasks:
        task.cancel()
        with suppress(asyncio.CancelledError):
            await task
    await second.stop()
    await first.stop()


async def test_a_commit_of_an_older_generation_is_refused(
    pair: tuple[AIOKafkaConsumer, int],
) -> None:
    consumer, generation = pair
    [place] = consumer.assignment()
    await consumer.commit({place: OffsetAndMetadata(5, "")})
    now, consumer._coordinator.generation = consumer._coordinator.generation, generation

    with pytest.raises(CommitFailedError):
        await consumer.commit({place: OffsetAndMetadata(1, "")})

    assert generation < now
    assert await committed(consumer, place) == 5


async def committed(consumer: AIOKafkaConsumer, place: TopicPartition) -> int | None:
    offset: int | None = await consumer.committed(place)
    return offset
