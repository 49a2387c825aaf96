"""Sending: the one place where effects become changes outside.

    take    what processes want goes into the ledger; their deliveries wait for that, not for more
    run     what the ledger holds is sent: at once what was told here, and what others have left

Of one subject one effect at a time, in order; of all of them `concurrency` at once.  Each try is
begun in the ledger before the executor is called, and its result counts only while the turn is
still ours.  Kill it anywhere: whoever comes next begins where it was, and looks first.
"""

import asyncio
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from datetime import timedelta
from typing import Protocol

from reactor.effect import EffectRecord
from reactor.errors import InfrastructureError, ReactorError
from reactor.failure import in_one_line
from reactor.ledger import Caps, Enrolled, Intent, Ledger, NotNow, Outcome, Sending, Waiting
from reactor.log_context import bound
from reactor.ports import Clock
from reactor.status import ProcessHead
from reactor.tracing import Span, span
from reactor.trying import Tried, Tries

_LOOKED_AT = 100  # subjects in one look
_MOST_TOLD = 1000  # subjects that are remembered; what is beyond that, the next look finds
_SHORTEST_WAIT_S, _LONGEST_WAIT_S = 0.1, 10.0  # while the ledger is away
_LAST_WORD_S = 1.0  # to hand back what is cut off


class SubjectStuck(ReactorError):
    """What is first in a subject's queue can't be sent by this worker."""

    def __init__(self, subject: str, why: str) -> None:
        super().__init__(subject, why)
        self.subject, self.why = subject, why

    def __str__(self) -> str:
        return (
            f"the effects of {self.subject} wait, and are tried again: {self.why}; was the first"
            " of them enrolled by a newer version? run that one"
        )


class SendingObserver(Protocol):
    """Who is told what becomes of effects."""

    def enrolled(self, intent: Intent, enrolled: Enrolled) -> None:
        """It was queued, refused because of a cap, or is another process's already."""
        ...

    def tried(self, sending: Sending, tried: Tried) -> None:
        """It was done, refused or given up, or is due later; and that is kept."""
        ...

    def lost(self, intent: Intent) -> None:
        """Its turn was taken over: what came of it here does not count."""
        ...

    def in_trouble(self, error: ReactorError) -> None:
        """The ledger does not answer, or a subject is stuck."""
        ...


AskedFor = Callable[[ProcessHead, EffectRecord], bool]
"""Whether a person asked for an effect, and so waits for it."""


