"""Timers fire: once each, in order, whatever happens in between."""

import asyncio
import json
from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta

import pytest

from reactor.adapters.clock import ManualClock
from reactor.adapters.memory import MemoryClaims, MemoryDeliveryLog
from reactor.adapters.memory_timers import MemoryTimers
from reactor.delivery import Delivery, Subject
from reactor.errors import InfrastructureError, ReactorError
from reactor.firing import Firing, record_of
from reactor.signal import Signal, read_signal
from reactor.timer import Cron, Every, Timer
from reactor.topic import Position
from streams.record import RecordTooLarge

MINUTE = timedelta(minutes=1)


class Told:
    """What was told of timers, by their ids."""

    def __init__(self) -> None:
        self.timers: list[str] = []
        self.given_up: list[str] = []

    def fired(self, timer: Timer, delivery: Delivery) -> None:
        self.timers.append(timer.id)

    def gave_up(self, timer: Timer, error: ReactorError) -> None:
        self.given_up.append(timer.id)


class Picky(MemoryDeliveryLog):
    """Takes no record of a timer called "large"."""

    async def append(self, delivery: Delivery) -> Position:
        if delivery.action == "large":
            raise RecordTooLarge("reactor.deliveries", 10**9)
        return await super().append(delivery)


class Site:
    """All that timers are fired with, in memory."""

    def __init__(self) -> None:
        self.clock = ManualClock()
        self.timers = MemoryTimers(self.clock)
        self.deliveries, self.signals = MemoryDeliveryLog(), MemoryDeliveryLog()
        self.claims = MemoryClaims(self.clock)
        self.told = Told()

    def firing(self, owner: str = "a") -> Firing:
        return Firing(
            timers=self.timers,
            deliveries=self.deliveries,
            signals=self.signals,
            claims=self.claims,
            clock=self.clock,
            owner=owner,
            observer=self.told,
            look_every_s=0,
        )

    def timer(self, name: str = "nightly", **more: object) -> Timer:
        fields: dict[str, object] = {
            "id": f"settings:{name}",
            "due_at": self.clock.now() + MINUTE,
            "name": name,
            "subject": Subject(key=f"reactor#{name}", name=name),
        }
        return Timer(**{**fields, **more})  # type: ignore[arg-type]


@pytest.fixture
def site() -> Site:
    return Site()


async def until(holds: Callable[[], bool]) -> None:
    while not holds():  # noqa: ASYNC110 - what is looked at has no event
        await asyncio.sleep(0)


def told(delivery: Delivery) -> dict[str, object]:
    return dict(json.loads(delivery.body))


async def test_nothing_fires_before_its_time(site: Site) -> None:
    await site.timers.put(site.timer())
    site.clock.move(MINUTE - timedelta(seconds=1))

    await site.firing().fire_due()

    assert site.deliveries.deliveries == []


async def test_what_is_due_becomes_a_delivery_that_can_be_found(site: Site) -> None:
    timer = site.timer(payload={"keep": 7})
    await site.timers.put(timer)
    site.clock.move(2 * MINUTE)

    await site.firing().fire_due()

    (delivery,) = site.deliveries.deliveries
    assert (delivery.kind, delivery.source, delivery.host) == ("timer.nightly", "timer", "reactor")
    assert told(delivery) == {
        "timer": "nightly",
        "due_at": timer.due_at.isoformat(),
        "payload": {"keep": 7},
    }
    assert delivery.payload == told(delivery)
    assert (await site.claims.position(delivery.key)) is not None
    assert await site.timers.all() == []


async def test_what_repeats_fires_once_for_all_that_was_missed_and_keeps_its_beat(
    site: Site,
) -> None:
    timer = site.timer(repeats=Every(60))
    await site.timers.put(timer)
    site.clock.move(5.5 * MINUTE)

    await site.firing().fire_due()
    await site.firing().fire_due()

    assert len(site.deliveries.deliveries) == 1
    (following,) = await site.timers.all()
    assert following.due_at == timer.due_at + 5 * MINUTE


