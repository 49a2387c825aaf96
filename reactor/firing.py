"""Firing timers: what is due becomes a record on a topic, by one worker at a time.

    the lease -> what is due -> its record, durable -> on to the next moment

A crash between the last two writes the record again, with the same id: processes are derived
from it, so nothing starts twice, and a signal that was heard changes nothing.
"""

import asyncio
import hashlib
import json
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Protocol

from reactor.delivery import OWN_HOST, Delivery, digest
from reactor.errors import InfrastructureError, ReactorError
from reactor.ports import Claims, Clock
from reactor.signal import delivery_of as signal_of
from reactor.timer import Timer, Timers
from reactor.topic import DeliveryLog

EVENT = "timer"

_AT_ONCE = 100  # timers that are looked at in one round
_LEASE = timedelta(seconds=15)


class Observer(Protocol):
    """Who wants to know what becomes of timers; for logs and counters."""

    def fired(self, timer: Timer, delivery: Delivery) -> None:
        """Its record is durable."""
        ...

    def gave_up(self, timer: Timer, error: ReactorError) -> None:
        """It can't be told, or never be due again; the others go on."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Firing:
    """Fires timers, wherever it is their turn."""

    timers: Timers
    deliveries: DeliveryLog
    signals: DeliveryLog
    claims: Claims
    clock: Clock
    owner: str
    observer: Observer
    look_every_s: float = 1.0  # how late a timer may be

    async def run(self) -> None:
        """Fire until cancelled; trouble with a server is waited out, and nothing is forgotten."""
        try:
            while True:
                is_more = False
                with suppress(InfrastructureError):  # the timers stay due
                    is_more = await self.fire_due()
                if not is_more:
                    await asyncio.sleep(self.look_every_s)
        finally:
            await self._resign()

    async def fire_due(self) -> bool:
        """Fire what is due, if it is our turn; whether there may be more.

        Raises `InfrastructureError`; what was not fired is due later.
        """
        if not await self.timers.lead(self.owner, lease=_LEASE):
            return False
        due = await self.timers.due(self.clock.now(), limit=_AT_ONCE)
        for timer in due:
            await self._fire(timer)
        return len(due) == _AT_ONCE

    async def _fire(self, timer: Timer) -> None:
        following: Timer | None = None
        try:
            await self._write(timer)
            following = timer.following(self.clock.now())
        except InfrastructureError:
            raise
        except ReactorError as error:  # trying again would not help, and must not stop the others
            self.observer.gave_up(timer, error)
        await self.timers.fired(timer, following)

    async def _write(self, timer: Timer) -> None:
        delivery = record_of(timer, at=self.clock.now())
        if timer.is_signal:
            await self.signals.append(delivery)
        else:
            position = await self.deliveries.append(delivery)
            if position is not None:
                await self.claims.produced(delivery.key, position, digest=delivery.digest)
        self.observer.fired(timer, delivery)

    async def _resign(self) -> None:
        with suppress(InfrastructureError, TimeoutError):  # it runs out by itself
            async with asyncio.timeout(1):
                await self.timers.resign(self.owner)


def record_of(timer: Timer, *, at: datetime) -> Delivery:
    """What a timer tells when it is due: the same record, whoever fires it, but for its time."""
    due = timer.due_at.astimezone(UTC).isoformat()
    told = hashlib.sha256(f"{timer.id}\x1f{due}".encode()).hexdigest()[:24]
    if timer.is_signal:
        return signal_of(timer.payload, id=f"signal-{told}", subject=timer.subject, at=at)
    document: dict[str, object] = {
        "timer": timer.name,
        "due_at": due,
        "payload": dict(timer.payload),
    }
    if timer.about is not None:
        document |= {"reaction": timer.about.reaction, "about": dict(timer.about.told)}
    body = json.dumps(document).encode()
    return Delivery(
        id=f"timer-{told}",
        event=EVENT,
        action=timer.name,
        host=timer.about.host if timer.about else OWN_HOST,
        subject=timer.subject,
        body=body,
        media_type="application/json",
        payload=document,
        received_at=at,
        digest=digest(body),
        source="timer",
    )
