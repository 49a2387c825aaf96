"""A worker's heartbeat, for as long as it works."""

import asyncio
from collections import deque
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from datetime import datetime

from reactor.errors import InfrastructureError
from reactor.heartbeat import BEAT_EVERY_S, KEEP, Heartbeat, Heartbeats, Holding
from reactor.ports import Clock
from streams.processor import Health

_SAMPLES = 6  # beats over which the rate is told
_FAREWELL_S = 1.0  # a Redis that is away must not hold up the end


@dataclass(slots=True, kw_only=True)
class Pulse:
    """Tells how a processor is doing, as a heartbeat."""

    health: Callable[[], Health]
    owner: str
    clock: Clock
    http: str = ""
    _started_at: datetime = field(init=False)
    _settled: deque[tuple[float, int]] = field(init=False)  # when, and how many since the start
    _per_s: float = field(default=0.0, init=False)

    def __post_init__(self) -> None:
        self._started_at = self.clock.now()
        self._settled = deque([(self.clock.monotonic_s(), 0)], maxlen=_SAMPLES)

    def beat(self) -> Heartbeat:
        """What to say with the next beat."""
        now_s, settled = self.clock.monotonic_s(), self.health().pump.settled
        then_s, before = self._settled[0]
        self._settled.append((now_s, settled))
        self._per_s = round((settled - before) / max(now_s - then_s, 0.001), 2)
        return self.look()

    def look(self) -> Heartbeat:
        """How it is doing; the rate is that of the last beat."""
        health = self.health()
        pump = health.pump
        return Heartbeat(
            owner=self.owner,
            at=self.clock.now(),
            started_at=self._started_at,
            is_ready=health.is_ready,
            holds=tuple(
                Holding(topic=partition.topic, partition=partition.number, lag=lag)
                for partition, lag in sorted(health.lags.items())
            ),
            running=pump.running,
            waiting=pump.held - pump.running + pump.parked,
            waiting_out=pump.waiting_out,
            settled=pump.settled,
            settled_per_s=self._per_s,
            given_up=pump.given_up,
            oldest_at=pump.oldest_at,
            http=self.http,
        )


@asynccontextmanager
async def beating(pulse: Pulse, heartbeats: Heartbeats) -> AsyncIterator[None]:
    """Beat every two seconds; say good-bye at the end.  A Redis that is away misses a beat."""
    async with asyncio.TaskGroup() as group:
        task = group.create_task(_beat(pulse, heartbeats))
        try:
            yield
        finally:
            task.cancel()
            with suppress(InfrastructureError, TimeoutError):  # it runs out by itself
                async with asyncio.timeout(_FAREWELL_S):
                    await heartbeats.gone(pulse.owner)


async def _beat(pulse: Pulse, heartbeats: Heartbeats) -> None:
    while True:
        with suppress(InfrastructureError):
            await heartbeats.beat(pulse.beat(), keep=KEEP)
        await asyncio.sleep(BEAT_EVERY_S)
