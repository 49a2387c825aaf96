"""Keeping storms out: chains of events that cause each other, and bots that answer each other.

    depth    an event that we have caused continues the chain of what we did last on its subject;
             a chain that is longer than the limit starts nothing: "too_deep"
    breaker  of one subject, only so many events by bots (ours among them) start anything within
             the window: "storm"

A person's events are never counted and never held back.  A delivery that was let in stays let
in, and one that was refused stays refused, however often it is read again.  What is refused lies
on its topic all the same, and its outcome is kept, by whoever settles it.
"""

from dataclasses import dataclass
from typing import Protocol

from reactor.delivery import Delivery
from reactor.ports import Boards, Outcomes
from reactor.worker import Admission, Reading

_REFUSALS = frozenset({"storm", "too_deep"})


class BotEvents(Protocol):
    """How many events by bots each subject had lately; its limit and window are set before."""

    async def count(self, subject: str, delivery: str) -> bool:
        """Count the delivery (its `key`), unless its subject (its `key`) has had enough of them.

        True for one that was counted, also before; one atomic step.  Raises
        `InfrastructureError`.
        """
        ...


class SentEffects(Protocol):
    """What is asked of the ledger."""

    async def newest_sent(self, subject: str) -> tuple[str, int] | None:
        """Whose effect was sent to the subject last: a delivery's key, and its depth.

        Raises `InfrastructureError`.
        """
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class StormGate:
    """Fits the port `reactor.worker.Gate`."""

    max_causation: int  # longest chain of deliveries, each caused by the one before
    bot_events: BotEvents
    outcomes: Outcomes
    boards: Boards
    sent: SentEffects | None = None  # None where nothing is ever sent

    async def admit(self, delivery: Delivery, reading: Reading) -> Admission:
        """Let it in, or refuse it."""
        causation = await self._causation(delivery, reading)
        is_by_bot = reading.is_own or reading.is_bot
        if not (is_by_bot or causation):
            return Admission()
        if await self.boards.started_by(delivery.key):  # what was begun has to be ended
            return Admission(causation=causation)
        if (before := await self.outcomes.ignored(delivery.key)) in _REFUSALS:
            return Admission(causation=causation, refused=before)
        if len(causation) > self.max_causation:
            return Admission(causation=causation, refused="too_deep")
        subject = delivery.subject.key
        if is_by_bot and not await self.bot_events.count(subject, delivery.key):
            return Admission(causation=causation, refused="storm")
        return Admission(causation=causation)

    async def _causation(self, delivery: Delivery, reading: Reading) -> tuple[str, ...]:
        """What led to the delivery; GitHub does not say it of what we did there."""
        if delivery.causation or not reading.is_own or self.sent is None:
            return delivery.causation
        newest = await self.sent.newest_sent(delivery.subject.key)
        if newest is None:
            return ()
        cause, depth = newest
        return (*await self._led_to(cause, depth), _id(cause))

    async def _led_to(self, cause: str, depth: int) -> tuple[str, ...]:
        """What led to the delivery whose effect we see: its processes know."""
        for process in await self.boards.started_by(cause):
            stored = await self.boards.read(process)
            if stored is not None and len(stored.head.causation) >= depth:
                return stored.head.causation
        return (_id(cause),) * depth  # they are gone; the depth still counts


def _id(key: str) -> str:
    """The id of a delivery, without its host."""
    return key.rpartition("/")[2]
