"""Recorded deliveries are read in one order, from where a replay was left, up to where it began."""

import secrets
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from reactor.adapters.archive_folder import FOLDER, ArchiveWriter
from reactor.adapters.archive_source import ArchiveSource
from reactor.adapters.clock import ManualClock
from reactor.adapters.memory_bodies import MemoryBodies
from reactor.adapters.sqlite_index import SqliteIndex, open_index
from reactor.delivery import Delivery
from reactor.payload import parse
from reactor.records import Batch, delivery_mark
from reactor.replay.folder import Cursor
from reactor.replay.run import Source
from reactor.replay.selection import Offsets, Selection
from reactor.testing import delivery, issue
from reactor.topic import Position
from reactor.wiring.replay_sources import (
    Chained,
    TopicSource,
    UnknownPartitions,
    folder_source,
    topic_extents,
)
from streams.codec import DeliveryCodec
from streams.packing import Packing
from streams.reader import TopicReader, open_reader
from streams.record import Outgoing
from streams.topics import TopicSpec, ensure_topics
from streams.writer import KafkaWriter

NOON = datetime(2026, 3, 14, 12, tzinfo=UTC)
CODEC = DeliveryCodec(parse=parse, packing=Packing(MemoryBodies()))

NewTopic = Callable[..., Awaitable[str]]


def some(count: int) -> list[Delivery]:
    return [
        replace(
            delivery("issues.opened", id=f"d-{n}", issue=issue(number=n)),
            received_at=NOON + timedelta(minutes=n),
        )
        for n in range(count)
    ]


async def ids(source: Source, cursor: Cursor | None = None) -> list[str]:
    found = source.records(cursor or {})
    return [came.delivery.id if came.delivery else "poison" async for came in found]


@pytest.fixture
async def new_topic(kafka_bootstrap: str) -> NewTopic:
    async def create(partitions: int) -> str:
        name = f"replayed-{secrets.token_hex(6)}"
        spec = TopicSpec(name=name, partitions=partitions, retention=timedelta(hours=1))
        await ensure_topics(kafka_bootstrap, [spec])
        return name

    return create


@pytest.fixture
async def writer(kafka_bootstrap: str) -> AsyncIterator[KafkaWriter]:
    writer = KafkaWriter(kafka_bootstrap, timeout_s=15)
    await writer.start()
    yield writer
    await writer.stop()


# The topic -----------------------------------------------------------------------------------


@asynccontextmanager
async def topic_source(
    reader: TopicReader, topic: str, meant: Selection | None = None
) -> AsyncIterator[TopicSource]:
    extents = await topic_extents(reader, topic, meant or Selection())
    yield TopicSource(reader=reader, codec=CODEC, extents=extents)


@pytest.mark.kafka
@pytest.mark.timeout(60)
async def test_a_topic_is_read_on_from_each_place_and_not_beyond_where_it_began(
    kafka_bootstrap: str, writer: KafkaWriter, new_topic: NewTopic
) -> None:
    topic = await new_topic(partitions=3)
    for each in some(12):
        await writer.write(topic, await CODEC.encode(each))
    await writer.write(topic, Outgoing(key=b"k", value=b"no delivery", headers=()))

    async with open_reader(kafka_bootstrap) as reader:
        async with topic_source(reader, topic) as source:
            came = [each async for each in source.records({})]
        for each in some(14)[12:]:
            await writer.write(topic, await CODEC.encode(each))
        async with topic_source(reader, topic) as later:
            rests = [await ids(later, came[at].cursor) for at in range(13)]
            everything = await ids(later)

    whole = [each.delivery.id if each.delivery else "poison" for each in came]
    assert source.total == 13
    assert sorted(whole) == sorted(["poison", *(f"d-{n}" for n in range(12))])
    assert rests == [whole[at + 1 :] for at in range(13)]
    assert len(everything) == 15


@pytest.mark.kafka
@pytest.mark.timeout(60)
async def test_offsets_of_a_partition_that_is_not_there_are_an_error(
    kafka_bootstrap: str, new_topic: NewTopic
) -> None:
    topic = await new_topic(2)
    meant = Selection(offsets={1: Offsets(0, 3), 2: Offsets(0, 3)})

    async with open_reader(kafka_bootstrap) as reader:
        with pytest.raises(UnknownPartitions, match=r"has no partition 2; it has 0 to 1"):
            await topic_extents(reader, topic, meant)


@pytest.mark.kafka
@pytest.mark.timeout(60)
async def test_offsets_are_those_of_their_partition(
    kafka_bootstrap: str, writer: KafkaWriter, new_topic: NewTopic
) -> None:
    topic = await new_topic(partitions=2)
    for each in some(12):
        await writer.write(topic, await CODEC.encode(each))
    meant = Selection(offsets={1: Offsets(1, 3)})

    async with open_reader(kafka_bootstrap) as reader, topic_source(reader, topic, meant) as source:
        came = [each async for each in source.records({})]

    assert [each.cursor["1"] for each in came] == [2, 3][: source.total]
    assert "0" not in came[0].cursor


# The data folder -----------------------------------------------------------------------------


@asynccontextmanager
async def archived(folder: Path, deliveries: list[Delivery]) -> AsyncIterator[SqliteIndex]:
    writer = ArchiveWriter(folder / FOLDER, ManualClock(NOON))
    for each in deliveries:
        await writer.append(each)
    await writer.close()
    async with open_index(folder) as index:
        async for batch in ArchiveSource(folder / FOLDER).batches({}):
            await index.add(batch)
        yield index


async def test_a_folder_is_read_by_when_things_were_received_and_each_thing_once(
    tmp_path: Path,
) -> None:
    deliveries = some(9)
    async with archived(tmp_path, [*deliveries[::-1], deliveries[3]]) as index:
        source = await folder_source([index, index], tmp_path / FOLDER, Selection())
        came = [each async for each in source.records({})]
        rest = await ids(source, came[4].cursor)

    assert [each.delivery for each in came] == deliveries
    assert source.total == 9
    assert rest == [f"d-{n}" for n in range(5, 9)]


async def test_of_a_folder_only_the_time_that_is_meant_is_read(tmp_path: Path) -> None:
    meant = Selection(since=NOON + timedelta(minutes=2), until=NOON + timedelta(minutes=4))

    async with archived(tmp_path, some(9)) as index:
        source = await folder_source([index], tmp_path / FOLDER, meant)

        assert await ids(source) == ["d-2", "d-3"]


async def test_of_two_sources_the_second_follows_and_each_place_is_found_again(
    tmp_path: Path,
) -> None:
    first, second = tmp_path / "a", tmp_path / "b"
    async with archived(first, some(3)) as one, archived(second, some(6)[3:]) as two:
        chained = Chained(
            await folder_source([one], first / FOLDER, Selection()),
            await folder_source([two], second / FOLDER, Selection()),
        )
        came = [each async for each in chained.records({})]
        rests = [await ids(chained, each.cursor) for each in came]

    whole = [f"d-{n}" for n in range(6)]
    assert [each.delivery.id for each in came if each.delivery] == whole
    assert rests == [whole[at + 1 :] for at in range(6)]
    assert chained.total == 6


async def test_what_is_on_a_topic_is_left_to_that_one(tmp_path: Path) -> None:
    async with archived(tmp_path, some(3)) as index:
        mark = replace(delivery_mark(some(3)[1]), position=Position("reactor.deliveries", 0, 7))
        await index.add(Batch(deliveries=[(mark, "")]))

        source = await folder_source([index], tmp_path / FOLDER, Selection(), only_there=True)

        assert await ids(source) == ["d-0", "d-2"]
