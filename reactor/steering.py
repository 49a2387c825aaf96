"""Steering: what a signal does to the process that it is for.

    signal -> its process, as it is stored -> the reaction that it runs for -> run it on

Reading a signal again does no harm: an answer is heard once, a wake counts for the state it was
meant for, a retry names the attempt that it begins, and a wish is the same wish.  A ruling goes to
the ledger, where the first one on an effect counts; its process need not be there any more.
"""

import asyncio
from dataclasses import dataclass, replace
from itertools import takewhile

from reactor.blackboard import SEED, Change, Put
from reactor.delivery import Delivery
from reactor.follow_up import FollowUp
from reactor.ledger import Ledger, Ruling
from reactor.ports import Clock, Stored
from reactor.runner import NoSuchProcess, Start
from reactor.signal import LIFECYCLE, TIMER, BadSignal, Signal, read_signal
from reactor.status import ProcessHead, Status, process_id
from reactor.topic import GivenUp
from reactor.waiting import Answer, AnswerRefused
from reactor.worker import Settled, Worker


class SignalLost(GivenUp):
    """A signal that reaches nobody."""

    def __init__(self, signal: str, why: str) -> None:
        super().__init__(signal, why)
        self.signal, self.why = signal, why

    def __str__(self) -> str:
        return f"the signal {self.signal} reaches nobody: {self.why}"


class AnswerUnheard(GivenUp):
    """An answer that its process refused; a better one would be heard."""

    dead_reason = "refused"

    def __init__(self, refused: AnswerRefused) -> None:
        super().__init__(refused)
        self.refused = refused

    def __str__(self) -> str:
        return str(self.refused)


