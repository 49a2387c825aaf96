"""A spool in front of a log: kept while the broker is away, in order when it is back."""

import asyncio
import os
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from reactor.adapters.file_spool import MIB, FileSpool, SpoolRefused, open_spool
from reactor.adapters.memory import MemoryDeliveryLog
from reactor.delivery import Delivery, digest
from reactor.errors import InfrastructureError
from reactor.payload import parse
from reactor.topic import Position, Topics
from streams.record import RecordTooLarge
from streams.spooling import Spooling, SpoolingDeliveryLog, spool_codec

MakeDelivery = Callable[..., Delivery]
Until = Callable[[Callable[[], bool]], Awaitable[None]]


class Broker(MemoryDeliveryLog):
    """A log that fails for single deliveries, or acknowledges when it is told to."""

    def __init__(self) -> None:
        super().__init__(Topics())
        self.refuses: dict[str, Exception] = {}
        self.held: set[str] = set()
        self.go_on = asyncio.Event()
        self.tried = 0

    async def append(self, delivery: Delivery) -> Position:
        self.tried += 1
        if delivery.id in self.held:
            await self.go_on.wait()
        if delivery.id in self.refuses:
            raise self.refuses[delivery.id]
        return await super().append(delivery)

    @property
    def ids(self) -> list[str]:
        return [delivery.id for delivery in self.deliveries]


@dataclass
class Gateway:
    """A spool between two logs, as a gateway has it."""

    spool: FileSpool
    broker: Broker = field(default_factory=Broker)
    signals: Broker = field(default_factory=Broker)
    asked: int = 0  # how often the broker was asked whether it is there
    is_deaf: bool = False  # Redis is away
    told: list[tuple[str, Position]] = field(default_factory=list)

    def __post_init__(self) -> None:
        codec = spool_codec(parse)
        self.spooling = Spooling(self.spool, codec, told=self.hear, answers=self.answers)
        self.log: SpoolingDeliveryLog = self.spooling.before(self.broker, name="deliveries")
        self.signal_log = self.spooling.before(self.signals, name="signals")

    async def hear(self, delivery: Delivery, position: Position) -> None:
        if self.is_deaf:
            raise InfrastructureError("redis", "away")
        self.told.append((delivery.id, position))

    async def answers(self) -> bool:
        self.asked += 1
        return not self.broker.is_down

    @asynccontextmanager
    async def draining(self) -> AsyncIterator[None]:
        task = asyncio.create_task(self.spooling.drain())
        try:
            yield
        finally:
            task.cancel()
            with suppress(asyncio.CancelledError):
                await task


@pytest.fixture
async def gateway(tmp_path: Path) -> AsyncIterator[Gateway]:
    async with open_spool(tmp_path / "spool", size_up_to=8 * MIB) as spool:
        yield Gateway(spool)


async def test_while_the_broker_answers_nothing_goes_through_the_spool(
    gateway: Gateway, make_delivery: MakeDelivery
) -> None:
    position = await gateway.log.append(make_delivery("d-1"))

    assert position == Position("reactor.deliveries", 0, 0)
    assert gateway.spool.is_empty


async def test_what_the_broker_does_not_take_is_kept_and_produced_as_it_was_when_it_is_back(
    gateway: Gateway, make_delivery: MakeDelivery, until: Until
) -> None:
    gateway.broker.is_down = True
    sent = [make_delivery(f"d-{number}", number=number) for number in range(5)]

    positions = [await gateway.log.append(each) for each in sent]

    assert positions == [None] * 5
    assert gateway.spool.size.items == 5

    async with gateway.draining():
        gateway.broker.is_down = False
        await until(lambda: gateway.spool.is_empty)

    assert gateway.broker.deliveries[0] == sent[0]
    assert sorted(gateway.broker.ids) == [each.id for each in sent]
    assert {at.offset: id for id, at in gateway.told} == dict(enumerate(gateway.broker.ids))


async def test_a_broker_that_does_not_answer_is_sent_nothing(
    gateway: Gateway, make_delivery: MakeDelivery, until: Until
) -> None:
    """What it is sent in vain would arrive once it is back: again and again the same."""
    gateway.broker.is_down = True
    await gateway.log.append(make_delivery("d-1"))

    async with gateway.draining():
        await until(lambda: gateway.asked >= 3)
        assert gateway.broker.tried == 1  # when it was appended
        gateway.broker.is_down = False
        await until(lambda: gateway.spool.is_empty)

    assert gateway.broker.ids == ["d-1"]


async def test_the_order_of_a_subject_is_kept_across_an_outage(
    gateway: Gateway, make_delivery: MakeDelivery, until: Until
) -> None:
    """Also for those that come while others still wait, and the broker is back already."""
    sent = [make_delivery(f"{number}-{turn}", number) for turn in range(40) for number in range(5)]

    async with gateway.draining():
        for count, each in enumerate(sent):
            gateway.broker.is_down = 20 < count < 110
            await gateway.log.append(each)
        await until(lambda: gateway.spool.is_empty)

    for number in range(5):
        expected = [f"{number}-{turn}" for turn in range(40)]
        assert [id for id in gateway.broker.ids if id.startswith(f"{number}-")] == expected


