"""Restarting: what a person has asked to be looked at anew, as a delivery like any other.

    a wish -> its delivery, durable on the topic -> the reactions to what it says

The id follows from what the wish was caused by: asked for twice by one event, it is one delivery.
Its cause is another one than that of what happened first, so effects may be made again; and the
deliveries that led to it are named, so no chain of wishes is endless.
"""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Protocol

from pydantic import BaseModel, ConfigDict, ValidationError

from reactor.blackboard import DEFAULT_NAME
from reactor.delivery import Delivery, Subject, digest
from reactor.ports import Claims, Clock
from reactor.status import ProcessHead
from reactor.topic import DeliveryLog, GivenUp
from reactor.worker import Reader, Reading

FIELD = "reactor"  # of the payload: what we say in it, beside what the host would


class Retriaged(BaseModel):
    """Fact: nothing new has happened, but somebody asked for it to be looked at anew."""

    model_config = ConfigDict(frozen=True, extra="forbid", defer_build=True)

    by: str  # the login
    cause: str  # digest of the event by which they asked


@dataclass(frozen=True, slots=True, kw_only=True)
class Restart:
    """The event that is to be looked at anew, as its host would tell it."""

    event: str  # "issues"
    action: str  # "opened"
    payload: Mapping[str, Any]
    by: str  # login of who asks
    asked_in: ProcessHead  # the process of their asking, on the same subject


class Restarts(Protocol):
    """Starts things anew."""

    async def start(self, restart: Restart) -> None:
        """Return once it is durable.  Raises `InfrastructureError`; safe to repeat."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class DeliveredRestarts:
    """Fits `Restarts`."""

    deliveries: DeliveryLog
    claims: Claims
    clock: Clock

    async def start(self, restart: Restart) -> None:
        """Onto the topic; then it is known where it lies."""
        delivery = delivery_of(restart, clock=self.clock)
        position = await self.deliveries.append(delivery)
        if position is not None:
            await self.claims.produced(delivery.key, position, digest=delivery.digest)


def delivery_of(restart: Restart, *, clock: Clock) -> Delivery:
    """How it travels."""
    asked = restart.asked_in
    told = {"by": restart.by, "cause": asked.cause}
    payload = {**restart.payload, "action": restart.action, FIELD: told}
    body = json.dumps(payload).encode()
    parts = (asked.cause, asked.subject, restart.event, restart.action)
    name = hashlib.sha256("\x1f".join(parts).encode()).hexdigest()[:24]
    return Delivery(
        id=f"retriage-{name}",
        event=restart.event,
        action=restart.action,
        host=asked.host,
        subject=Subject(key=asked.subject, name=asked.subject_name),
        body=body,
        media_type="application/json",
        payload=payload,
        received_at=clock.now(),
        digest=digest(body),
        source="command",
        causation=(*asked.causation, asked.delivery.rpartition("/")[2]),
    )


class UnreadableRestart(GivenUp):
    """A delivery that says somebody asked for it, and does not say who."""

    def __init__(self, delivery: str) -> None:
        super().__init__(delivery)
        self.delivery = delivery

    def __str__(self) -> str:
        return f"{self.delivery} does not tell who asked for it, in its field {FIELD!r}"


@dataclass(frozen=True, slots=True)
class RestartedReader:
    """A `Reader` of what was asked for; its event, and all others, are read by `other`."""

    other: Reader

    def __call__(self, delivery: Delivery) -> Reading:
        """Raises `UnreadableRestart`, and what the other reader raises."""
        if delivery.source != "command":
            return self.other(delivery)
        payload = dict(delivery.payload)
        try:
            retriaged = Retriaged.model_validate(payload.pop(FIELD, None))
        except ValidationError:
            raise UnreadableRestart(delivery.id) from None
        reading = self.other(replace(delivery, payload=payload))
        why = "\x1f".join((reading.cause, retriaged.cause))
        return replace(
            reading,
            facts=(*reading.facts, (DEFAULT_NAME, retriaged)),
            cause=hashlib.sha256(why.encode()).hexdigest()[:32],
            # whoever wrote it: a person asks, and the length of the chain is bounded
            is_own=False,
            is_bot=False,
        )
