"""The index is made from the topics, or beside a broker that forgets from the archive."""

import asyncio
import secrets
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path

import pytest
from structlog.testing import capture_logs

from reactor.adapters.archive_folder import FOLDER, archived
from reactor.adapters.clock import SystemClock
from reactor.adapters.memory_records import MemoryRecords
from reactor.adapters.sqlite_records import FILE, NoIndex
from reactor.archive import write_archive
from reactor.children import free_port, start
from reactor.delivery import Delivery
from reactor.journal import JournalRecord
from reactor.records import Batch, DeliveryQuery, JournalQuery, delivery_mark
from reactor.settings import Settings, load
from reactor.testing import delivery, issue
from reactor.wiring.archiving import archiving
from reactor.wiring.indexing import all_sources, indexed, rebuild, topic_source
from reactor.wiring.kafka import KafkaParts, kafka_parts, large_bodies
from reactor.wiring.recorded import FolderArchive, records_of
from reactor.wiring.redis import RedisParts, redis_parts
from reactor.wiring.topic_source import TopicSource
from streams import embedded
from streams.record import Outgoing
from tests.fixtures.kafka_broker import broker_child
from tests.fixtures.site import until

pytestmark = [pytest.mark.kafka, pytest.mark.redis, pytest.mark.timeout(120)]

AT = SystemClock().now()  # what is older than the retention would go at once


@pytest.fixture
def settings(environ: dict[str, str], tmp_path: Path) -> Settings:
    return load(None, {**environ, "REACTOR_DATA": str(tmp_path / "data")})


@asynccontextmanager
async def connected(settings: Settings) -> AsyncIterator[tuple[RedisParts, KafkaParts]]:
    async with (
        redis_parts(settings) as redis,
        kafka_parts(settings, large_bodies(settings, redis)) as kafka,
    ):
        yield redis, kafka


def opened(name: str) -> Delivery:
    return replace(delivery("issues.opened", id=name, issue=issue("It crashes")), received_at=AT)


def records(process: str, number: int = 3) -> list[JournalRecord]:
    return [
        JournalRecord(process_id=process, seq=seq, kind="tick", at=AT, data={"chosen": "a.b"})
        for seq in range(1, number + 1)
    ]


async def test_both_topics_are_read_and_what_came_is_known_by_its_headers(
    settings: Settings,
) -> None:
    async with connected(settings) as (redis, kafka):
        position = await kafka.deliveries.append(opened("d-1"))
        await kafka.journal.publish([*records("p1"), *records("p2")])
        source = topic_source(settings, redis)

        index = await _indexed_by(source)
        again = await _indexed_by(source, index)
        await source.close()

    assert await index.of_process("p1") == records("p1")
    assert await index.delivery("github.com/d-1") == delivery_mark(opened("d-1"), position)
    assert again is index


async def test_a_place_is_where_it_goes_on(settings: Settings) -> None:
    async with connected(settings) as (redis, kafka):
        await kafka.journal.publish(records("p1"))
        first = topic_source(settings, redis)
        index = await _indexed_by(first)
        await first.close()
        await kafka.journal.publish(records("p2"))

        second = topic_source(settings, redis)
        new = [batch async for batch in second.batches(await index.places())]
        await second.close()

    assert [each.process_id for batch in new for each in batch.records] == ["p2"] * 3


async def test_what_can_not_be_read_is_told_and_passed_over(settings: Settings) -> None:
    async with connected(settings) as (redis, kafka):
        odd = Outgoing(key=b"p1", value=b"{]", headers=(("schema", b"2"),))
        await kafka.writer.write(kafka.topics.journal, odd)
        await kafka.writer.write(kafka.topics.deliveries, Outgoing(key=b"k", value=b"odd"))
        await kafka.journal.publish(records("p1"))
        source = topic_source(settings, redis)

        with capture_logs() as logs:
            index = await _indexed_by(source)
        await source.close()

    assert await index.of_process("p1") == records("p1")
    assert [log["event"] for log in logs].count("journal_record_unreadable") == 1


async def test_a_broker_that_began_anew_is_read_from_its_beginning(
    redis_url: str, redis_prefix: str
) -> None:
    port = free_port()
    settings = _beside(embedded.bootstrap(port), redis_url, redis_prefix)
    broker = await start(broker_child(port), {})
    async with connected(settings) as (redis, kafka):
        await kafka.journal.publish(records("p1", 1))
        source = topic_source(settings, redis)
        index = await _indexed_by(source)
        await source.close()
    await broker.stop()
    again = await start(broker_child(port), {})

    async with connected(settings) as (redis, kafka):
        # in the same partition, and beyond where the old one was read to
        for process in ("p1", "p1"):
            await kafka.journal.publish(
                [replace(each, seq=each.seq + 100) for each in records(process)]
            )
        source = topic_source(settings, redis)
        with capture_logs() as logs:
            await _indexed_by(source, index)
        await source.close()
    await again.stop()

    assert [each.seq for each in await index.of_process("p1")] == [1, 101, 102, 103]
    assert "topic_begun_anew" in [log["event"] for log in logs]