async def test_nothing_overtakes_what_is_still_waiting(
    gateway: Gateway, make_delivery: MakeDelivery, until: Until
) -> None:
    gateway.broker.is_down = True
    await gateway.log.append(make_delivery("first"))
    gateway.broker.is_down = False

    position = await gateway.log.append(make_delivery("second"))

    assert position is None
    async with gateway.draining():
        await until(lambda: gateway.spool.is_empty)
    assert gateway.broker.ids == ["first", "second"]


async def test_a_broker_that_fails_in_the_middle_gets_each_subject_in_order_all_the_same(
    gateway: Gateway, make_delivery: MakeDelivery, until: Until
) -> None:
    gateway.broker.is_down = True
    for turn in range(6):
        for number in range(4):
            await gateway.log.append(make_delivery(f"{number}-{turn}", number))
    gateway.broker.refuses = {"2-3": InfrastructureError("kafka", "only this once")}
    gateway.broker.is_down = False

    async with gateway.draining():
        await until(lambda: "3-5" in gateway.broker.ids)
        assert "2-4" not in gateway.broker.ids
        gateway.broker.refuses = {}
        await until(lambda: gateway.spool.is_empty)

    for number in range(4):
        lane = [id for id in gateway.broker.ids if id.startswith(f"{number}-")]
        assert list(dict.fromkeys(lane)) == [f"{number}-{turn}" for turn in range(6)]


async def test_what_waits_is_drained_after_a_restart(
    tmp_path: Path, make_delivery: MakeDelivery, until: Until
) -> None:
    async with open_spool(tmp_path, size_up_to=MIB) as spool:
        before = Gateway(spool)
        before.broker.is_down = before.signals.is_down = True
        await before.log.append(make_delivery("d-1"))
        await before.signal_log.append(make_delivery("s-1"))

    async with open_spool(tmp_path, size_up_to=MIB) as spool:
        after = Gateway(spool)
        async with after.draining():
            await until(lambda: after.spool.is_empty)

    assert (after.broker.ids, after.signals.ids) == (["d-1"], ["s-1"])


async def test_what_was_produced_and_not_yet_taken_comes_again_and_nothing_is_missing(
    tmp_path: Path, make_delivery: MakeDelivery, until: Until
) -> None:
    async with open_spool(tmp_path, size_up_to=MIB) as spool:
        before = Gateway(spool)
        before.broker.is_down = True
        for id in ("d-1", "d-2", "d-3"):
            await before.log.append(make_delivery(id))
        before.broker.is_down = False
        before.broker.held = {"d-2"}
        async with before.draining():
            await until(lambda: before.broker.ids == ["d-1"])

    async with open_spool(tmp_path, size_up_to=MIB) as spool:
        after = Gateway(spool)
        async with after.draining():
            await until(lambda: after.spool.is_empty)

    assert after.broker.ids == ["d-1", "d-2", "d-3"]


async def test_a_body_of_any_size_is_kept_without_a_server(
    gateway: Gateway, make_delivery: MakeDelivery, until: Until
) -> None:
    body = b'{"random":"' + os.urandom(3 * MIB // 2).hex().encode() + b'"}'
    sent = make_delivery("large", body=body, digest=digest(body))
    gateway.broker.is_down = True

    await gateway.log.append(sent)

    async with gateway.draining():
        gateway.broker.is_down = False
        await until(lambda: gateway.spool.is_empty)
    assert gateway.broker.deliveries == [sent]


async def test_a_full_spool_refuses_and_keeps_what_it_has(
    tmp_path: Path, make_delivery: MakeDelivery
) -> None:
    async with open_spool(tmp_path, size_up_to=2_000) as spool:
        gateway = Gateway(spool)
        gateway.broker.is_down = True
        await gateway.log.append(make_delivery("d-1"))
        large = make_delivery("d-2", body=b"x" * 2_000)

        with pytest.raises(SpoolRefused, match="full"):
            await gateway.log.append(large)

        assert spool.size.items == 1
        assert await gateway.log.append(make_delivery("d-3")) is None


async def test_a_delivery_that_no_broker_ever_takes_does_not_hold_up_those_behind_it(
    gateway: Gateway, make_delivery: MakeDelivery, until: Until, tmp_path: Path
) -> None:
    gateway.broker.is_down = True
    for id in ("d-1", "d-2", "d-3"):
        await gateway.log.append(make_delivery(id))
    gateway.broker.refuses = {"d-1": RecordTooLarge("t", 5), "d-2": ValueError("a bug")}

    async with gateway.draining():
        gateway.broker.is_down = False
        await until(lambda: gateway.spool.is_empty)

    assert gateway.broker.ids == ["d-3"]
    assert gateway.spooling.counts.set_aside == 2
    aside = [path.read_bytes() for path in (tmp_path / "spool" / "aside").iterdir()]
    assert sorted(item.count(b'"id": "d-1"') for item in aside) == [0, 1]


async def test_who_must_be_told_of_positions_may_be_away(
    gateway: Gateway, make_delivery: MakeDelivery, until: Until
) -> None:
    gateway.is_deaf = True
    gateway.broker.is_down = True
    await gateway.log.append(make_delivery("d-1"))

    async with gateway.draining():
        gateway.broker.is_down = False
        await until(lambda: gateway.spool.is_empty)

    assert gateway.broker.ids == ["d-1"]
