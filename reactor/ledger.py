"""The ledger of effects: what is to be sent, what is being sent, and what came of it.

    enrol -> intended -> begin -> sending -> finish -> done | refused | given_up -> retry
                            ^                  |                                     |
                            +------ due <------+<------------------------------------+
    enrol -> held -> rule -> intended | refused
               ^
      finish --+

A row for each idempotency key.  Rows of one subject form a queue: its first one is sent, the
others wait behind it.  Who sends has the subject's turn, a lease with a fence; a result counts
only under the fence that the try was begun with.  So each change is made once as far as that can
be known: a try that was cut off between its change and its result is begun again, and told so.

One whose mode is "approve" is held for a person, and so is one that turns out to need approval when
it is to be sent.  It is in no queue, so nothing waits behind it;
once somebody approves it, it goes to the end of its subject's queue.

A refused one was decided on, and stays so.  A given up one might have come through at another
time: it is in no queue either, is listed for people, and can be driven again.

Shapes and a port; adapters fit it.  Imports nothing of Reactor but effects.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Literal, NamedTuple, Protocol

from reactor.effect import EffectRecord

FateState = Literal["held", "intended", "sending", "due", "done", "refused", "given_up"]

SETTLED: frozenset[FateState] = frozenset(("done", "refused", "given_up"))  # in no queue any more


HEAD_START = timedelta(hours=1)
"""So much longer a subject seems to have waited when a person asked for something there."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Intent:
    """An effect that a process wants to have sent, and on whose behalf."""

    record: EffectRecord
    process_id: str
    delivery: str  # `Delivery.key`
    host: str
    subject_name: str
    cause: str  # digest of what happened
    depth: int = 0  # how many deliveries led to that one, each caused by the one before
    traceparent: str = ""  # of the span in which it was wished; "" where nobody traces
    happened_at: datetime | None = None  # when what caused it did, by the clock of its host
    priority: int = 0  # above 0: a person asked for it; its subject is looked at before others

    @property
    def key(self) -> str:
        """The idempotency key."""
        return self.record.key


def asked_for_by_a_person(intent: Intent) -> Intent:
    """The same, as one for which somebody waits."""
    return replace(intent, priority=max(intent.priority, 1))


@dataclass(frozen=True, slots=True, kw_only=True)
class Caps:
    """How many changes are let through; those beyond are refused."""

    per_event: int  # of one delivery
    per_day: int  # of one repository, in a day of UTC
    per_subject: int  # of one subject, within `window`
    window: timedelta

    @property
    def over_event(self) -> str:
        """Why one is refused that is too many for its event."""
        return f"its event has brought about {self.per_event} changes (effects.per_event)"

    @property
    def over_day(self) -> str:
        """Why one is refused that is too many for the day."""
        return f"its repository has had {self.per_day} changes today (effects.per_day)"

    @property
    def over_subject(self) -> str:
        """Why one is refused that is too many for its subject."""
        window_s = self.window.total_seconds()
        changes = f"{self.per_subject} changes within {window_s:g} s"
        return f"its subject has had {changes} (effects.per_subject)"


@dataclass(frozen=True, slots=True, kw_only=True)
class Enrolled:
    """What became of an intent at the door."""

    key: str
    verdict: Literal["queued", "held", "repeated", "refused"]
    """"repeated": the key is known, nothing else."""
    process_id: str  # whose wish is in the ledger: another one's, where it is repeated
    reason: str = ""  # of "refused"


@dataclass(frozen=True, slots=True)
class Waiting:
    """A subject with something to send, in the index of what is due."""

    subject: str
    mark: int  # changes with every entry, so that who removes it removes what was seen


@dataclass(frozen=True, slots=True, kw_only=True)
class Enrolment:
    """What became of the intents of one subject."""

    found: tuple[Enrolled, ...]  # in the order of the intents
    waiting: Waiting | None  # None: nothing was queued


@dataclass(frozen=True, slots=True)
class Turn:
    """The right to send what is first in a subject's queue."""

    subject: str
    owner: str
    fence: int  # grows with every try


@dataclass(frozen=True, slots=True, kw_only=True)
class Sending:
    """A try that has begun: that it has is durable."""

    turn: Turn
    intent: Intent
    number: int  # of this try
    failures: int  # earlier tries that failed or were cut off, since it was last driven again
    may_be_done: bool  # one of them may have made the change
    away: int = 0  # of the failures: those for which the other side was away
    delayed: timedelta = timedelta(0)  # pauses of tries that were put off; likewise since then
    is_approved: bool = False  # it was held, and a person has approved it