async def test_the_console_indexes_what_comes_while_it_runs(settings: Settings) -> None:
    async with connected(settings) as (redis, kafka), indexed(settings, redis):
        await _fill(settings, kafka)

        await until(lambda: _has(settings, "p1", 3))

        found = await records_of(settings).deliveries(DeliveryQuery())
        assert [mark.key for mark in found.deliveries] == ["github.com/d-1"]


async def test_an_index_that_somebody_took_away_is_made_anew_while_the_console_runs(
    settings: Settings,
) -> None:
    async with connected(settings) as (redis, kafka), indexed(settings, redis):
        await _fill(settings, kafka)
        await until(lambda: _has(settings, "p1", 3))

        rebuilt = await rebuild(settings)  # the console holds it, so it is told to

        assert rebuilt.is_left_to_console
        await until(lambda: _has(settings, "p1", 3))


async def test_it_is_rebuilt_from_what_there_is(settings: Settings, tmp_path: Path) -> None:
    async with connected(settings) as (_, kafka):
        await _fill(settings, kafka)
    (tmp_path / "data" / FOLDER).mkdir(parents=True, exist_ok=True)
    await asyncio.to_thread(
        write_archive,
        tmp_path / "data" / FOLDER / "import-1.jsonl.gz",
        [opened("d-2"), *records("p2", 1)],
    )

    first = await rebuild(settings)
    (tmp_path / "data" / FILE).write_bytes(b"ruined" * 1000)
    second = await rebuild(settings)

    assert (first.added, first.trouble) == (second.added, second.trouble) == (6, "")
    assert len((await records_of(settings).find(JournalQuery())).records) == 4


async def test_beside_a_broker_that_forgets_everything_is_archived_first(
    settings: Settings,
) -> None:
    async with connected(settings) as (redis, kafka):
        if not await kafka.keeping.is_needed():
            pytest.skip("this broker keeps its records itself")
        async with archiving(settings, kafka, SystemClock()) as (archived_kafka, hear):
            await hear(opened("d-1"))
            await hear(replace(opened("d-2"), source="signal"))
            await archived_kafka.journal.publish(records("p1"))
            kept = list(archived(settings.data / FOLDER))  # type: ignore[operator]

        assert kept == [opened("d-1"), *records("p1")]
        async with all_sources(settings, redis) as sources:
            index = MemoryRecords()
            for source in sources:
                async for batch in source.batches({}):
                    await index.add(batch)
        assert await index.of_process("p1") == records("p1")


async def test_what_came_is_read_from_the_archive_by_its_key(settings: Settings) -> None:
    folder = settings.data / FOLDER  # type: ignore[operator]
    await asyncio.to_thread(folder.mkdir, parents=True)
    await asyncio.to_thread(
        write_archive, folder / "kept-1.jsonl.gz", [opened("d-1"), opened("d-2")]
    )
    alone = settings.model_copy(
        update={"kafka": settings.kafka.model_copy(update={"bootstrap_servers": None})}
    )

    await rebuild(alone)

    assert await FolderArchive(settings).read("github.com/d-2") == opened("d-2")
    assert await FolderArchive(settings).read("github.com/d-3") is None


async def _fill(settings: Settings, kafka: KafkaParts) -> None:
    """As a worker does."""
    async with archiving(settings, kafka, SystemClock()) as (archived_kafka, hear):
        await kafka.deliveries.append(opened("d-1"))
        await hear(opened("d-1"))
        await archived_kafka.journal.publish(records("p1"))


async def _has(settings: Settings, process: str, number: int) -> bool:
    try:
        return len(await records_of(settings).of_process(process)) == number
    except NoIndex:  # it is being made
        return False


async def _indexed_by(source: TopicSource, index: MemoryRecords | None = None) -> MemoryRecords:
    index = index or MemoryRecords()
    batches: list[Batch] = [batch async for batch in source.batches(await index.places())]
    for batch in batches:
        await index.add(batch)
    return index


def _beside(bootstrap: str, redis_url: str, redis_prefix: str) -> Settings:
    return load(
        None,
        {
            "KAFKA_BOOTSTRAP_SERVERS": bootstrap,
            "REDIS_URL": redis_url,
            "REACTOR_KAFKA_PREFIX": f"index-{secrets.token_hex(6)}",
            "REACTOR_REDIS_PREFIX": redis_prefix,
        },
    )
