"""Settling a record: what was read becomes a delivery with an id of its own, or a dead letter.

    delivery -> is its id another's? -> worker, or steering for a signal -> settled, or given up

Takes the parts that do the work, and holds the order in which they do it.
"""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import Protocol

import structlog

from reactor.delivery import Delivery
from reactor.ports import Claims, Outcomes
from reactor.status import ProcessHead
from reactor.topic import DeadLetters, GivenUp, Position, conflict_letter
from reactor.worker import Settled

CONFLICT = "conflict"
"""Why nothing came of a delivery whose id had been taken by another body."""


class ProcessesFailed(GivenUp):
    """Processes of a delivery ended FAILED: it goes to the dead-letter topic, for a person."""

    dead_reason = "failed"

    def __init__(self, heads: tuple[ProcessHead, ...]) -> None:
        super().__init__(heads)
        self.heads = heads

    def __str__(self) -> str:
        each = "; ".join(f"{head.reaction} ({head.id}): {head.failure}" for head in self.heads)
        delivery = self.heads[0].delivery.rpartition("/")[2]
        return f"ended FAILED: {each}; `reactor explain {delivery}` tells how it came to that"

    @property
    def about(self) -> Mapping[str, str]:
        """The delivery, also where its processes were ended by a signal."""
        first = self.heads[0]
        return {
            "delivery": first.delivery,
            "event": first.event,
            "subject": first.subject_name,
            "process": first.id,
            "attempt": str(first.attempt),
        }


class Settler(Protocol):
    """A worker, or steering."""

    async def settle(self, delivery: Delivery) -> Settled:
        """Return when all of it is durable.  Raises `InfrastructureError`, `GivenUp`."""
        ...


class Keeping(Protocol):
    """What is kept beside a broker that forgets."""

    async def settled(self, delivery: Delivery, position: Position) -> None:
        """Nobody needs what was read there any more.  Raises `InfrastructureError`."""
        ...


Hears = Callable[[Delivery], Awaitable[None]]
"""Notes what is to be known of a delivery beyond its processes.  Raises `InfrastructureError`."""


def one_after_another(*hears: Hears) -> Hears:
    """Have all of them hear a delivery, in this order."""

    async def hear(delivery: Delivery) -> None:
        for each in hears:
            await each(delivery)

    return hear


@dataclass(frozen=True, slots=True, kw_only=True)
class Settling:
    """Settles deliveries and signals; safe to call at once, and again for what was settled."""

    worker: Settler
    steering: Settler  # of signals
    claims: Claims
    outcomes: Outcomes
    dead: DeadLetters
    keeping: Keeping
    hears: Hears

    async def settle(self, delivery: Delivery, position: Position) -> Settled:
        """Settle what lies at `position`, and return when all of it is durable.

        Raises `InfrastructureError` when a server is away: call again, nothing is lost.  Raises
        `ProcessesFailed`, and what else is given up.
        """
        if delivery.unclaimed and not await self._has_its_id(delivery, position):
            settled = await self._bury(delivery, position)
        else:
            settled = await self._run(delivery)
        log = structlog.get_logger("reactor.worker")
        log.info("delivery_settled", position=str(position), **_fields(settled))
        if settled.failed:
            raise ProcessesFailed(settled.failed)
        await self.keeping.settled(delivery, position)
        return settled

    async def _run(self, delivery: Delivery) -> Settled:
        await self.hears(delivery)
        settler = self.steering if delivery.source == "signal" else self.worker
        settled = await settler.settle(delivery)
        if settled.ignored:
            await self.outcomes.ignore(delivery.key, settled.ignored)
        return settled

    async def _has_its_id(self, delivery: Delivery, position: Position) -> bool:
        """Whether the id is its own; what the gateway would have asked, had Redis been there.

        It is claimed before it is said to be on its topic: of another body that is being accepted
        meanwhile the claim counts, as that one is not looked at again.
        """
        claim = await self.claims.claim(delivery.key, digest=delivery.digest)
        if claim.status == "conflict":
            return False
        if claim.status != "produced":
            await self.claims.produced(delivery.key, position, digest=delivery.digest)
        return True

    async def _bury(self, delivery: Delivery, position: Position) -> Settled:
        """Its processes would be those of the other body: keep it for a person to look at.

        Nothing is noted under its key, which is that of the other.
        """
        await self.dead.bury(conflict_letter(delivery, position))
        log = structlog.get_logger("reactor.worker")
        log.info("guard_caught", guard="claim", delivery_id=delivery.id, what=CONFLICT)
        return Settled(delivery=delivery, heads=(), ignored=CONFLICT)


def _fields(settled: Settled) -> Mapping[str, object]:
    delivery = settled.delivery
    return {
        "delivery_id": delivery.id,
        "event_name": delivery.kind,  # `event` is what structlog calls the message itself
        "subject": delivery.subject.name,
        "processes": {head.id: str(head.status) for head in settled.heads},
        **({"ignored": settled.ignored} if settled.ignored else {}),
    }