@dataclass(slots=True, kw_only=True)
class Sender:
    """Fits the worker's `Outlet`; safe to be called at once."""

    ledger: Ledger
    tries: Tries
    caps: Caps
    clock: Clock
    owner: str  # unlike that of anybody alive: who has its name has its turns
    observers: Sequence[SendingObserver] = ()
    concurrency: int = 8
    lease: timedelta = timedelta(seconds=30)
    asked_for: AskedFor = lambda head, record: False  # nobody did
    look_every: timedelta = timedelta(seconds=1)  # for what others have left, or is due again
    _told: dict[str, Waiting] = field(default_factory=dict, init=False)  # those first that waited
    _in_hand: set[str] = field(default_factory=set, init=False)  # subjects
    _news: asyncio.Event = field(default_factory=asyncio.Event, init=False)
    _is_stopping: bool = field(default=False, init=False)

    # What processes want --------------------------------------------------------------------

    async def take(self, head: ProcessHead, effects: Sequence[EffectRecord]) -> None:
        """Return once those that are to be sent are in the ledger; a repeat does no harm.

        Raises `InfrastructureError`.
        """
        wanted = _by_subject(head, effects, self.asked_for)
        if not wanted:
            return
        with span("enrol", process_id=head.id) as step:
            for intents in wanted.values():
                await self._enrol([replace(each, traceparent=step.traceparent) for each in intents])

    async def _enrol(self, intents: Sequence[Intent]) -> None:
        enrolment = await self.ledger.enrol(intents, self.caps, now=self.clock.now())
        for intent, enrolled in zip(intents, enrolment.found, strict=True):
            for observer in self.observers:
                observer.enrolled(intent, enrolled)
        if enrolment.waiting is not None:
            self._tell(enrolment.waiting)

    def _tell(self, waiting: Waiting) -> None:
        if waiting.subject in self._told or len(self._told) < _MOST_TOLD:
            self._told[waiting.subject] = waiting
            self._news.set()

    # Sending it -----------------------------------------------------------------------------

    async def run(self) -> None:
        """Send until `drain` or until cancelled; what is cut off then is handed back."""
        async with asyncio.TaskGroup() as group:
            looking = group.create_task(self._look())
            while not self._is_stopping:
                for waiting in self._free():
                    self._in_hand.add(waiting.subject)
                    group.create_task(self._serve(waiting))
                self._news.clear()
                await self._news.wait()
            looking.cancel()

    async def drain(self, within: timedelta) -> None:
        """Begin nothing more, and wait so long for what is being sent."""
        self._is_stopping = True
        self._news.set()
        with suppress(TimeoutError):
            async with asyncio.timeout(within.total_seconds()):
                while self._in_hand:
                    self._news.clear()
                    await self._news.wait()

    def _free(self) -> Iterator[Waiting]:
        """Those told that can be seen to now, first those that waited longest; told no more."""
        for subject in sorted(self._told, key=lambda subject: self._told[subject].mark):
            if len(self._in_hand) >= self.concurrency:
                return
            if subject not in self._in_hand:
                yield self._told.pop(subject)

    async def _look(self) -> None:
        """Find what others have left: their worker died, or it was due only later."""
        wait_s = self.look_every.total_seconds()
        while not self._is_stopping:
            try:
                found = await self.ledger.waiting(now=self.clock.now(), limit=_LOOKED_AT)
            except InfrastructureError as error:
                self._tell_trouble(error)
                wait_s = min(wait_s * 2, _LONGEST_WAIT_S)
            else:
                wait_s = self.look_every.total_seconds()
                for waiting in found:
                    if waiting.subject not in self._in_hand:
                        self._tell(waiting)
            await asyncio.sleep(wait_s)

    async def _serve(self, waiting: Waiting) -> None:
        """Send of one subject what can be sent now."""
        try:
            while not self._is_stopping and await self._serve_one(waiting):
                pass
        except InfrastructureError as error:  # the index keeps it
            self._tell_trouble(error)
        except Exception as error:  # noqa: BLE001 - the other subjects go on, whatever it is
            self._tell_trouble(SubjectStuck(waiting.subject, in_one_line(error)))
            with suppress(InfrastructureError):
                await self.ledger.put_off(waiting, self.clock.now() + self.lease)
        finally:
            self._in_hand.discard(waiting.subject)
            self._news.set()

    async def _serve_one(self, waiting: Waiting) -> bool:
        """Whether there may be more of it to send."""
        begun_s, subject = self.clock.monotonic_s(), waiting.subject
        found = await self.ledger.begin(
            subject, owner=self.owner, lease=self.lease, now=self.clock.now()
        )
        if isinstance(found, NotNow):
            await self.ledger.put_off(waiting, found.until)
            return False
        with bound(**_names(found.intent)):
            took_s = self.clock.monotonic_s() - begun_s
            # this process may have been stopped meanwhile, for longer than its turn lasts
            was_slow = took_s > self.lease.total_seconds() / 3
            if was_slow and not await self.ledger.renew(found.turn, lease=self.lease):
                return self._lose(found)
            return await self._send(found)

    async def _send(self, sending: Sending) -> bool:
        intent = sending.intent
        told = {"effect": intent.record.effect.kind, "key": intent.key, **_names(intent)}
        with span("send", parent=intent.traceparent, number=sending.number, **told) as step:
            return await self._make(sending, step)

    async def _make(self, sending: Sending, step: Span) -> bool:
        outcome = self.tries.cut_off(sending, lease=self.lease)
        try:
            tried = await self._try(sending)
            if tried is None:
                return self._lose(sending)
            outcome = tried.outcome
            step.note(state=outcome.state)
            if not await self._finish(sending, outcome):
                return self._lose(sending)
        except asyncio.CancelledError:
            await self._hand_back(sending, outcome)
            raise
        for observer in self.observers:
            observer.tried(sending, tried)
        return True

    async def _try(self, sending: Sending) -> Tried | None:
        """What came of it; None where the turn was lost meanwhile, and the try given up."""
        tried: Tried | None = None
        is_made = asyncio.Event()
        with suppress(_TurnLost):
            try:
                async with asyncio.TaskGroup() as group:
                    renewing = group.create_task(self._renew(sending, until=is_made))
                    tried = await self.tries.make(sending)
                    is_made.set()  # should a client swallow the cancellation, it ends all the same
                    renewing.cancel()
            except BaseExceptionGroup as errors:
                raise errors.exceptions[0] from None
        return tried

    async def _renew(self, sending: Sending, *, until: asyncio.Event) -> None:
        while not until.is_set():
            await asyncio.sleep(self.lease.total_seconds() / 3)
            with suppress(InfrastructureError):  # the next one may come through in time
                if not await self.ledger.renew(sending.turn, lease=self.lease):
                    raise _TurnLost

    async def _finish(self, sending: Sending, outcome: Outcome) -> bool:
        """Keep trying: the change is made, and the next one would have to look for it."""
        wait_s = _SHORTEST_WAIT_S
        while True:
            try:
                return await self.ledger.finish(sending, outcome, now=self.clock.now())
            except InfrastructureError as error:
                self._tell_trouble(error)
            await asyncio.sleep(wait_s)
            wait_s = min(wait_s * 2, _LONGEST_WAIT_S)

    async def _hand_back(self, sending: Sending, outcome: Outcome) -> None:
        with suppress(InfrastructureError, TimeoutError):
            async with asyncio.timeout(_LAST_WORD_S):
                await self.ledger.finish(sending, outcome, now=self.clock.now())

    def _lose(self, sending: Sending) -> bool:
        for observer in self.observers:
            observer.lost(sending.intent)
        return False

    def _tell_trouble(self, error: ReactorError) -> None:
        for observer in self.observers:
            observer.in_trouble(error)


class _TurnLost(Exception):
    """Somebody else has the turn."""


def _by_subject(
    head: ProcessHead, effects: Sequence[EffectRecord], asked_for: AskedFor
) -> Mapping[str, Sequence[Intent]]:
    """What is to be sent, in order, or held for a person; what was only observed never is."""
    found: dict[str, list[Intent]] = {}
    for record in effects:
        if record.mode != "observe" and record.state == "intended":
            found.setdefault(record.subject, []).append(
                _intent(head, record, priority=int(asked_for(head, record)))
            )
    return found


def _intent(head: ProcessHead, record: EffectRecord, *, priority: int) -> Intent:
    return Intent(
        record=record,
        process_id=head.id,
        delivery=head.delivery,
        host=head.host,
        subject_name=head.subject_name,
        cause=head.cause,
        depth=len(head.causation),
        happened_at=head.happened_at,
        priority=priority,
    )


def _names(intent: Intent) -> Mapping[str, str]:
    """What log lines say on behalf of it."""
    return {
        "delivery_id": intent.delivery.rpartition("/")[2],
        "subject": intent.subject_name,
        "process_id": intent.process_id,
    }
