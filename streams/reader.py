"""Reading a topic without a consumer group: no offset is moved, no live consumer is disturbed.

For replay, for explaining, for counting.  The end of a partition is taken from the high-water
mark of a fetch, for not every broker tells it right when asked directly.
"""

import asyncio
from collections import deque
from collections.abc import AsyncGenerator, AsyncIterator, Iterable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from aiokafka import AIOKafkaConsumer, ConsumerRecord, TopicPartition

from reactor.errors import InfrastructureError
from reactor.topic import Position
from streams.broker import Broker
from streams.record import Record
from streams.starting import start_client
from streams.trouble import as_infrastructure
from streams.window import Partition

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_POLL_MS = 200
_POLLS = 50  # without an answer, after which the broker counts as away: 10 s


@dataclass(frozen=True, slots=True)
class Extent:
    """The offsets that a partition holds."""

    begin: int  # of the oldest record
    end: int  # the next one to be written


class TopicReader:
    """Reads topics; made by `open_reader`."""

    def __init__(self, consumer: AIOKafkaConsumer) -> None:
        self._consumer = consumer

    async def extents(self, *topics: str) -> dict[Partition, Extent]:
        """What each partition of the topics holds now.  A topic that is not there has none.

        Raises `InfrastructureError`.
        """
        with as_infrastructure("asking for offsets"):
            partitions = await self._known(topics)
            begins = await self._consumer.beginning_offsets(partitions)
            listed = await self._consumer.end_offsets(partitions)
            ends = {tp: end for tp, end in listed.items() if end <= begins[tp]}
            ends |= await self._high_waters(
                {tp: end - 1 for tp, end in listed.items() if end > begins[tp]}
            )
        return {Partition(*tp): Extent(begins[tp], ends[tp]) for tp in partitions}

    async def committed(self, partitions: Iterable[Partition]) -> dict[Partition, int | None]:
        """What the group has committed; None where it never has.  Moves nothing, joins nothing.

        Only of a reader that was opened for a group.  Raises `InfrastructureError`.
        """
        with as_infrastructure("asking for committed offsets"):
            return {
                partition: await self._consumer.committed(TopicPartition(*partition))
                for partition in partitions
            }

    async def count(self, *topics: str) -> int:
        """How many records the topics hold, if they are neither compacted nor transactional."""
        extents = await self.extents(*topics)
        return sum(extent.end - extent.begin for extent in extents.values())

    async def read(self, extents: Mapping[Partition, Extent]) -> AsyncGenerator[Record, None]:
        """The records in these ranges, in order per partition.  Raises `InfrastructureError`."""
        left = {
            TopicPartition(*partition): extent.end
            for partition, extent in extents.items()
            if extent.begin < extent.end
        }
        self._consumer.assign(list(left))
        for tp in left:
            self._consumer.seek(tp, extents[Partition(*tp)].begin)
        silent = 0
        while left:
            with as_infrastructure("reading"):
                batches = await self._consumer.getmany(*left, timeout_ms=_POLL_MS)
            silent = 0 if batches else silent + 1
            if silent == _POLLS:
                raise InfrastructureError("kafka", f"no record from {sorted(left)}")
            for tp, messages in batches.items():
                for message in messages:
                    if message.offset < left[tp]:
                        yield record_of(message)
            for tp in [tp for tp, end in left.items() if await self._consumer.position(tp) >= end]:
                del left[tp]

    async def merged(self, extents: Mapping[Partition, Extent]) -> AsyncIterator[Record]:
        """The records in these ranges, of all partitions the oldest first: the same each time.

        In order per partition, whatever their times say.  Few are held: a partition is asked for
        more once nothing of it is left.  Raises `InfrastructureError`.
        """
        left = {
            TopicPartition(*partition): extent.end
            for partition, extent in extents.items()
            if extent.begin < extent.end
        }
        self._consumer.assign(list(left))
        for tp in left:
            self._consumer.seek(tp, extents[Partition(*tp)].begin)
        held: dict[TopicPartition, deque[Record]] = {tp: deque() for tp in left}
        while held:
            await self._fill(held, left)
            held = {tp: records for tp, records in held.items() if records}
            while held and all(held.values()):
                tp = min(held, key=lambda tp: (held[tp][0].written_at, tp.partition))
                yield held[tp].popleft()

    async def _fill(
        self,
        held: Mapping[TopicPartition, deque[Record]],
        left: dict[TopicPartition, int],
    ) -> None:
        """Fetch until each partition of which something is left has a record."""
        silent = 0
        while hungry := [tp for tp, records in held.items() if not records and tp in left]:
            with as_infrastructure("reading"):
                batches = await self._consumer.getmany(*hungry, timeout_ms=_POLL_MS)
            silent = 0 if batches else silent + 1
            if silent == _POLLS:
                raise InfrastructureError("kafka", f"no record from {sorted(hungry)}")
            for tp, messages in batches.items():
                held[tp].extend(record_of(each) for each in messages if each.offset < left[tp])
            for tp in hungry:
                if await self._consumer.position(tp) >= left[tp]:
                    del left[tp]

    async def since(self, partition: Partition, extent: Extent, moment: datetime) -> int:
        """The first offset from which on records may have been written at that moment or later.

        By the times of the records: not every broker that is asked for it tells it right.
        Raises `InfrastructureError`.
        """
        low, high = extent.begin, extent.end
        while low < high:
            middle = (low + high) // 2
            wanted = {partition: Extent(middle, extent.end)}
            records = self.read(wanted)
            found = await anext(records, None)
            await records.aclose()
            if found is None or found.written_at >= moment:
                high = middle
            else:
                low = found.position.offset + 1
        return low

    async def read_all(self, *topics: str) -> list[Record]:
        """Every record that the topics hold now; for small ones."""
        return [record async for record in self.read(await self.extents(*topics))]

    async def at(self, position: Position) -> Record | None:
        """The record that lies there, or None where there is none (any more)."""
        partition = Partition(position.topic, position.partition)
        extent = (await self.extents(position.topic)).get(partition)
        if extent is None or not extent.begin <= position.offset < extent.end:
            return None
        wanted = {partition: Extent(position.offset, position.offset + 1)}
        return next(iter([record async for record in self.read(wanted)]), None)

    async def _known(self, topics: Iterable[str]) -> list[TopicPartition]:
        """Their partitions; asks for all topics, since asking for one by name may create it."""
        # `topics()` asks the same, but Apache Kafka's answer to it leaves our own view without partitions
        cluster = await self._consumer._client.fetch_all_metadata()
        return [
            TopicPartition(topic, number)
            for topic in topics
            for number in sorted(cluster.partitions_for_topic(topic) or ())
        ]

    async def _high_waters(self, starts: Mapping[TopicPartition, int]) -> dict[TopicPartition, int]:
        """Fetch from each start, and take what the broker then says is the end."""
        self._consumer.assign(list(starts))
        for tp, start in starts.items():
            self._consumer.seek(tp, start)
        for _ in range(_POLLS):
            marks = {tp: self._consumer.highwater(tp) for tp in starts}
            if None not in marks.values():
                return {tp: int(mark) for tp, mark in marks.items()}
            await self._consumer.getmany(timeout_ms=_POLL_MS)
        raise InfrastructureError("kafka", f"no high-water mark for {sorted(starts)}")


@asynccontextmanager
async def open_reader(
    bootstrap: Broker | str, *, group: str | None = None
) -> AsyncIterator[TopicReader]:
    """A reader, for as long as the block lasts.  Raises `InfrastructureError`.

    `group`: whose committed offsets can be asked for; the reader is no member of it.
    """
    consumer = AIOKafkaConsumer(
        **Broker.at(bootstrap).client_options(),
        group_id=group,
        enable_auto_commit=False,
        auto_offset_reset="earliest",
        fetch_max_wait_ms=25,
        request_timeout_ms=10_000,
    )
    try:
        with as_infrastructure("connecting"):
            await start_client(consumer)
        await asyncio.sleep(0)  # aiokafka can't stop a task that has not begun: it raises Cancelled
        yield TopicReader(consumer)
    finally:
        await consumer.stop()


def record_of(message: ConsumerRecord) -> Record:
    """An aiokafka record as ours."""
    return Record(
        position=Position(message.topic, message.partition, message.offset),
        key=message.key,
        value=message.value or b"",
        headers=tuple((name, value or b"") for name, value in message.headers),
        written_at=_EPOCH + timedelta(milliseconds=max(message.timestamp, 0)),
    )
