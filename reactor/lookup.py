"""Look up what is stored of deliveries and processes, and tell it in the documents of `explain`.

Reads, and nothing else: no lease is taken, no offset moved.  The command line and the console
ask here.
"""

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from reactor.delivery import Delivery
from reactor.errors import InfrastructureError, ReactorError
from reactor.explain import ToldDelivery, ToldProcess, told_process, told_request
from reactor.ledger import Fate, Ledger
from reactor.ports import Boards, Claims, Outcomes, Stored
from reactor.reaction import Reaction
from reactor.topic import Position
from reactor.worker import Reader

_SPOOLED = "accepted, and not on its topic yet: it waits for the broker in the gateway's spool"
_IGNORED = {
    "own_event": "our own app's event: it starts nothing",
    "storm": "held back, as its subject had too many events by bots lately (`storms.per_subject`"
    " within `storms.window_s`); it lies on its topic",
    "too_deep": "held back, as it is the end of a chain of events that we have caused ourselves"
    " (`storms.max_causation`); it lies on its topic",
    "late_answer": "the form was answered before, or nobody waits for it any more",
    "late_ruling": "the effect was approved or rejected before, or nobody did so in time",
    "late_wake": "the process had gone on before",
    "process_over": "its process had ended before",
    "process_gone": "its process is not kept any more",
}
"""What is said of an outcome, by its word; why no reaction wanted it is looked up."""


class UnknownDelivery(ReactorError):
    """Nobody knows the delivery."""

    def __init__(self, delivery: str) -> None:
        super().__init__(delivery)
        self.delivery = delivery

    def __str__(self) -> str:
        return (
            f"no delivery {self.delivery!r} is known here; compare the id with the header"
            " X-GitHub-Delivery, and see that REDIS_URL and the settings are the gateway's"
        )


class UnknownProcess(ReactorError):
    """Nobody knows the process (any more)."""

    def __init__(self, process: str) -> None:
        super().__init__(process)
        self.process = process

    def __str__(self) -> str:
        return (
            f"no process {self.process!r} is known here; finished ones are kept for"
            " redis.keep_finished_days, then only the journal topic has them"
        )


class DeliveryAt(Protocol):
    """Reads a delivery from its topic."""

    async def __call__(self, position: Position) -> Delivery | None:
        """None where it can't be read (any more).  Raises `InfrastructureError`."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Lookup:
    """Answers about what is stored.  Every method may raise `InfrastructureError`."""

    boards: Boards
    claims: Claims
    delivery_at: DeliveryAt
    hosts: Sequence[str]  # that may send; one id on two of them is that of the first
    reader: Reader
    reactions: Sequence[Reaction]
    outcomes: Outcomes | None = None  # None where nobody keeps them
    ledger: Ledger | None = None  # None where nothing is ever sent

    async def process(self, process_id: str) -> ToldProcess:
        """One process.  Raises `UnknownProcess`."""
        stored, records = await asyncio.gather(
            self.boards.read(process_id), self.boards.journal(process_id)
        )
        if stored is None:
            raise UnknownProcess(process_id)
        return told_process(stored, records, await self._fates(stored))

    async def _fates(self, stored: Stored) -> Mapping[str, Fate]:
        """Where its effects stand that were to be sent."""
        keys = [record.key for record in stored.effects if record.mode != "observe"]
        if self.ledger is None or not keys:
            return {}
        return await self.ledger.fates(stored.head.subject, keys)

    async def delivery(self, delivery: str, *, with_request: bool = False) -> ToldDelivery:
        """A delivery by its id, and its processes.  Raises `UnknownDelivery`.

        `with_request`: what came as well, read from the topic; None where that can't be done.
        """
        for host in self.hosts:
            key = f"{host}/{delivery}"
            position = await self.claims.position(key)
            processes = await self._processes(key)
            outcome = await self.outcomes.ignored(key) if self.outcomes else ""
            is_kept = not position and await self.claims.is_kept(key)
            if position or processes or outcome or is_kept:
                break
        else:
            raise UnknownDelivery(delivery)
        is_wanted = position and (with_request or not processes)
        came = await self._came(position, key) if position and is_wanted else None
        told = ToldDelivery(
            delivery=delivery,
            event=processes[0]["event"] if processes else "",
            subject=processes[0]["subject"] if processes else "",
            topic=str(position) if position else None,
            ignored="" if processes else _SPOOLED if is_kept else self._why_ignored(came, outcome),
            processes=processes,
        )
        if isinstance(came, Delivery):
            told["event"], told["subject"] = came.kind, came.subject.name
        if with_request:
            told["request"] = told_request(came) if isinstance(came, Delivery) else None
        return told

    async def _processes(self, key: str) -> list[ToldProcess]:
        told = []
        for process_id in await self.boards.started_by(key):
            try:
                told.append(await self.process(process_id))
            except UnknownProcess:  # opened, and nothing committed so far
                continue
        return told

    async def _came(self, position: Position, key: str) -> Delivery | InfrastructureError | None:
        """What lies there; an error instead: processes can be told without the broker.

        None as well where another delivery lies there: a broker that forgets gives its offsets
        again.
        """
        try:
            came = await self.delivery_at(position)
        except InfrastructureError as error:
            return error
        return came if came and came.key == key else None

    def _why_ignored(self, came: Delivery | InfrastructureError | None, outcome: str) -> str:
        if outcome in _IGNORED:
            return _IGNORED[outcome]
        if not isinstance(came, Delivery):
            because = f", and why can't be said: {came}" if came else ""
            if outcome:
                return f"no reaction wanted it{because}"
            return f"nothing was started so far{because}"
        try:
            reading = self.reader(came)
        except ReactorError as error:
            return f"poison: {error}"
        if reading.is_own:
            return "our own app's event: it starts nothing"
        listening = [
            reaction.name
            for reaction in self.reactions
            if reaction.listens_to(came.event, came.action, is_typed=reading.is_typed)
        ]
        if listening:
            unless = "" if outcome else "not settled yet, given up (`reactor dead list`), or "
            return f"{unless}`when` did not hold, for {', '.join(listening)}"
        return "no reaction listens to it: stored, nothing else"
