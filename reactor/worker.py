"""A worker settles deliveries: this is the path, told in one file.

    delivery -> which reactions listen -> one process each -> run to its end -> journal

A delivery is settled when each of its processes is final, STUCK or WAITING and committed, its
decision records are durable on the journal topic, its live effects are in the ledger, and what is
still to come of it is seen to.  Settling one again, after a crash or a re-read, resumes the same
processes and repeats nothing: their ids are derived from the delivery.
What a delivery says is read by a `Reader`, so that no webhook dialect is known here.
"""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Protocol

from reactor.blackboard import snake_case
from reactor.delivery import Delivery
from reactor.effect import EffectRecord
from reactor.errors import InfrastructureError
from reactor.expression import Expression
from reactor.follow_up import FollowUp
from reactor.narrowing import Narrowing
from reactor.plan.problem import Truth
from reactor.ports import Boards, LeaseLost
from reactor.reaction import Reaction
from reactor.runner import Ran, Runner, Start
from reactor.scope import Scope
from reactor.status import ProcessHead, Status, process_id
from reactor.topic import JournalLog

MARKED_TOGETHER = 32  # processes whose records are marked as sent in one round trip


@dataclass(frozen=True, slots=True, kw_only=True)
class Reading:
    """What a delivery says, in the terms of the engine."""

    facts: Sequence[tuple[str, object]]  # what the blackboard is seeded with, in order
    cause: str  # digest of what happened: equal for a redelivery and for a second hook
    is_typed: bool  # the event has a model of its own
    is_own: bool  # our own app did it
    happened_at: datetime | None = None  # by the clock of its host, where it says so
    is_bot: bool = False  # an app did it, ours or another; accounts say so of themselves
    reaction: str = ""  # that has asked for it, and the only one it is for; "": whoever listens


