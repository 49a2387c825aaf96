"""Taking a delivery in: claimed once, kept for good, and only then acknowledged.

No HTTP here: a `Delivery` in, a `Receipt` out.  What must never happen, whatever fails when: a
sender is told that we have a delivery which nobody has.  What may happen, rarely: one delivery
lies on the topic twice; its processes have the same ids then, so nothing is done twice.
"""

import asyncio
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Literal

import structlog

from reactor.delivery import Delivery
from reactor.errors import InfrastructureError
from reactor.ports import Claim, Claims
from reactor.topic import DeadLetters, DeliveryLog, Position, conflict_letter

Fate = Literal["accepted", "duplicate", "conflict", "ignored"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Receipt:
    """What became of a delivery; it is durable somewhere, or was meant for nobody."""

    status: Fate
    position: Position | None = None  # None: on no topic of deliveries, or not yet
    unclaimed: bool = False  # nobody could say whether the id is new


@dataclass(frozen=True, slots=True, kw_only=True)
class Patience:
    """How long one request waits: for another that has claimed the same id, and for Redis."""

    first_look_s: float = 0.01  # a broker acks within milliseconds
    longest_pause_s: float = 0.25
    give_up_s: float = 5.0  # GitHub hangs up after 10
    remember_s: float = 0.5  # for Redis, once the delivery is durable: its sender waits


class Intake:
    """Accepts deliveries.  `deliveries` may be the broker, or anything as durable."""

    def __init__(
        self,
        *,
        claims: Claims,
        deliveries: DeliveryLog,
        dead: DeadLetters,
        patience: Patience,
    ) -> None:
        self._claims, self._deliveries, self._dead = claims, deliveries, dead
        self._patience = patience
        self._log = structlog.get_logger("reactor.gateway")

    async def accept(self, delivery: Delivery) -> Receipt:
        """Return once the delivery is durable.

        Raises `InfrastructureError` where it could not be kept; it is not claimed then, so the
        sender can send it again.
        """
        if delivery.event == "ping":  # GitHub asks whether we are there; nothing has happened
            return Receipt(status="ignored")
        claim = await self._claim(delivery)
        if claim is None:
            return await self._append_unclaimed(delivery)
        if claim.status == "pending":
            return await self._append_unclaimed(delivery, remembers=True)
        if claim.status == "conflict":
            return await self._bury(delivery)
        if claim.status in ("kept", "produced"):
            self._log.info("guard_caught", guard="claim", delivery_id=delivery.id)
            return Receipt(status="duplicate", position=claim.position)
        claimed = replace(delivery, replayed=True) if claim.replayed else delivery
        return await self._append(claimed, claim.token)

    async def _claim(self, delivery: Delivery) -> Claim | None:
        """The claim, or None while Redis is away.

        Another request may have claimed the id and not finished: it can still fail, so its sender
        and ours can be told nothing yet.  Wait until it has produced (ours is the duplicate) or
        given its claim back (it is ours).  "pending" here means that it hangs, or is dead.
        """
        claim: Claim | None = None
        with suppress(InfrastructureError):
            claim = await self._claims.claim(delivery.key, digest=delivery.digest)
            if claim.status == "pending":
                claim = await self._claim_after_another(delivery) or claim
        return claim

    async def _claim_after_another(self, delivery: Delivery) -> Claim | None:
        pause_s = self._patience.first_look_s
        with suppress(TimeoutError):
            async with asyncio.timeout(self._patience.give_up_s):
                while True:
                    await asyncio.sleep(pause_s)
                    claim = await self._claims.claim(delivery.key, digest=delivery.digest)
                    if claim.status != "pending":
                        return claim
                    pause_s = min(2 * pause_s, self._patience.longest_pause_s)
        return None

    async def _append(self, delivery: Delivery, token: str) -> Receipt:
        """With the claim in hand: write, and keep the claim; or give it back."""
        try:
            position = await self._deliveries.append(delivery)
        except BaseException:  # also when this request is cancelled: it answers nobody then
            with suppress(InfrastructureError):  # if so, the claim runs out by itself
                await self._claims.release(delivery.key, token)
            raise
        await self._remember(delivery, position)
        return Receipt(status="accepted", position=position)

    async def _append_unclaimed(self, delivery: Delivery, *, remembers: bool = False) -> Receipt:
        """Without a claim: better twice on the topic than never.  The claim is not ours to give.

        Who settles it looks at its id (`reactor.settling`), so Redis, which did not answer a
        moment ago, is not waited for once more.
        """
        position = await self._deliveries.append(replace(delivery, unclaimed=True))
        if remembers:
            await self._remember(delivery, position)
        return Receipt(status="accepted", position=position, unclaimed=True)

    async def _remember(self, delivery: Delivery, position: Position | None) -> None:
        """Keep the claim, if that is quick: it is durable, so the sender need not know."""
        with suppress(InfrastructureError, TimeoutError):
            async with asyncio.timeout(self._patience.remember_s):
                if position is None:
                    await self._claims.kept(delivery.key, digest=delivery.digest)
                else:
                    await self._claims.produced(delivery.key, position, digest=delivery.digest)

    async def _bury(self, delivery: Delivery) -> Receipt:
        """The id was used for another body before: keep it for a person to look at."""
        await self._dead.bury(conflict_letter(delivery))
        return Receipt(status="conflict")
