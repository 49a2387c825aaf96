import asyncio
from collections.abc import Awaitable, Callable
from datetime import timedelta

import pytest

from reactor.children import free_port
from reactor.errors import InfrastructureError
from reactor.topic import Position
from streams.reader import Extent, open_reader
from streams.record import Outgoing
from streams.window import Partition
from streams.writer import KafkaWriter
from tests.fixtures.cut_off import left_open_by

NewTopic = Callable[..., Awaitable[str]]

pytestmark = [pytest.mark.kafka, pytest.mark.timeout(60)]


def some(count: int) -> list[Outgoing]:
    return [Outgoing(key=b"k%d" % (n % 7), value=b"%d" % n) for n in range(count)]


async def test_the_end_is_right_whatever_the_last_batch_held(
    kafka_bootstrap: str, writer: KafkaWriter, new_topic: NewTopic
) -> None:
    topic = await new_topic(partitions=1)
    await writer.write(topic, *some(12))
    await writer.write(topic, *some(100))  # one batch: its base is not the end

    async with open_reader(kafka_bootstrap) as reader:
        assert await reader.extents(topic) == {Partition(topic, 0): Extent(0, 112)}


async def test_everything_on_a_topic_is_read_once_and_in_order_per_partition(
    kafka_bootstrap: str, writer: KafkaWriter, new_topic: NewTopic
) -> None:
    topic = await new_topic(partitions=3)
    await writer.write(topic, *some(300))

    async with open_reader(kafka_bootstrap) as reader:
        records = await reader.read_all(topic)
        assert await reader.count(topic) == 300

    assert sorted(int(record.value) for record in records) == list(range(300))
    for number in range(3):
        offsets = [r.position.offset for r in records if r.position.partition == number]
        assert offsets == list(range(len(offsets)))


async def test_only_the_range_asked_for_is_read(
    kafka_bootstrap: str, writer: KafkaWriter, new_topic: NewTopic
) -> None:
    topic = await new_topic(partitions=1)
    await writer.write(topic, *some(50))

    async with open_reader(kafka_bootstrap) as reader:
        wanted = {Partition(topic, 0): Extent(10, 13)}
        values = [record.value async for record in reader.read(wanted)]

    assert values == [b"10", b"11", b"12"]


async def test_an_empty_topic_and_one_that_is_not_there_hold_nothing(
    kafka_bootstrap: str, new_topic: NewTopic
) -> None:
    topic = await new_topic(partitions=2)

    async with open_reader(kafka_bootstrap) as reader:
        assert await reader.count(topic) == 0
        assert await reader.read_all(topic) == []
        assert await reader.extents(f"{topic}.nowhere") == {}
        assert await reader.extents(f"{topic}.nowhere") == {}  # asking did not create it


async def test_a_record_is_found_by_its_position_and_none_where_none_is(
    kafka_bootstrap: str, writer: KafkaWriter, new_topic: NewTopic
) -> None:
    topic = await new_topic(partitions=1)
    await writer.write(topic, *some(3))

    async with open_reader(kafka_bootstrap) as reader:
        found = await reader.at(Position(topic, 0, 1))
        assert found
        assert found.value == b"1"
        assert await reader.at(Position(topic, 0, 3)) is None
        assert await reader.at(Position(topic, 9, 0)) is None


async def test_a_broker_that_is_away_is_infrastructure() -> None:
    with pytest.raises(InfrastructureError, match="connecting"):
        async with open_reader(f"127.0.0.1:{free_port()}"):
            pass


async def test_who_is_cut_off_while_it_connects_leaves_no_connection_open(
    kafka_bootstrap: str,
) -> None:
    async def connect() -> None:
        async with open_reader(kafka_bootstrap):
            await asyncio.Event().wait()

    assert await left_open_by(connect) == []


async def test_records_of_all_partitions_come_the_oldest_first_and_the_same_each_time(
    kafka_bootstrap: str, writer: KafkaWriter, new_topic: NewTopic
) -> None:
    topic = await new_topic(partitions=3)
    for begin in range(0, 300, 50):
        await writer.write(topic, *some(300)[begin : begin + 50])

    async with open_reader(kafka_bootstrap) as reader:
        extents = await reader.extents(topic)
        once = [record async for record in reader.merged(extents)]
        again = [record async for record in reader.merged(extents)]

    assert sorted(int(record.value) for record in once) == list(range(300))
    assert [record.written_at for record in once] == sorted(record.written_at for record in once)
    assert [record.position for record in again] == [record.position for record in once]
    for number in range(3):
        offsets = [r.position.offset for r in once if r.position.partition == number]
        assert offsets == list(range(len(offsets)))


async def test_merging_goes_on_from_where_each_partition_was_left(
    kafka_bootstrap: str, writer: KafkaWriter, new_topic: NewTopic
) -> None:
    topic = await new_topic(partitions=2)
    await writer.write(topic, *some(40))

    async with open_reader(kafka_bootstrap) as reader:
        extents = await reader.extents(topic)
        every = [record async for record in reader.merged(extents)]
        ends = {
            partition: Extent(
                sum(r.position.partition == partition.number for r in every[:15]), extent.end
            )
            for partition, extent in extents.items()
        }
        rest = [record async for record in reader.merged(ends)]

    assert [record.position for record in rest] == [record.position for record in every[15:]]


async def test_a_moment_is_found_by_the_times_of_the_records(
    kafka_bootstrap: str, writer: KafkaWriter, new_topic: NewTopic
) -> None:
    topic = await new_topic(partitions=1)
    for each in some(12):
        await writer.write(topic, each)
    partition, extent = Partition(topic, 0), Extent(0, 12)

    async with open_reader(kafka_bootstrap) as reader:
        records = await reader.read_all(topic)
        seventh = records[7].written_at
        found = await reader.since(partition, extent, seventh)
        after = await reader.since(partition, extent, records[-1].written_at + timedelta(days=1))
        before = await reader.since(partition, extent, records[0].written_at)

    first = next(r.position.offset for r in records if r.written_at >= seventh)
    assert (found, after, before) == (first, 12, 0)
