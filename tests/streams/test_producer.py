import os
from collections.abc import Awaitable, Callable
from datetime import UTC, datetime

import pytest

from reactor.adapters.memory_bodies import MemoryBodies
from reactor.delivery import Delivery, digest
from reactor.journal import JournalRecord
from reactor.payload import parse
from reactor.topic import DeadLetter
from streams.codec import DeliveryCodec
from streams.journal import JournalCodec
from streams.letters import LetterCodec
from streams.packing import Packing
from streams.producer import KafkaDeadLetters, KafkaDeliveryLog, KafkaJournalLog
from streams.reader import open_reader
from streams.writer import KafkaWriter

NewTopic = Callable[..., Awaitable[str]]
MakeDelivery = Callable[..., Delivery]

pytestmark = [pytest.mark.kafka, pytest.mark.timeout(60)]


async def test_an_appended_delivery_is_read_at_its_position(
    kafka_bootstrap: str,
    writer: KafkaWriter,
    codec: DeliveryCodec,
    new_topic: NewTopic,
    make_delivery: MakeDelivery,
) -> None:
    log = KafkaDeliveryLog(writer, codec, topic=await new_topic(partitions=4))
    delivery = make_delivery("d-1")

    position = await log.append(delivery)

    async with open_reader(kafka_bootstrap) as reader:
        record = await reader.at(position)
    assert record
    assert await codec.decode(record) == delivery


async def test_a_body_of_25_mib_that_does_not_compress_comes_through_whole(
    kafka_bootstrap: str, writer: KafkaWriter, new_topic: NewTopic, make_delivery: MakeDelivery
) -> None:
    # the digits of a random number: what a hostile sender would use to fill the broker
    text = os.urandom(13 * 1024 * 1024 - 512).hex()[: 25 * 1024 * 1024 - 13]
    body = b'{"random":"' + text.encode() + b'"}'
    codec = DeliveryCodec(parse=parse, packing=Packing(MemoryBodies()))
    log = KafkaDeliveryLog(writer, codec, topic=await new_topic())
    delivery = make_delivery(body=body, digest=digest(body))
    assert len(body) == 25 * 1024 * 1024

    position = await log.append(delivery)

    async with open_reader(kafka_bootstrap) as reader:
        record = await reader.at(position)
    assert record
    assert record.size < 1_048_576
    assert await codec.decode(record) == delivery


async def test_a_buried_letter_can_be_dug_up(
    kafka_bootstrap: str, writer: KafkaWriter, packing: Packing, new_topic: NewTopic
) -> None:
    codec = LetterCodec(packing)
    letters = KafkaDeadLetters(writer, codec, topic=await new_topic("dead"))
    letter = DeadLetter(reason="conflict", detail="why", key=b"k", body=b"{}", attempts=2)

    position = await letters.bury(letter)

    async with open_reader(kafka_bootstrap) as reader:
        record = await reader.at(position)
    assert record
    assert await codec.decode(record) == letter


async def test_the_records_of_a_process_lie_in_order_in_one_partition(
    kafka_bootstrap: str, writer: KafkaWriter, packing: Packing, new_topic: NewTopic
) -> None:
    topic = await new_topic("journal", partitions=4)
    codec = JournalCodec(packing)
    records = [
        JournalRecord(
            process_id=f"p-{seq % 2}",
            seq=seq,
            kind="tick",
            at=datetime(2026, 1, 1, tzinfo=UTC),
            data={"note": "x" * 2_000},
        )
        for seq in range(1, 101)
    ]

    await KafkaJournalLog(writer, codec, topic=topic).publish(records)

    async with open_reader(kafka_bootstrap) as reader:
        read = [
            each for found in await reader.read_all(topic) for each in await codec.decode(found)
        ]
    for process in ("p-0", "p-1"):
        assert [r for r in read if r.process_id == process] == [
            r for r in records if r.process_id == process
        ]
