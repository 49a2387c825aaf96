"""What is still to come of a process that has come to rest.

    WAITING   its forms are listed for people, and expire by a timer
    STUCK     on an error that can pass: a timer wakes it, a bounded number of times
    over      what was still to come is not: forms and timers are taken back

Everything here can be done twice without harm, so it is done before a record counts as settled:
whoever reads the record again, does it again.
"""

from dataclasses import dataclass
from datetime import timedelta
from typing import Protocol

from reactor.ports import OpenForms
from reactor.signal import TIMER, Signal, answering
from reactor.status import ProcessHead, Status
from reactor.timer import Timer, Timers
from reactor.waiting import Answer, FormRequest, expiry


@dataclass(frozen=True, slots=True, kw_only=True)
class Pauses:
    """How long something rests before it is tried again; `factor` times as long each time.

    By default, for processes, short at first (a server answered 503 once) and soon long enough for
    an outage: 15 s, 1, 4 and 16 minutes, an hour.
    """

    first: timedelta = timedelta(seconds=15)
    longest: timedelta = timedelta(hours=1)
    factor: int = 4

    def before(self, wakes: int) -> timedelta:
        """The pause after it was woken so often."""
        grown: int = self.factor ** min(wakes, 15)  # beyond that the number is huge
        return min(self.first * grown, self.longest)


class Resting(Protocol):
    """Who has to know which processes rest.  Every method may raise `InfrastructureError`."""

    async def rests(self, head: ProcessHead) -> None:
        """It has come to rest, and may go on."""
        ...

    async def is_over(self, head: ProcessHead) -> None:
        """It has rested, and has ended since."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class FollowUp:
    """Sees to what comes later.  Every method may raise `InfrastructureError`."""

    forms: OpenForms
    timers: Timers
    pauses: Pauses = Pauses()
    resting: Resting | None = None

    async def after(self, head: ProcessHead) -> None:
        """The process has come to rest like this, and that is stored."""
        for form in head.forms:
            await self._ask(form)
        if head.status is Status.STUCK and head.failure:
            await self.timers.put(self._waking(head))
        if self.resting and _may_go_on(head):
            await self.resting.rests(head)

    async def over(self, before: ProcessHead) -> None:
        """A process that rested like this has ended: nothing is to come of it any more."""
        for form in before.forms:
            await self.forms.remove(form.id)
            await self.timers.cancel(_expiry_id(form.id))
        if before.status is Status.STUCK and before.failure:
            await self.timers.cancel(_waking_id(before))
        if self.resting and _may_go_on(before):
            await self.resting.is_over(before)

    async def answered(self, answer: Answer) -> None:
        """The process has heard the answer, or nobody waits for it."""
        await self.forms.remove(answer.form_id)
        await self.timers.cancel(_expiry_id(answer.form_id))

    async def _ask(self, form: FormRequest) -> None:
        await self.forms.add(form.id, asked_at=form.asked_at)
        if form.expires_at is not None:
            told = answering(expiry(form))
            timer = Timer(
                id=_expiry_id(form.id),
                due_at=form.expires_at,
                name=told.kind,
                subject=told.subject,
                is_signal=True,
                payload=told.document,
            )
            await self.timers.put(timer)

    def _waking(self, head: ProcessHead) -> Timer:
        told = waking(head)
        return Timer(
            id=_waking_id(head),
            due_at=head.updated_at + self.pauses.before(head.wakes),
            name=told.kind,
            subject=told.subject,
            is_signal=True,
            payload=told.document,
        )


def waking(head: ProcessHead) -> Signal:
    """What a timer tells a process that is stuck; heeded only as long as it is stuck like this."""
    number = head.wakes + 1
    return Signal(
        id=f"wake-{number}-{head.id}",
        kind="wake",
        process_id=head.id,
        by=TIMER,
        reason=str(number),
    )


def _may_go_on(head: ProcessHead) -> bool:
    """Whether something outside can have it go on."""
    if head.status is Status.STUCK:
        return bool(head.failure)
    return head.status in (Status.WAITING, Status.PAUSED)


def _waking_id(head: ProcessHead) -> str:
    return f"wake:{head.id}"


def _expiry_id(form_id: str) -> str:
    return f"form:{form_id}"
