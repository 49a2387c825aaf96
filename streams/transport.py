"""Faust's Kafka transport with three of its habits changed.

- It lets the broker wait up to 1,500 ms before it answers an empty fetch, and offers no setting.
  A broker that looks again only after half that time (the embedded one) then delivers with a
  median of 390 ms; with 25 ms it is 8 ms.  On Apache Kafka, which answers at once when a record
  comes, the shorter wait costs some empty answers.
- Its livelock detector logs errors about partitions that are merely quiet, and about offsets
  that it believes uncommitted because this package commits them itself.  `streams.watch` looks
  after progress instead.
- It says goodbye to the consumer group when it stops.  The embedded broker, told so by the leader
  of a group that another member is just joining, waits for that leader for ever, and nobody gets
  in again.  There we go without a word, and are missed after the session time-out.

All three reach into Faust, which is why its version is pinned.
"""

import asyncio
from collections.abc import Mapping
from contextlib import suppress

from aiokafka import AIOKafkaConsumer, TopicPartition
from aiokafka.errors import CommitFailedError, IllegalStateError
from aiokafka.structs import OffsetAndMetadata
from faust.transport.drivers.aiokafka import AIOKafkaConsumerThread, Consumer, Transport
from faust.types import TP


class QuickThread(AIOKafkaConsumerThread):  # type: ignore[misc]  # Faust is not type-checked
    """Where Faust makes its aiokafka consumer."""

    def _create_worker_consumer(self, transport: "QuickTransport") -> AIOKafkaConsumer:
        consumer = super()._create_worker_consumer(transport)
        consumer._fetch_max_wait_ms = transport.fetch_max_wait_ms  # read when it starts
        return consumer

    async def on_start(self) -> None:
        """Start the consumer."""
        await super().on_start()
        if not self.transport.leaves_group:
            self._consumer._coordinator._maybe_leave_group = _stay

    async def commit_settled(self, offsets: Mapping[TP, int]) -> bool:
        """Commit the offsets of partitions that are ours; see `FaustHost.commit`.

        Faust's own commit crashes the whole app when none of them is, and when a rebalance has
        overtaken it.
        """
        consumer = self._consumer
        ours = {
            TopicPartition(*tp): OffsetAndMetadata(offset, "")
            for tp, offset in offsets.items()
            if tp in self.assignment()
        }
        if not ours or consumer._coordinator.generation < 0:  # -1 after a session that timed out
            return False
        try:
            await consumer.commit(ours)
        except (CommitFailedError, IllegalStateError):
            return False
        return True

    async def on_thread_stop(self) -> None:
        """Stop the consumer.

        aiokafka, stopped while it waits for a broker that is gone, raises what it cancelled
        itself; the thread would then never be reported as ended.
        """
        with suppress(asyncio.CancelledError):
            await super().on_thread_stop()
            return
        await self._consumer._client.close()


class QuickConsumer(Consumer):  # type: ignore[misc]
    """Faust's consumer, in that thread, without the livelock detector."""

    def _new_consumer_thread(self) -> QuickThread:
        return QuickThread(self, loop=self.loop, beacon=self.beacon)

    async def commit_settled(self, offsets: Mapping[TP, int]) -> bool:
        """The same, from the loop of the app."""
        return bool(await self._thread.call_thread(self._thread.commit_settled, offsets))

    def verify_event_path(self, now: float, tp: TP) -> None:
        """Nothing: see above."""


class QuickTransport(Transport):  # type: ignore[misc]
    """The transport that makes such consumers."""

    Consumer = QuickConsumer
    fetch_max_wait_ms = 25
    leaves_group = True


async def _stay() -> None:
    """In the group, until the session times out."""
