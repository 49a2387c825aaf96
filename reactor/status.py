"""What is recorded of a process: its status, its head, and its history.

A process is one run of the engine over one blackboard, on behalf of one reaction to one
delivery.  These are the parts that a store keeps; what runs it is `reactor.process`.
"""

import hashlib
import re
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import Final, Literal, TypedDict, Unpack

from reactor.waiting import FormRequest


class Status(StrEnum):
    """Where a process stands.  The last four are final and sticky."""

    NOT_STARTED = "NOT_STARTED"
    RUNNING = "RUNNING"
    STUCK = "STUCK"  # nothing can run now; new facts may change that
    WAITING = "WAITING"  # for a person's answer
    PAUSED = "PAUSED"
    COMPLETED = "COMPLETED"
    FAILED = "FAILED"
    TERMINATED = "TERMINATED"
    KILLED = "KILLED"

    @property
    def is_final(self) -> bool:
        """Whether nothing can change it any more."""
        return self in _FINAL

    @property
    def is_settled(self) -> bool:
        """Whether the delivery need not wait for this process any longer."""
        return self in _FINAL or self in (Status.STUCK, Status.WAITING, Status.PAUSED)


_FINAL = frozenset({Status.COMPLETED, Status.FAILED, Status.TERMINATED, Status.KILLED})

RunOutcome = Literal[
    "done", "nothing", "failed", "timeout", "waiting", "answered", "replan", "terminated"
]
"""What came of one run of an action; "nothing": it returned None, and that is no error;
"answered": no run of its own, but the end of one that was waiting."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Run:
    """One run of one action: an item of a process's history."""

    action: str
    started_at: datetime
    duration_s: float
    outcome: RunOutcome
    attempts: int = 1  # tries by the retry policy, the first included
    error: str = ""  # one line: class and message
    permanent: bool = False  # the error can't pass, so the action is barred for good
    passing: bool = False  # the error can pass: the network, a server that is busy
    hangs: bool = False  # the call was given up and still ran: no other one until it is woken
    epoch: int = 0  # how often the board had been cleared: older ran-marks do not count
    beside: int = 0  # how many runs of the same tick come before it
    consumed: int = 0  # seq of the entry that triggered it; 0 where it has no trigger


class HeadChanges(TypedDict, total=False):
    """The fields of a head that change as its process goes on."""

    status: Status
    updated_at: datetime
    goal: str | None
    failure: str
    usage: dict[str, float]
    forms: tuple[FormRequest, ...]
    answered: tuple[str, ...]
    rescues: int
    children: tuple[str, ...]


@dataclass(frozen=True, kw_only=True)
class ProcessHead:
    """What is known of a process without reading its board."""

    id: str
    delivery: str  # `Delivery.key`
    reaction: str
    subject: str  # `Subject.key`
    agent: str
    planner: str
    status: Status = Status.NOT_STARTED
    attempt: int = 1
    created_at: datetime
    updated_at: datetime
    goal: str | None = None  # the goal that was met
    failure: str = ""  # one line, where it ended FAILED, or is STUCK until it passes
    parent_id: str | None = None
    event: str = ""  # "issues.opened", for people
    subject_name: str = ""  # "octo/hello#7", for people
    usage: dict[str, float] = field(default_factory=dict)  # "tokens", "cost_usd", ...
    host: str = ""  # this and `cause` go into the keys of effects
    cause: str = ""
    causation: tuple[str, ...] = ()  # ids of the deliveries that led to its own, oldest first
    happened_at: datetime | None = None  # when what it is about did, by the clock of its host
    forms: tuple[FormRequest, ...] = ()  # what it waits for, oldest first; none once it is final
    answered: tuple[str, ...] = ()  # ids of the answers that were heard
    wakes: int = 0  # how often it was woken when it was STUCK
    woken_after: int = 0  # runs there were then: their failures count no more, if they can pass
    rescues: int = 0  # how often a stuck handler had it go on
    children: tuple[str, ...] = ()  # ids of its sub-processes, by run

    def but(self, **changes: Unpack[HeadChanges]) -> "ProcessHead":
        """The same with these changes.

        What `dataclasses.replace` does, in a seventh of the time: heads are copied with every
        step, and for every listener.
        """
        head = object.__new__(ProcessHead)
        head.__dict__.update(self.__dict__, **changes)
        return head

    @property
    def first_id(self) -> str:
        """The id of the first attempt at the same delivery and reaction; often its own."""
        if self.attempt == 1 or self.parent_id is not None:
            return self.id
        return process_id(delivery=self.delivery, reaction=self.reaction)


PROCESS_ID: Final = re.compile(r"p[0-9a-f]{24}")


def process_id(*, delivery: str, reaction: str, attempt: int = 1) -> str:
    """The same for a redelivered or re-read record, so that it resumes the same process.

    "p" and 24 hex digits: safe in keys, file names and addresses.
    """
    parts = "\x1f".join((delivery, reaction, str(attempt)))
    return "p" + hashlib.sha256(parts.encode()).hexdigest()[:24]