class Reader(Protocol):
    """A webhook dialect, as far as a worker needs one."""

    def __call__(self, delivery: Delivery) -> Reading:
        """Read the payload.  Raises `ReactorError` where it can't be read: poison."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Admission:
    """Whether a delivery may start processes."""

    causation: tuple[str, ...] = ()  # ids of the deliveries that led to it, as far as is known
    refused: str = ""  # why not: "storm", "too_deep"


class Gate(Protocol):
    """What keeps storms out: it can say that nothing should come of a delivery."""

    async def admit(self, delivery: Delivery, reading: Reading) -> Admission:
        """Let a delivery in that a reaction wants, or refuse it.

        A delivery that is read again is let in, or refused, as before.  Raises
        `InfrastructureError`.
        """
        ...


class Outlet(Protocol):
    """Where the effects of processes go."""

    async def take(self, head: ProcessHead, effects: Sequence[EffectRecord]) -> None:
        """Return once those that are to be sent are durable in the ledger; a repeat does no harm.

        Raises `InfrastructureError`.
        """
        ...


class Ear(Protocol):
    """What a reaction hears in a delivery beyond what a reader tells."""

    def may_hear(self, reading: Reading) -> bool:
        """Whether it is worth to `hear`; quick."""
        ...

    async def hear(self, reading: Reading) -> Sequence[tuple[str, object]]:
        """Further facts for its process, the same each time; none: there is to be none."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Listener:
    """A reaction, ready to run."""

    reaction: Reaction
    scope: Scope
    when: Expression | None
    planner: str = "utility"
    ear: Ear | None = None  # None: what a reader tells is all
    narrowing: Narrowing | None = None  # None: each event is for all of the scope

    def wants(self, delivery: Delivery, reading: Reading) -> bool:
        """Whether the delivery starts a process of this reaction."""
        reaction = self.reaction
        if reading.reaction:
            return reading.reaction == reaction.name
        if reading.is_own and not reaction.own_events:
            return False
        if not reaction.listens_to(delivery.event, delivery.action, is_typed=reading.is_typed):
            return False
        if self.ear is not None and not self.ear.may_hear(reading):
            return False
        return self.when is None or self.when.evaluate(_named(reading)).truth is Truth.TRUE

    def why_not(self, delivery: Delivery, reading: Reading) -> str:
        """Why it does not want the delivery, as a clause; "" where it does."""
        reaction = self.reaction
        if reading.reaction:
            is_it = reading.reaction == reaction.name
            return "" if is_it else f"it is a reminder for the reaction {reading.reaction}"
        if reading.is_own and not reaction.own_events:
            return "our own app did it, and it does not listen to that (`own_events`)"
        if not reaction.listens_to(delivery.event, delivery.action, is_typed=reading.is_typed):
            return f"it listens to {', '.join(reaction.on)}, and this is {delivery.kind}"
        if self.ear is not None and not self.ear.may_hear(reading):
            return "nothing is asked for in it"
        found = None if self.when is None else self.when.evaluate(_named(reading))
        if found is None or found.truth is Truth.TRUE:
            return ""
        reason = f" ({found.reason})" if found.reason else ""
        return f"its `when` did not hold: {reaction.when} is {found.truth.value}{reason}"

    def ready(self, start: Start) -> Start:
        """`start`, with what the reaction says of all its processes."""
        reaction = self.reaction
        return replace(
            start,
            scope=self.scope if self.narrowing is None else self.narrowing.to(start.event),
            planner=self.planner,
            goals=frozenset(reaction.goal) or None,
            agent=reaction.agent or "",
            options=reaction.process_options(subject=start.subject),
            effect_mode=reaction.effects,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Settled:
    """What became of a delivery."""

    delivery: Delivery
    heads: tuple[ProcessHead, ...]
    ignored: str = ""  # why nothing came of it: "own_event", "no_reaction", "late_answer", ...

    @property
    def failed(self) -> tuple[ProcessHead, ...]:
        """The processes that ended FAILED by it."""
        if self.ignored:
            return ()
        return tuple(head for head in self.heads if head.status is Status.FAILED)


@dataclass(slots=True, kw_only=True)
class Worker:
    """Runs the processes of deliveries, one delivery at a time per call; safe to call at once."""

    listeners: Sequence[Listener]
    reader: Reader
    runner: Runner
    boards: Boards
    journal: JournalLog
    follow_up: FollowUp | None = None  # None where nothing can come later, as in memory
    outlet: Outlet | None = None  # None where nothing is ever sent
    gate: Gate | None = None  # None where everything may come in
    _sent: dict[str, int] = field(default_factory=dict, init=False)  # last records published

    async def settle(self, delivery: Delivery) -> Settled:
        """Run every process that the delivery starts, and return when all of it is durable.

        Raises `InfrastructureError` when a server is away: call again, nothing is lost.
        """
        reading = self.reader(delivery)
        wanted = [listener for listener in self.listeners if listener.wants(delivery, reading)]
        if not wanted:
            ignored = "own_event" if reading.is_own else "no_reaction"
            return Settled(delivery=delivery, heads=(), ignored=ignored)
        if self.gate:
            admission = await self.gate.admit(delivery, reading)
            if admission.refused:
                return Settled(delivery=delivery, heads=(), ignored=admission.refused)
            delivery = replace(delivery, causation=admission.causation)
        before = await self._earlier(delivery) if delivery.attempt > 1 else {}
        heads = list[ProcessHead]()
        for listener in wanted:
            start = start_for(delivery, reading, listener.reaction.name)
            if (made := await self._made(start, listener, reading, before)) is not None:
                heads.append(await self.run(made))
        ignored = "" if heads else "no_reaction"
        return Settled(delivery=delivery, heads=tuple(heads), ignored=ignored)

    async def _made(
        self, start: Start, listener: Listener, reading: Reading, before: Mapping[str, ProcessHead]
    ) -> Start | None:
        """The start, with all that the reaction says and hears; None: it hears nothing."""
        start, earlier = listener.ready(start), before.get(start.reaction)
        if earlier is not None and earlier.status is not Status.FAILED:
            # It has got so far that another attempt would repeat its work.
            return replace(start, process_id=earlier.id, attempt=earlier.attempt)
        if listener.ear is None or reading.reaction:  # it is reminded, and has heard it before
            return start
        heard = await listener.ear.hear(reading)
        return replace(start, facts=(*start.facts, *heard)) if heard else None

    async def _earlier(self, delivery: Delivery) -> Mapping[str, ProcessHead]:
        """By reaction, the newest process that an earlier attempt at the delivery has started."""
        newest: dict[str, ProcessHead] = {}
        for started in await self.boards.started_by(delivery.key):
            stored = await self.boards.read(started)
            if stored is None or stored.head.parent_id or stored.head.attempt >= delivery.attempt:
                continue
            known = newest.get(stored.head.reaction)
            if known is None or known.attempt < stored.head.attempt:
                newest[stored.head.reaction] = stored.head
        return newest

    async def run(self, start: Start) -> ProcessHead:
        """Run a process until it is settled, and return when all of it is durable.

        Raises what `Runner.run` does, but for `LeaseLost`.
        """
        while True:
            try:
                ran = await self.runner.run(start)
            except LeaseLost:  # another worker took over: wait for what becomes of it
                continue
            await self._publish(ran)
            await self._send(ran)
            if self.follow_up:
                await self.follow_up.after(ran.head)
            return ran.head

    async def _send(self, ran: Ran) -> None:
        for child in ran.children:
            await self._send(child)
        if self.outlet and ran.effects:
            await self.outlet.take(ran.head, ran.effects)

    async def _publish(self, ran: Ran) -> None:
        for child in ran.children:
            await self._publish(child)
        if not ran.unsent:
            return
        await self.journal.publish(ran.unsent)
        self._sent[ran.head.id] = ran.unsent[-1].seq
        if len(self._sent) >= MARKED_TOGETHER:
            await self.mark_sent()

    async def mark_sent(self) -> None:
        """Let the store know what was published since the last time; call it at the end.

        What gets lost of it, in a crash or because the store is away, is published again if its
        delivery is read again; every reader drops what it has seen.
        """
        sent, self._sent = self._sent, {}
        with suppress(InfrastructureError):
            await self.boards.mark_sent(sent)


def start_for(delivery: Delivery, reading: Reading, reaction: str) -> Start:
    """What a process is started with, but for what its reaction says."""
    return Start(
        process_id=process_id(delivery=delivery.key, reaction=reaction, attempt=delivery.attempt),
        delivery=delivery.key,
        reaction=reaction,
        subject=delivery.subject.key,
        subject_name=delivery.subject.name,
        event=delivery.kind,
        host=delivery.host,
        cause=reading.cause,
        causation=delivery.causation,
        happened_at=reading.happened_at,
        attempt=delivery.attempt,
        facts=reading.facts,
    )


def _named(reading: Reading) -> Mapping[str, object]:
    return dict(_names(reading))


def _names(reading: Reading) -> Iterator[tuple[str, object]]:
    for name, value in reading.facts:
        yield snake_case(type(value).__name__), value
        yield name, value
