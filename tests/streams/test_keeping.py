"""Records beside a broker that forgets: kept from before they are written until they are settled."""

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime

import pytest

from reactor.adapters.memory_bodies import MemoryBodies
from reactor.adapters.memory_shelf import MemoryShelf
from reactor.delivery import Delivery
from reactor.errors import InfrastructureError
from reactor.payload import parse
from reactor.topic import DeadLetter, GivenUp, Position
from streams.codec import DeliveryCodec
from streams.frames import Frame, unpack
from streams.keeping import KeepingDeadLetters, KeepingWriter, put_back
from streams.letters import LetterCodec, again
from streams.packing import Packing
from streams.producer import KafkaDeliveryLog
from streams.record import Outgoing, Record, raw
from streams.refusal import letter_for

MakeDelivery = Callable[..., Delivery]


class Broker:
    """A broker in memory, which can forget and be away."""

    def __init__(self) -> None:
        self.is_down = False
        self.records: list[tuple[str, Outgoing]] = []

    async def write(self, topic: str, *records: Outgoing) -> list[Position]:
        if self.is_down:
            raise InfrastructureError("kafka", "away")
        begin = len(self.records)
        self.records += [(topic, record) for record in records]
        return [Position(topic, 0, begin + number) for number in range(len(records))]

    def read(self, position: Position) -> Record:
        _, record = self.records[position.offset]
        return Record(
            position=position,
            key=record.key,
            value=record.value,
            headers=record.headers,
            written_at=datetime(2026, 1, 1, tzinfo=UTC),
        )


@dataclass
class Site:
    """A log and dead letters over such a broker."""

    does_forget: bool = True
    asked: int = 0
    broker: Broker = field(default_factory=Broker)
    shelf: MemoryShelf = field(default_factory=MemoryShelf)

    def __post_init__(self) -> None:
        packing = Packing(MemoryBodies())
        self.codec, letters = DeliveryCodec(parse=parse, packing=packing), LetterCodec(packing)
        self.writer = KeepingWriter(self.broker, self.shelf, forgets=self.forgets)
        self.log = KafkaDeliveryLog(self.writer, self.codec, topic="deliveries")
        self.dead = KeepingDeadLetters(
            self.writer, letters, topic="dead", letter_id=lambda letter: letter.detail
        )

    async def forgets(self) -> bool:
        self.asked += 1
        return self.does_forget

    async def append(self, delivery: Delivery) -> Position:
        position = await self.log.append(delivery)
        assert position
        return position

    async def shelved(self) -> list[Frame]:
        return [unpack(item) async for item in self.shelf.items()]

    async def put_back(self, told: list[tuple[Outgoing, Position]]) -> int:
        async def hear(record: Outgoing, position: Position) -> None:
            told.append((record, position))

        return await put_back(self.shelf, self.broker, told=hear)


async def test_an_accepted_delivery_is_on_the_shelf_until_it_is_settled(
    make_delivery: MakeDelivery,
) -> None:
    site = Site()
    sent = make_delivery("d-1")

    position = await site.append(sent)

    assert await site.shelved() == [Frame("deliveries", site.broker.records[0][1])]

    await site.writer.settled(await site.codec.decode(site.broker.read(position)), position)

    assert await site.shelved() == []


async def test_it_is_on_the_shelf_before_the_broker_has_it(make_delivery: MakeDelivery) -> None:
    site = Site()
    site.broker.is_down = True

    with pytest.raises(InfrastructureError):
        await site.append(make_delivery("d-1"))

    assert [frame.topic for frame in await site.shelved()] == ["deliveries"]


async def test_what_the_shelf_does_not_take_is_not_written(make_delivery: MakeDelivery) -> None:
    site = Site()
    site.shelf.is_down = True

    with pytest.raises(InfrastructureError):
        await site.append(make_delivery("d-1"))

    assert site.broker.records == []


async def test_beside_a_broker_that_keeps_its_records_there_is_no_shelf(
    make_delivery: MakeDelivery,
) -> None:
    site = Site(does_forget=False)
    site.shelf.is_down = True
    sent = make_delivery("d-1")

    position = await site.append(sent)
    await site.writer.settled(sent, position)

    assert len(site.broker.records) == 1
    assert site.asked == 1


async def test_a_broker_that_has_forgotten_everything_gets_back_what_is_not_settled_in_order(
    make_delivery: MakeDelivery,
) -> None:
    site = Site()
    sent = [make_delivery(f"d-{number}", number=number % 3) for number in range(150)]
    positions = [await site.append(each) for each in sent]
    for number in range(0, 150, 2):
        await site.writer.settled(sent[number], positions[number])
    site.broker.records.clear()
    told: list[tuple[Outgoing, Position]] = []

    count = await site.put_back(told)

    found = [
        await site.codec.decode(site.broker.read(Position("deliveries", 0, offset)))
        for offset in range(len(site.broker.records))
    ]
    assert count == 75
    assert found == sent[1::2]
    assert [site.broker.records[at.offset][1] for _, at in told] == [record for record, _ in told]


async def test_a_record_that_is_given_up_makes_room_for_its_letter(
    make_delivery: MakeDelivery,
) -> None:
    site = Site()
    position = await site.append(make_delivery("d-1"))

    await site.dead.bury(letter_for(site.broker.read(position), GivenUp("no use"), 3))

    assert [frame.topic for frame in await site.shelved()] == ["dead"]


async def test_a_record_that_is_no_delivery_makes_room_for_its_letter_as_well() -> None:
    site = Site()
    odd = Outgoing(key=None, value=b"not JSON", headers=raw({"b": "2", "a": "\udcff"}))
    (position,) = await site.writer.write("signals", odd)

    await site.dead.bury(letter_for(site.broker.read(position), GivenUp("no use"), 3))

    assert [frame.topic for frame in await site.shelved()] == ["dead"]


async def test_a_letter_without_a_record_is_kept_until_somebody_has_seen_to_it() -> None:
    site = Site()
    await site.dead.bury(DeadLetter(reason="conflict", detail="why", key=b"k", body=b"{}"))

    assert [frame.topic for frame in await site.shelved()] == ["dead"]

    await site.writer.remove("dead|why")

    assert await site.shelved() == []


async def test_the_next_attempt_at_a_record_is_kept_and_settled_as_its_own(
    make_delivery: MakeDelivery,
) -> None:
    site = Site()
    position = await site.append(make_delivery("d-1"))
    letter = letter_for(site.broker.read(position), GivenUp("no use"), 3)

    (second,) = await site.writer.write("signals", again(letter))
    read = await site.codec.decode(site.broker.read(second))
    await site.writer.settled(read, second)

    assert read == replace(make_delivery("d-1"), attempt=2)
    assert [frame.topic for frame in await site.shelved()] == ["deliveries"]


async def test_items_of_another_version_stay_and_hold_up_nobody(
    make_delivery: MakeDelivery,
) -> None:
    site = Site()
    await site.shelf.put("odd", b"\x63 of a version to come")
    await site.append(make_delivery("d-1"))
    site.broker.records.clear()

    assert await site.put_back([]) == 1
    assert len([item async for item in site.shelf.items()]) == 2