@dataclass(frozen=True, slots=True)
class NotNow:
    """There is nothing to be sent of a subject at this moment."""

    why: Literal["empty", "held", "later"]  # "held": somebody else has the turn
    until: datetime | None = None  # of "held" and "later"


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """What came of a try."""

    state: Literal["done", "refused", "given_up", "due", "held"]
    """"held": a person has to approve it by now; so only of one that nobody has ruled on."""
    result: str = ""  # JSON text, of "done"
    reason: str = ""  # of the others
    due_at: datetime | None = None  # of "due"
    failed: bool = False  # it counts as a failure
    away: bool = False  # of one that failed: the other side was away
    delayed: timedelta = timedelta(0)  # of one that was put off: how long, where that counts
    may_be_done: bool = False  # the change may have been made all the same


@dataclass(frozen=True, slots=True, kw_only=True)
class Fate:
    """Where an effect stands, for people."""

    key: str
    state: FateState
    process_id: str  # whose wish it is
    attempts: int
    enrolled_at: datetime
    changed_at: datetime
    due_at: datetime | None = None  # of "due"
    result: str = ""  # JSON text, of "done"
    reason: str = ""  # why it was refused or given up, or is due only later
    ruled_by: str = ""  # who approved or rejected what was held
    ruled_at: datetime | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Held:
    """An effect that waits for a person."""

    intent: Intent
    since: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class Ruling:
    """What somebody says of an effect that is held."""

    is_approved: bool
    by: str  # a login, a name, or what else did it
    reason: str = ""  # why it is refused, where it is


@dataclass(frozen=True, slots=True, kw_only=True)
class Ruled:
    """How an effect was ruled on, now or before: the first ruling counts."""

    is_approved: bool
    by: str
    at: datetime
    waiting: Waiting | None = None  # of one approved that is still to be sent


@dataclass(frozen=True, slots=True, kw_only=True)
class GivenUp:
    """An effect that was given up, and can be driven again."""

    intent: Intent
    at: datetime
    attempts: int
    reason: str


class Sent(NamedTuple):
    """The newest effect that was begun to be sent on a subject."""

    delivery: str  # `Delivery.key` of the one that led to it
    depth: int  # how many deliveries had led to that one


class Ledger(Protocol):
    """Where effects are kept until something came of them.

    Every method may raise `InfrastructureError`, and may be called again after that.  Leases run
    by the store's own clock, everything else by the `now` that is passed in.
    """

    async def enrol(self, intents: Sequence[Intent], caps: Caps, *, now: datetime) -> Enrolment:
        """Keep the intents of one subject, in their order; those whose key is known stay as is.

        One beyond a cap is kept as refused, one whose mode is "approve" as held.  When this
        returns, `waiting` finds the subject of what was queued, and `held` what is held.
        """
        ...

    async def rule(self, subject: str, key: str, ruling: Ruling, *, now: datetime) -> Ruled | None:
        """Let what is held be sent, or refuse it; None where the key is not one that was held.

        Somebody waits for what was approved: it has priority, and its subject a `HEAD_START`.
        Called again it tells what was ruled first, and has what was approved looked at again.
        """
        ...

    async def held(self, *, until: datetime, limit: int) -> list[Held]:
        """What is held since then or earlier, oldest first."""
        ...

    async def begin(
        self, subject: str, *, owner: str, lease: timedelta, now: datetime
    ) -> Sending | NotNow:
        """Take the subject's turn and begin a try of what is first in its queue.

        The same owner gets the turn again at once, with a new fence.
        """
        ...

    async def renew(self, turn: Turn, *, lease: timedelta) -> bool:
        """Keep the turn; False where somebody else has it, or has had it."""
        ...

    async def finish(self, sending: Sending, outcome: Outcome, *, now: datetime) -> bool:
        """Keep what came of the try, and give the turn back.

        False where the turn was taken over: nothing is kept then, another try was begun.
        """
        ...

    async def given_up(self, *, limit: int) -> list[GivenUp]:
        """What was given up and nobody has driven again, newest first."""
        ...

    async def given_up_count(self) -> int:
        """How many that are; it may count some that were just driven again."""
        ...

    async def retry(self, given_up: GivenUp, *, now: datetime) -> bool:
        """Let it be sent again: due now, behind what its subject has to send already.

        Failures and delays are counted anew; that it may be done is kept.  False where it is not
        given up any more.
        """
        ...

    async def waiting(self, *, now: datetime, limit: int) -> list[Waiting]:
        """Subjects that may have something to send now, those first that have waited longest.

        One that had something enrolled with priority has a `HEAD_START`.
        """
        ...

    async def put_off(self, waiting: Waiting, until: datetime | None) -> None:
        """Let the subject be looked at again then; None: when something is enrolled again.

        Changes nothing where something was enrolled since, but to an earlier moment.
        """
        ...

    async def subjects_waiting(self) -> int:
        """How many subjects have something to send, now or later."""
        ...

    async def fates(self, subject: str, keys: Collection[str]) -> Mapping[str, Fate]:
        """By key, of those that were ever enrolled."""
        ...

    async def newest_sent(self, subject: str) -> Sent | None:
        """Which delivery led to the newest effect there; remembered for an hour.

        An effect counts from when its first try begins: what it brings about can come back
        before its result is kept.
        """
        ...
