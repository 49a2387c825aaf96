"""Look up what is stored of deliveries and processes, and tell it in the documents of `explain`.

Reads, and nothing else: no lease is taken, no offset moved.  The command line and the console
ask here.
"""

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from reactor.delivery import Delivery
from reactor.errors import InfrastructureError, ReactorError
from reactor.explain import ToldDelivery, ToldProcess, told_process, told_request
from reactor.from_journal import stored_from
from reactor.journal import JournalRecord
from reactor.ledger import Fate, Ledger
from reactor.ports import Boards, Claims, Outcomes, Stored
from reactor.reaction import Reaction
from reactor.records import DeliveryArchive, DeliveryMark, NoRecords, Records
from reactor.topic import Position

if TYPE_CHECKING:
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
            " redis.keep_finished_days, and in the console's index for journal.retention_days"
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
    reader: "Reader"
    reactions: Sequence[Reaction]
    outcomes: Outcomes | None = None  # None where nobody keeps them
    ledger: Ledger | None = None  # None where nothing is ever sent
    records: Records | None = None  # what is known also of what the store has let go
    archive: DeliveryArchive | None = None  # the same of the topic

    async def process(self, process_id: str) -> ToldProcess:
        """One process; from its records alone, where its store has none.  Raises `UnknownProcess`."""
        stored, records = await asyncio.gather(
            self.boards.read(process_id), self.boards.journal(process_id)
        )
        if stored is None:
            found = stored_from(await self._recorded(process_id))
            if found is None:
                raise UnknownProcess(process_id)
            stored, records = found
        return told_process(stored, records, await self._fates(stored))

    async def _recorded(self, process_id: str) -> Sequence[JournalRecord]:
        try:
            return await self.records.of_process(process_id) if self.records else ()
        except NoRecords:
            return ()

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
            mark = await self._mark(key)
            processes = await self._processes(key)
            outcome = await self.outcomes.ignored(key) if self.outcomes else ""
            is_kept = not position and await self.claims.is_kept(key)
            if position or processes or outcome or is_kept or mark:
                break
        else:
            raise UnknownDelivery(delivery)
        if position is None and mark:
            position = mark.position
        is_wanted = with_request or not processes
        came = await self._came(position, key) if is_wanted else None
        told = ToldDelivery(
            delivery=delivery,
            event=processes[0]["event"] if processes else mark.event if mark else "",
            subject=processes[0]["subject"] if processes else mark.subject_name if mark else "",
            topic=str(position) if position else None,
            ignored="" if processes else _SPOOLED if is_kept else self._why_ignored(came, outcome),
            processes=processes,
        )
        if isinstance(came, Delivery):
            told["event"], told["subject"] = came.kind, came.subject.name
        if with_request:
            told["request"] = told_request(came) if isinstance(came, Delivery) else None
        return told

    async def _mark(self, key: str) -> DeliveryMark | None:
        try:
            return await self.records.delivery(key) if self.records else None
        except NoRecords:
            return None

    async def _processes(self, key: str) -> list[ToldProcess]:
        told = []
        started = dict.fromkeys([*await self._recorded_of(key), *await self.boards.started_by(key)])
        for process_id in started:
            try:
                told.append(await self.process(process_id))
            except UnknownProcess:  # opened, and nothing committed so far
                continue
        return told

    async def _recorded_of(self, key: str) -> Sequence[str]:
        try:
            return await self.records.of_delivery(key) if self.records else ()
        except NoRecords:
            return ()

    async def _came(
        self, position: Position | None, key: str
    ) -> Delivery | InfrastructureError | None:
        """What came: as it lies on its topic, or in the archive.

        An error instead: processes can be told without the broker.
        """
        came = await self._on_topic(position, key) if position else None
        if isinstance(came, Delivery) or self.archive is None:
            return came
        try:
            return await self.archive.read(key) or came
        except NoRecords:
            return came

    async def _on_topic(
        self, position: Position, key: str
    ) -> Delivery | InfrastructureError | None:
        """What lies there; None as well where that is another one.

        A broker that forgets gives its offsets again.
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