@dataclass(frozen=True, slots=True, kw_only=True)
class Steering:
    """Settles signals; safe to call at once."""

    worker: Worker
    follow_up: FollowUp
    clock: Clock
    ledger: Ledger | None = None  # None where nothing is ever sent

    async def settle(self, delivery: Delivery) -> Settled:
        """Let the process hear it, and run it on until it is settled again.

        Raises `InfrastructureError` when a server is away: call again, nothing is lost.  Raises
        `BadSignal`, `SignalLost` and `AnswerUnheard`, which are given up.
        """
        signal = read_signal(delivery)
        if signal.kind == "rule":
            return await self._rule(delivery, signal)
        stored = await self.worker.boards.read(signal.process_id)
        if stored is None and signal.by in (TIMER, LIFECYCLE):  # its time was over first
            return Settled(delivery=delivery, heads=(), ignored="process_gone")
        if stored is None:
            raise SignalLost(signal.id, str(NoSuchProcess(signal.process_id)))
        start = self._resuming(stored.head, signal)
        if signal.kind == "retry":
            return await self._retry(delivery, stored, start, number=signal.reason)
        settled = await self._heard(delivery, stored.head, start, signal)
        await self._see_to_what_ended(stored.head, settled)
        return settled

    async def _heard(
        self, delivery: Delivery, head: ProcessHead, start: Start, signal: Signal
    ) -> Settled:
        """Run it with what it is told."""
        if signal.answer is not None:
            return await self._answer(delivery, head, replace(start, answer=signal.answer))
        if signal.kind == "wake":
            return await self._wake(delivery, head, start, number=signal.reason)
        start = replace(start, wish=signal.wish, why_wished=signal.reason)
        ignored = "process_over" if head.status.is_final else ""
        return Settled(delivery=delivery, heads=(await self.worker.run(start),), ignored=ignored)

    async def _see_to_what_ended(self, before: ProcessHead, settled: Settled) -> None:
        """Take back what was to come of a process that rested like this."""
        if any(head.id == before.id and head.status.is_final for head in settled.heads):
            await self.follow_up.over(before)

    async def _rule(self, delivery: Delivery, signal: Signal) -> Settled:
        """Approve or reject what is held; whoever sends finds it in the ledger."""
        said = signal.ruling
        assert said is not None, "who reads a signal has looked"
        why = f": {signal.reason}" if signal.reason else ""
        ruling = Ruling(
            is_approved=said.is_approved,
            by=signal.by,
            reason="" if said.is_approved else f"{signal.by or 'somebody'} rejected it{why}",
        )
        ledger, now = self.ledger, self.clock.now()
        ruled = await ledger.rule(said.subject, said.key, ruling, now=now) if ledger else None
        if ruled is None:
            raise SignalLost(signal.id, f"no effect {said.key} of {said.subject} is held")
        ignored = "" if ruled.is_approved == said.is_approved else "late_ruling"
        return Settled(delivery=delivery, heads=(), ignored=ignored)

    async def _retry(
        self, delivery: Delivery, stored: Stored, start: Start, *, number: str
    ) -> Settled:
        """Begin the `number`th attempt with what the failed one began with; or go on with it.

        The delivery itself may be gone from its topic by now, and is not needed.
        """
        head, attempt = stored.head, _number(number)
        if attempt <= head.attempt or head.parent_id is not None:
            raise BadSignal(delivery.id, f"{number!r} is no attempt after that of {head.id}")
        if head.status is not Status.FAILED:
            return Settled(delivery=delivery, heads=(head,), ignored="process_not_failed")
        following = replace(
            start,
            process_id=process_id(delivery=head.delivery, reaction=head.reaction, attempt=attempt),
            attempt=attempt,
            inherited=tuple(takewhile(_is_seed, stored.changes)),
        )
        return Settled(delivery=delivery, heads=(await self.worker.run(following),))

    async def _wake(
        self, delivery: Delivery, head: ProcessHead, start: Start, *, number: str
    ) -> Settled:
        """Wake it for the `number`th time; or go on, where that was begun before."""
        is_next, is_begun = number == str(head.wakes + 1), number == str(head.wakes)
        head = await self.worker.run(replace(start, wake=is_next))
        ignored = "" if is_next or is_begun else "late_wake"
        return Settled(delivery=delivery, heads=(head,), ignored=ignored)

    async def _answer(self, delivery: Delivery, head: ProcessHead, start: Start) -> Settled:
        answer, ignored = start.answer, ""
        assert answer is not None, "who calls this has looked"
        await self._wait_for_expiry(head, answer)
        try:
            head = await self.worker.run(start)
        except AnswerRefused as refused:
            head = await self.worker.run(replace(start, answer=None))
            if refused.is_open:
                raise AnswerUnheard(refused) from refused
            ignored = "late_answer"
        await self.follow_up.answered(answer)
        return Settled(delivery=delivery, heads=(head,), ignored=ignored)

    async def _wait_for_expiry(self, head: ProcessHead, answer: Answer) -> None:
        """The timer may have been fired by a clock that is ahead of ours."""
        due = [form.expires_at for form in head.forms if form.id == answer.form_id]
        if answer.expired and due and due[0] is not None:
            await asyncio.sleep(max(0.0, (due[0] - self.clock.now()).total_seconds()))

    def _resuming(self, head: ProcessHead, signal: Signal) -> Start:
        """What the process was started with, but for its facts, which it has.

        Raises `SignalLost` where its reaction is not there any more.
        """
        for listener in self.worker.listeners:
            if listener.reaction.name == head.reaction:
                return listener.ready(resuming(head))
        why = (
            f"its process {head.id} belongs to the reaction {head.reaction!r}, which the settings"
            " do not name any more; put it back, and drive the signal again from the dead letters"
        )
        raise SignalLost(signal.id, why)


def _is_seed(change: Change) -> bool:
    return isinstance(change, Put) and change.entry.producer == SEED


def _number(text: str) -> int:
    return int(text) if text.isascii() and text.isdigit() and len(text) < 7 else 0


def resuming(head: ProcessHead) -> Start:
    """What a process was started with, as far as its head tells."""
    return Start(
        process_id=head.id,
        delivery=head.delivery,
        reaction=head.reaction,
        subject=head.subject,
        subject_name=head.subject_name,
        event=head.event,
        host=head.host,
        cause=head.cause,
        agent=head.agent,
        attempt=head.attempt,
        causation=head.causation,
        happened_at=head.happened_at,
        parent_id=head.parent_id,
        facts=(),
    )
