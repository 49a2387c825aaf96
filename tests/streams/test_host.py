"""The Faust app of a worker, where its broker does not know of the topics yet."""

import os
from collections.abc import Awaitable, Callable, Iterable, Mapping
from dataclasses import replace

import pytest

from streams.host import FaustHost, HostSettings
from streams.record import Record
from streams.topics import TopicSpec, ensure_topics
from streams.window import Partition

pytestmark = [pytest.mark.kafka, pytest.mark.timeout(60)]

Until = Callable[[Callable[[], bool]], Awaitable[None]]


async def nothing(_record: Record) -> None:
    """Take it."""


async def at_once(_partitions: Iterable[Partition]) -> Mapping[Partition, int]:
    return {}


@pytest.mark.skipif(
    "KAFKA_BOOTSTRAP_SERVERS" not in os.environ,  # noqa: TID251 - of the test run
    reason="the embedded broker makes each topic that it is asked for: this needs Apache Kafka",
)
async def test_topics_that_come_to_be_known_later_are_shared_out_within_seconds(
    host: HostSettings, kafka_bootstrap: str, kafka_prefix: str, until: Until
) -> None:
    topic = f"{kafka_prefix}.later"
    made = FaustHost(replace(host, topics=(topic,)), admit=nothing, release=at_once)
    await made.start()
    try:
        before = made.assignment()

        await ensure_topics(kafka_bootstrap, [TopicSpec(name=topic, partitions=3)])
        await until(lambda: made.assignment() == {Partition(topic, n) for n in range(3)})
    finally:
        await made.stop()
    assert before == set()
