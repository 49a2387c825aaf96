"""A worker's heartbeat: what it says, how fast it has been, and that it never gets in the way."""

import asyncio
from dataclasses import replace
from datetime import timedelta

from reactor.adapters.clock import ManualClock
from reactor.adapters.memory_heartbeats import MemoryHeartbeats
from reactor.errors import InfrastructureError
from reactor.heartbeat import Heartbeat
from reactor.wiring.beating import Pulse, beating
from streams.ordered import PumpState
from streams.processor import Health
from streams.window import Partition

IDLE = PumpState(
    running=0,
    held=0,
    parked=0,
    unsettled=0,
    waiting_out=0,
    settled=0,
    given_up=0,
    steps=0,
    oldest_try_s=0.0,
)


class Doing:
    """A processor's health, as a test sets it."""

    def __init__(self) -> None:
        self.pump = IDLE
        self.lags: dict[Partition, int] = {}

    def __call__(self) -> Health:
        lag = sum(self.lags.values())
        return Health(
            is_ready=True, partitions=len(self.lags), lag=lag, pump=self.pump, lags=self.lags
        )


class Flaky(MemoryHeartbeats):
    """Away at first, then there."""

    def __init__(self, clock: ManualClock, *, failures: int) -> None:
        super().__init__(clock)
        self.failures = failures
        self.beaten = asyncio.Event()

    async def beat(self, heartbeat: Heartbeat, *, keep: timedelta) -> None:
        if self.failures:
            self.failures -= 1
            raise InfrastructureError("redis", "away")
        await super().beat(heartbeat, keep=keep)
        self.beaten.set()

    async def gone(self, owner: str) -> None:
        if self.failures:
            raise InfrastructureError("redis", "away")
        await super().gone(owner)


def test_a_heartbeat_says_what_is_held_and_in_hand() -> None:
    doing = Doing()
    doing.pump = replace(IDLE, running=4, held=7, parked=2, waiting_out=1, settled=9, given_up=1)
    doing.lags = {Partition("t", 1): 5, Partition("t", 0): 3}

    told = Pulse(health=doing, owner="h/1/w", clock=ManualClock(), http="http://x").look()

    assert [(held.topic, held.partition, held.lag) for held in told.holds] == [
        ("t", 0, 3),
        ("t", 1, 5),
    ]
    assert (told.running, told.waiting, told.waiting_out) == (4, 5, 1)
    assert (told.settled, told.given_up, told.http) == (9, 1, "http://x")


def test_the_rate_is_that_of_the_last_beats_and_falls_to_nothing() -> None:
    doing, clock = Doing(), ManualClock()
    pulse = Pulse(health=doing, owner="h/1/w", clock=clock)
    rates = []
    for settled in (20, 40, 40, 40, 40, 40, 40, 40):
        clock.move(timedelta(seconds=2))
        doing.pump = replace(IDLE, settled=settled)
        rates.append(pulse.beat().settled_per_s)

    assert rates[:2] == [10.0, 10.0]
    assert rates == sorted(rates, reverse=True)
    assert rates[-1] == 0
    assert pulse.look().settled_per_s == 0  # looking in between changes nothing


async def test_a_worker_is_alive_while_it_works_and_gone_when_it_has_ended() -> None:
    clock = ManualClock()
    heartbeats = Flaky(clock, failures=0)

    async with beating(Pulse(health=Doing(), owner="h/1/w", clock=clock), heartbeats):
        await asyncio.wait_for(heartbeats.beaten.wait(), 10)
        alive = await heartbeats.alive()

    assert [told.owner for told in alive] == ["h/1/w"]
    assert await heartbeats.alive() == []


async def test_a_redis_that_is_away_stops_neither_the_work_nor_the_end() -> None:
    clock = ManualClock()
    heartbeats = Flaky(clock, failures=1_000)

    async with beating(Pulse(health=Doing(), owner="h/1/w", clock=clock), heartbeats):
        await asyncio.sleep(0)

    assert heartbeats.failures < 1_000
