"""Timers, put together: those of the settings, and a worker's turn to fire."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import datetime

import structlog

from reactor.delivery import OWN_HOST, Delivery, Subject
from reactor.errors import InfrastructureError, ReactorError
from reactor.firing import Firing
from reactor.ports import Clock
from reactor.settings import Settings, TimerSettings
from reactor.timer import Timer, Timers
from reactor.wiring.kafka import KafkaParts
from reactor.wiring.redis import RedisParts

_OURS = "settings:"  # begins the ids of timers that stand in the settings
_RETRY_S = 1.0


def make_firing(redis: RedisParts, kafka: KafkaParts, *, clock: Clock, owner: str) -> Firing:
    """What fires timers while it is this owner's turn."""
    return Firing(
        timers=redis.timers,
        deliveries=kafka.deliveries,
        signals=kafka.signals,
        claims=redis.claims,
        clock=clock,
        owner=owner,
        observer=_Log(),
    )


class _Log:
    """Tells what becomes of timers."""

    def __init__(self) -> None:
        self._log = structlog.get_logger("reactor.timers")

    def fired(self, timer: Timer, delivery: Delivery) -> None:
        subject = delivery.subject.name
        self._log.info("timer_fired", timer=timer.id, delivery_id=delivery.id, subject=subject)

    def gave_up(self, timer: Timer, error: ReactorError) -> None:
        self._log.error("timer_given_up", timer=timer.id, error=str(error))


@asynccontextmanager
async def kept(settings: Settings, firing: Firing) -> AsyncIterator[None]:
    """Set the timers of the settings and fire what is due, for as long as the context lasts."""
    async with asyncio.TaskGroup() as group:
        keeping = group.create_task(_keep(settings, firing))
        try:
            yield
        finally:
            keeping.cancel()


async def set_timers(settings: Settings, timers: Timers, *, now: datetime) -> None:
    """Have exactly the timers that stand in the settings; a repeat moves none of them.

    Raises `InfrastructureError`.
    """
    wanted = {timer.id: timer for timer in (_timer(each, now) for each in settings.timers)}
    for timer in await timers.all():
        if timer.id.startswith(_OURS) and timer.id not in wanted:
            await timers.cancel(timer.id)
    for timer in wanted.values():
        await timers.put(timer)


async def _keep(settings: Settings, firing: Firing) -> None:
    while True:
        try:
            await set_timers(settings, firing.timers, now=firing.clock.now())
            break
        except InfrastructureError:
            await asyncio.sleep(_RETRY_S)
    await firing.run()


def _timer(wanted: TimerSettings, now: datetime) -> Timer:
    return Timer(
        id=f"{_OURS}{wanted.name}",
        due_at=wanted.schedule.after(now, now),
        name=wanted.name,
        subject=Subject(key=f"{OWN_HOST}/timer#{wanted.name}", name=f"timer {wanted.name}"),
        payload=wanted.payload,
        repeats=wanted.schedule,
    )