async def test_a_timer_of_a_process_becomes_a_signal(site: Site) -> None:
    signal = Signal(id="any", kind="wake", process_id="p1", by="timer")
    await site.timers.put(
        site.timer("wake", is_signal=True, subject=signal.subject, payload=signal.document)
    )
    site.clock.move(MINUTE)

    await site.firing().fire_due()

    assert site.deliveries.deliveries == []
    (delivery,) = site.signals.deliveries
    assert read_signal(delivery) == replace(signal, id=delivery.id)


async def test_a_crash_before_the_timer_was_moved_writes_the_same_delivery_again(
    site: Site,
) -> None:
    timer = site.timer()
    await site.timers.put(timer)
    site.clock.move(MINUTE)
    await site.deliveries.append(record_of(timer, at=site.clock.now()))  # and then it crashed

    site.clock.move(MINUTE)
    await site.firing("b").fire_due()

    first, second = site.deliveries.deliveries
    assert first.key == second.key
    assert first.body == second.body


async def test_the_next_moment_of_a_timer_is_another_delivery(site: Site) -> None:
    timer = site.timer(repeats=Every(60))

    following = timer.following(timer.due_at)

    assert following is not None
    ids = {record_of(each, at=site.clock.now()).id for each in (timer, following)}
    assert len(ids) == 2


async def test_one_of_several_workers_fires_until_it_is_gone(site: Site) -> None:
    await site.firing("a").fire_due()
    await site.timers.put(site.timer())
    site.clock.move(timedelta(seconds=10))
    await site.timers.put(site.timer("early", due_at=site.clock.now()))

    await site.firing("b").fire_due()
    assert site.told.timers == []

    site.clock.move(2 * MINUTE)
    await site.firing("b").fire_due()
    assert site.told.timers == ["settings:early", "settings:nightly"]


async def test_while_the_broker_is_away_timers_stay_due(site: Site) -> None:
    await site.timers.put(site.timer())
    site.clock.move(MINUTE)
    site.deliveries.is_down = True
    with pytest.raises(InfrastructureError):
        await site.firing().fire_due()

    site.deliveries.is_down = False
    await site.firing().fire_due()

    assert len(site.deliveries.deliveries) == 1


async def test_it_goes_on_through_trouble_and_resigns_when_it_is_stopped(site: Site) -> None:
    site.deliveries.is_down = True
    await site.timers.put(site.timer())
    site.clock.move(MINUTE)
    running = asyncio.create_task(site.firing("a").run())
    for _ in range(20):
        await asyncio.sleep(0)

    site.deliveries.is_down = False
    await until(lambda: bool(site.told.timers))
    running.cancel()
    await asyncio.wait({running})

    assert await site.timers.lead("b", lease=MINUTE)


async def test_more_than_one_round_takes_are_all_fired(site: Site) -> None:
    for number in range(250):
        await site.timers.put(site.timer(f"n{number}"))
    site.clock.move(MINUTE)
    running = asyncio.create_task(site.firing().run())

    await until(lambda: len(site.told.timers) == 250)
    running.cancel()
    await asyncio.wait({running})

    assert len({delivery.id for delivery in site.deliveries.deliveries}) == 250


async def test_a_timer_that_can_not_be_told_is_given_up_and_stops_no_other(site: Site) -> None:
    site.deliveries = Picky()
    for name in ("large", "nightly"):
        await site.timers.put(site.timer(name))
    site.clock.move(MINUTE)

    await site.firing().fire_due()

    assert site.told.given_up == ["settings:large"]
    assert site.told.timers == ["settings:nightly"]
    assert await site.timers.all() == []


async def test_one_whose_schedule_has_no_next_moment_fires_and_is_given_up(site: Site) -> None:
    await site.timers.put(site.timer(repeats=Cron("0 0 30 2 *")))
    site.clock.move(MINUTE)

    await site.firing().fire_due()

    assert len(site.deliveries.deliveries) == 1
    assert site.told.given_up == ["settings:nightly"]
    assert await site.timers.all() == []
