"""Approvals: effects that wait for a person, and what people say of them.

    held in the ledger -> listed with a short id -> ruled on -> the signals topic -> a worker

The id is the beginning of the effect's idempotency key, in which its content is: an effect that
says something else has another id, and none can be approved by an old one.
"""

import asyncio
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import timedelta

from reactor.errors import ReactorError
from reactor.ledger import Held, Ledger, Ruling
from reactor.ports import Clock
from reactor.preview import preview_effect
from reactor.signal import EffectRuling, as_delivery, ruling_on
from reactor.topic import DeliveryLog, Position

ID_LENGTH = 12  # hex digits of the key: 48 bits, among the few that are held
MOST_LISTED = 200
_MOST_HELD = 10_000  # that are looked through for an id
_BATCH = 100  # that run out in one look


class UnknownApproval(ReactorError):
    """Nothing of that id waits for a person."""

    def __init__(self, approval: str) -> None:
        super().__init__(approval)
        self.approval = approval

    def __str__(self) -> str:
        return (
            f"nothing waits for approval as {self.approval!r}: it was approved or rejected, nobody"
            " did so in time, or there never was one; `reactor approvals` lists what waits"
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class RuledOn:
    """What was said of an effect: durable, and on its way to a worker."""

    held: Held
    position: Position | None  # None: it is kept, and not on its topic yet


@dataclass(frozen=True, slots=True, kw_only=True)
class Approvals:
    """Lists what is held and takes rulings.  Every method may raise `InfrastructureError`."""

    ledger: Ledger
    signals: DeliveryLog
    clock: Clock

    async def waiting(self, *, limit: int = MOST_LISTED) -> list[Held]:
        """What waits for a person, oldest first."""
        return await self.ledger.held(until=self.clock.now(), limit=limit)

    async def find(self, approval: str) -> Held:
        """One of them, by its id or its whole key.  Raises `UnknownApproval`."""
        wanted = approval.lower()
        if len(wanted) >= ID_LENGTH:
            every = await self.waiting(limit=_MOST_HELD)
            found = [held for held in every if held.intent.key.startswith(wanted)]
            if len(found) == 1:
                return found[0]
        raise UnknownApproval(approval)

    async def rule(self, approval: str, *, is_approved: bool, by: str, reason: str = "") -> RuledOn:
        """Return once it is durable.  Raises `UnknownApproval`.

        Of several rulings that are taken, the first one that a worker reads counts.
        """
        held = await self.find(approval)
        return await self.rule_on(held, is_approved=is_approved, by=by, reason=reason)

    async def waiting_in(self, repository: str) -> list[Held]:
        """What waits in a repository, by the beginning of its subjects' keys; oldest first."""
        every = await self.waiting(limit=_MOST_HELD)
        return [each for each in every if _repository(each.intent.record.subject) == repository]

    async def rule_on(self, held: Held, *, is_approved: bool, by: str, reason: str = "") -> RuledOn:
        """The same for one that was found."""
        intent = held.intent
        ruling = EffectRuling(
            subject=intent.record.subject, key=intent.key, is_approved=is_approved
        )
        signal = ruling_on(ruling, process_id=intent.process_id, by=by, reason=reason)
        position = await self.signals.append(as_delivery(signal, at=self.clock.now()))
        return RuledOn(held=held, position=position)


@dataclass(frozen=True, slots=True, kw_only=True)
class Expiry:
    """Refuses what nobody has approved in time; several of them do no harm."""

    ledger: Ledger
    clock: Clock
    after: timedelta
    tell: Callable[[ReactorError], None]  # of trouble; it is tried again
    every: timedelta = timedelta(minutes=1)

    async def run(self) -> None:
        """Until it is cancelled."""
        while True:
            try:
                await self.refuse_old()
            except ReactorError as error:
                self.tell(error)
            await asyncio.sleep(self.every.total_seconds())

    async def refuse_old(self) -> int:
        """Once; gives how many.  Raises `InfrastructureError`."""
        days = self.after / timedelta(days=1)
        why = f"nobody approved it within {days:g} days (effects.approval_days)"
        ruling = Ruling(is_approved=False, by="timer", reason=why)
        refused = 0
        while old := await self.ledger.held(until=self.clock.now() - self.after, limit=_BATCH):
            for held in old:
                subject = held.intent.record.subject
                await self.ledger.rule(subject, held.intent.key, ruling, now=self.clock.now())
            refused += len(old)
        return refused


def _repository(subject: str) -> str:
    return subject.partition("#")[0]


def approval_id(key: str) -> str:
    """How people name the effect with this key while it is held."""
    return key[:ID_LENGTH]


def told_held(held: Held) -> Mapping[str, object]:
    """One that waits, as JSON can hold it, for programs and people."""
    intent = held.intent
    record = intent.record
    return {
        "id": approval_id(record.key),
        "key": record.key,
        "kind": record.effect.kind,
        "would": preview_effect(record.effect),
        "subject": intent.subject_name,
        "host": intent.host,
        "action": record.action,
        "process": intent.process_id,
        "delivery": intent.delivery.rpartition("/")[2],
        "since": held.since.isoformat(),
        "effect": record.effect.model_dump(mode="json"),
    }
