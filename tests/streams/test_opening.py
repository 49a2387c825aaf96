"""A broker is opened before it is written to, sooner or later."""

import asyncio
from collections.abc import Awaitable, Callable

import pytest

from reactor.children import start
from reactor.errors import InfrastructureError
from streams import embedded
from streams.opening import Opening
from streams.record import Outgoing
from streams.topics import TopicMismatch, TopicSpec
from streams.writer import KafkaWriter
from tests.fixtures.kafka_broker import broker_child

Until = Callable[[Callable[[], bool]], Awaitable[None]]

pytestmark = [pytest.mark.kafka, pytest.mark.timeout(60)]

RECORD = Outgoing(key=b"k", value=b"{}")


def topic(prefix: str, partitions: int = 2) -> TopicSpec:
    return TopicSpec(name=f"{prefix}.deliveries", partitions=partitions)


async def test_an_open_broker_has_its_topics_and_is_known(
    kafka_bootstrap: str, kafka_prefix: str, writer: KafkaWriter
) -> None:
    opening = Opening(kafka_bootstrap, [topic(kafka_prefix)])

    await opening.open(within_s=30)

    assert opening.is_open
    assert await opening.forgets() is opening.is_embedded
    (position,) = await opening.gate(writer).write(f"{kafka_prefix}.deliveries", RECORD)
    assert position.partition in (0, 1)


async def test_what_no_waiting_mends_is_told_at_once(
    kafka_bootstrap: str, kafka_prefix: str
) -> None:
    await Opening(kafka_bootstrap, [topic(kafka_prefix)]).open(within_s=30)

    with pytest.raises(TopicMismatch):
        await Opening(kafka_bootstrap, [topic(kafka_prefix, 3)]).open(within_s=30)


async def test_a_broker_that_is_away_is_opened_when_it_comes_and_not_written_to_before(
    own_broker_port: int, until: Until
) -> None:
    bootstrap = embedded.bootstrap(own_broker_port)
    writer = KafkaWriter(bootstrap, timeout_s=15, idempotent=False)
    opening = Opening(bootstrap, [topic("later")])
    gated = opening.gate(writer)
    with pytest.raises(InfrastructureError):
        await opening.open(within_s=0.2)
    later = asyncio.create_task(opening.open_at_last())

    with pytest.raises(InfrastructureError, match="it has not answered since we have begun"):
        await gated.write("later.deliveries", RECORD)
    with pytest.raises(InfrastructureError):
        await opening.forgets()

    broker = await start(broker_child(own_broker_port), {})
    await until(lambda: opening.is_open)
    (position,) = await gated.write("later.deliveries", RECORD)
    assert (position.topic, position.offset) == ("later.deliveries", 0)
    assert await opening.forgets()
    await later
    await writer.stop()
    await broker.stop()
