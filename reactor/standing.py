"""Where a process stands: its head, what is kept of it, and who is told about it.

The one place where a head changes, so that what is kept, what is told and what is true agree.
"""

from collections.abc import Callable, Mapping
from datetime import datetime

from reactor.journal import Weighed
from reactor.listening import (
    Answered,
    CameToRest,
    Completed,
    Failed,
    GoalAchieved,
    Killed,
    Paused,
    ProcessEvent,
    ProcessListener,
    Rescued,
    Resumed,
    Stuck,
    Terminated,
    Waiting,
    tell,
)
from reactor.record import Record
from reactor.status import ProcessHead, Status
from reactor.tally import Tally
from reactor.waiting import Answer, FormRequest

_TOLD: Mapping[Status, type[CameToRest]] = {
    Status.STUCK: Stuck,
    Status.PAUSED: Paused,
    Status.COMPLETED: Completed,
    Status.FAILED: Failed,
    Status.TERMINATED: Terminated,
    Status.KILLED: Killed,
}


class Standing:
    """The standing of one process."""

    def __init__(
        self,
        head: ProcessHead,
        record: Record,
        listeners: tuple[ProcessListener, ...],
        tally: Tally,
    ) -> None:
        self.head, self._record, self._listeners = head, record, listeners
        self._tally = tally
        tally.begin(head.id, head.usage)
        self._now = record.now
        self._adopted: dict[str, tuple[int, str]] = {}  # of what was adopted here: by what run

    @property
    def head_of_all(self) -> ProcessHead:
        """The head with all that is used up now, by those that it runs within as well."""
        return self.head.but(usage=self._tally.used)

    def become(self, status: Status, *, failure: str = "") -> None:
        """Change the status.  One that is final waits for nobody any more."""
        was = self.head.status
        forms = () if status.is_final else self.head.forms
        self.head = self.head.but(
            status=status, failure=failure, forms=forms, updated_at=self._now()
        )
        if status is Status.RUNNING and was.is_settled:
            self.tell(lambda head, at: Resumed(head=head, at=at))

    def rest(
        self, status: Status, reason: str, *, failure: str = "", weighed: Weighed | None = None
    ) -> None:
        """Come to rest, or to the end."""
        self.become(status, failure=failure)
        self._record.end(self.head, reason, weighed)
        if status is Status.WAITING:
            self.tell(lambda head, at: Waiting(head=head, at=at, forms=head.forms))
        else:
            kind = _TOLD[status]
            self.tell(lambda head, at: kind(head=head, at=at, reason=reason))

    def achieve(self, goal: str | None, weighed: Weighed) -> None:
        """A goal holds."""
        self.head = self.head.but(goal=goal)
        self.tell(lambda head, at: GoalAchieved(head=head, at=at, goal=goal or ""))
        self.rest(Status.COMPLETED, f"the goal {goal} holds", weighed=weighed)

    def ask(self, *forms: FormRequest, weighed: Weighed | None = None) -> None:
        """Wait for the answers to these, and to those that are open."""
        self.head = self.head.but(forms=(*self.head.forms, *forms))
        asked = ", ".join(repr(form.title) for form in self.head.forms)
        self.rest(Status.WAITING, f"waits for an answer to {asked}", weighed=weighed)

    def hear(self, form: FormRequest, answer: Answer) -> None:
        """An answer has come.  A process that is PAUSED rests on."""
        forms = tuple(other for other in self.head.forms if other is not form)
        answered = (*self.head.answered, answer.id)
        self.head = self.head.but(forms=forms, answered=answered, updated_at=self._now())
        self.tell(lambda head, at: Answered(head=head, at=at, form=form, answer=answer))
        if self.head.status is Status.WAITING:
            self.become(Status.RUNNING)

    def adopt(self, child: str, *, tick: int, action: str) -> None:
        """A sub-process is about to begin, or was found again.

        Those of actions that run beside each other are ordered by the names of these, as their
        results are, and not by which of them was the first to begin: after a crash, which of them
        are known already says nothing about that.
        """
        self._adopted.setdefault(child, (tick, action))
        earlier = (known for known in self.head.children if known not in self._adopted)
        adopted = sorted(self._adopted, key=self._adopted.__getitem__)
        self.head = self.head.but(children=(*earlier, *adopted))

    def note_rescue(self) -> None:
        """The stuck handler has helped."""
        self.head = self.head.but(rescues=self.head.rescues + 1, updated_at=self._now())
        self.tell(lambda head, at: Rescued(head=head, at=at))

    def use(self, usage: Mapping[str, float]) -> None:
        """Add to what was used up."""
        have = self.head.usage
        total = {kind: have.get(kind, 0.0) + usage.get(kind, 0.0) for kind in {**have, **usage}}
        self.head = self.head.but(usage=total, updated_at=self._now())

    def tell(self, event: Callable[[ProcessHead, datetime], ProcessEvent]) -> None:
        """Tell the listeners, if there are any."""
        if self._listeners:
            tell(self._listeners, event(self.head, self._now()))
