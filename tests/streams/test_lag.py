"""Lag is what the broker has and the group has not committed, whoever asks."""

from datetime import UTC, datetime, timedelta

import pytest
from aiokafka import AIOKafkaConsumer, TopicPartition

from streams.lag import oldest_open, read_lag
from streams.reader import open_reader
from streams.record import Outgoing
from streams.topics import TopicSpec, ensure_topics
from streams.window import Partition
from streams.writer import KafkaWriter

pytestmark = [pytest.mark.kafka]


async def write(bootstrap: str, topic: str, *, records: int) -> None:
    writer = KafkaWriter(bootstrap, idempotent=False, timeout_s=10)
    try:
        await writer.write(topic, *(Outgoing(key=b"k", value=b"%d" % n) for n in range(records)))
    finally:
        await writer.stop()


async def commit(bootstrap: str, group: str, topic: str, offset: int) -> None:
    consumer = AIOKafkaConsumer(
        bootstrap_servers=bootstrap, group_id=group, enable_auto_commit=False
    )
    await consumer.start()
    try:
        partition = TopicPartition(topic, 0)
        consumer.assign([partition])
        await consumer.commit({partition: offset})
    finally:
        await consumer.stop()


async def test_a_group_that_has_committed_nothing_lags_by_all_that_is_there(
    kafka_bootstrap: str, kafka_prefix: str
) -> None:
    await ensure_topics(kafka_bootstrap, [TopicSpec(name=kafka_prefix, partitions=2)])
    await write(kafka_bootstrap, kafka_prefix, records=3)

    async with open_reader(kafka_bootstrap, group=kafka_prefix) as reader:
        behind = await read_lag(reader, kafka_prefix)
        oldest = await oldest_open(reader, behind)

    assert set(behind) == {Partition(kafka_prefix, 0), Partition(kafka_prefix, 1)}
    assert sorted(each.lag for each in behind.values()) == [0, 3]
    assert oldest is not None
    assert abs(datetime.now(UTC) - oldest) < timedelta(minutes=2)  # noqa: TID251 - the broker's


async def test_what_is_committed_is_behind_it_and_the_oldest_is_the_first_that_is_not(
    kafka_bootstrap: str, kafka_prefix: str
) -> None:
    await ensure_topics(kafka_bootstrap, [TopicSpec(name=kafka_prefix, partitions=1)])
    await write(kafka_bootstrap, kafka_prefix, records=3)

    await commit(kafka_bootstrap, kafka_prefix, kafka_prefix, 2)
    async with open_reader(kafka_bootstrap, group=kafka_prefix) as reader:
        some = await read_lag(reader, kafka_prefix)
    await commit(kafka_bootstrap, kafka_prefix, kafka_prefix, 3)
    async with open_reader(kafka_bootstrap, group=kafka_prefix) as reader:
        none = await read_lag(reader, kafka_prefix)
        oldest = await oldest_open(reader, none)

    assert [each.lag for each in some.values()] == [1]
    assert [each.lag for each in none.values()] == [0]
    assert oldest is None


async def test_a_group_that_stands_beyond_the_end_begins_anew(
    kafka_bootstrap: str, kafka_prefix: str
) -> None:
    await ensure_topics(kafka_bootstrap, [TopicSpec(name=kafka_prefix, partitions=1)])
    await write(kafka_bootstrap, kafka_prefix, records=3)
    await commit(kafka_bootstrap, kafka_prefix, kafka_prefix, 77)

    async with open_reader(kafka_bootstrap, group=kafka_prefix) as reader:
        behind = await read_lag(reader, kafka_prefix)

    assert [each.lag for each in behind.values()] == [3]
