"""Ports: what the engine needs from outside, as small protocols.  Adapters fit them.

Shapes only; no adapter, no client, no settings.  `tests/contract/` holds one suite per port,
and every adapter must pass it.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Protocol

from reactor.blackboard import Change
from reactor.effect import EffectRecord
from reactor.encoded import Encoded
from reactor.errors import ReactorError
from reactor.journal import JournalRecord
from reactor.status import ProcessHead, Run
from reactor.topic import Position
from reactor.waiting import Wish


class Clock(Protocol):
    """Time, passed in, so that a replay can pass another."""

    def now(self) -> datetime:
        """Aware, UTC."""
        ...

    def monotonic_s(self) -> float:
        """Seconds from an arbitrary start; for durations."""
        ...


@dataclass(frozen=True, slots=True)
class Lease:
    """The right to write to one process, until it is taken over or runs out."""

    process_id: str
    owner: str
    fence: int  # grows with every new holder; a commit with an older one is refused


@dataclass(frozen=True, slots=True, kw_only=True)
class Stored:
    """A process as the store has it."""

    head: ProcessHead
    changes: tuple[Change, ...]
    history: tuple[Run, ...]
    effects: tuple[EffectRecord, ...]  # one for each key: its newest record, in first order
    journal_seq: int  # of the last record written
    sent_seq: int = 0  # of the last one that is known to be on the journal topic
    commits: int  # how many ticks or batches of ticks were committed


@dataclass(frozen=True, slots=True, kw_only=True)
class Commit:
    """What one tick (or a batch of quick ones) adds.  All of it is kept, or nothing."""

    head: ProcessHead
    changes: Sequence[Change] = ()
    history: Sequence[Run] = ()
    effects: Sequence[EffectRecord] = ()
    journal: Sequence[JournalRecord] = ()
    is_last: bool = False  # the lease is given back with it


@dataclass(frozen=True, slots=True, order=True)
class Place:
    """A place in the order of recent processes; a later one is greater."""

    at: datetime  # when the process last changed
    process_id: str


@dataclass(frozen=True, slots=True)
class Recent:
    """A process, and its place among the recent ones."""

    place: Place
    head: ProcessHead


@dataclass(frozen=True, slots=True)
class Opened:
    """What `Boards.open` gives: the lease, the process if it exists, and what is wished of it."""

    lease: Lease
    stored: Stored | None
    wish: Wish | None = None
    opens: int = 1  # by how many workers since anything was kept, this one included


class LeaseHeld(ReactorError):
    """Another runner holds the process; try again after `retry_in_s`."""

    def __init__(self, process_id: str, owner: str, retry_in_s: float) -> None:
        super().__init__(process_id, owner, retry_in_s)
        self.process_id, self.owner, self.retry_in_s = process_id, owner, retry_in_s

    def __str__(self) -> str:
        return f"process {self.process_id} is run by {self.owner} for {self.retry_in_s:.1f} s more"


class LeaseLost(ReactorError):
    """The lease was taken over: stop at once, whatever is not committed is not kept."""

    def __init__(self, process_id: str) -> None:
        super().__init__(process_id)
        self.process_id = process_id

    def __str__(self) -> str:
        return f"the lease on process {self.process_id} was taken over; its new holder goes on"


class Boards(Protocol):
    """Where processes and their blackboards live.  Every method may raise `InfrastructureError`."""

    async def open(self, process_id: str, *, delivery: str, owner: str, lease: timedelta) -> Opened:
        """Take the lease, load the process, and remember that the delivery started it.

        `delivery` is a `Delivery.key`.  Raises `LeaseHeld` while another owner has the lease; the
        same owner gets it again at once, with a new fence.  Counts the workers that did so since
        the last commit that added anything: one that was started anew counts again, one that
        gives the lease back does not count.
        """
        ...

    async def commit(self, lease: Lease, commit: Commit) -> Wish | None:
        """Keep all of `commit` in one atomic step, creating the process with the first one.

        Gives the newest wish that was left for the process, whether it was heeded or not.
        Renews the lease, also one that ran out but that nobody took; the last commit gives it
        back.  Raises `LeaseLost` when it was taken over or given back, and `UnstorableValue`; then
        nothing of it is kept.
        """
        ...

    async def wish(self, process_id: str, wish: Wish) -> bool:
        """Leave a wish for whoever runs the process, in the place of an older one.

        It is seen at once by who opens the process, and by who holds it with its next commit.
        False where there is no such process.
        """
        ...

    async def release(self, lease: Lease) -> None:
        """Give the lease back, if it is still ours."""
        ...

    async def read(self, process_id: str) -> Stored | None:
        """The process, without taking a lease."""
        ...

    async def journal(self, process_id: str, *, unsent_only: bool = False) -> list[JournalRecord]:
        """The decision records of a process, in order; or those not yet marked as sent."""
        ...

    async def mark_sent(self, up_to: Mapping[str, int]) -> None:
        """By process, the number of the record up to which all are durable on the journal topic.

        What is never marked does no harm: it is published again if its delivery is read again.
        """
        ...

    async def started_by(self, delivery: str) -> list[str]:
        """The ids of the processes that the delivery (its `key`) started, oldest first."""
        ...

    async def recent(self, *, limit: int, before: Place | None = None) -> list[Recent]:
        """Processes by their last change, newest first; `before`: those after that place.

        Fewer than `limit` only where there are no more.  An index for people: it reaches back as
        far as the store keeps it, and the place of a process may lag behind its last commit.
        """
        ...


@dataclass(frozen=True, slots=True)
class Claim:
    """The answer to a claim of a delivery id."""

    status: str  # "new", "pending", "kept", "produced", "conflict"
    position: Position | None = None  # with "produced"
    replayed: bool = False  # the same body was seen under another id
    token: str = field(default="", compare=False)  # with "new": what gives it back; opaque


class Claims(Protocol):
    """Which delivery ids were seen.  Every method may raise `InfrastructureError`."""

    async def claim(self, delivery: str, *, digest: str) -> Claim:
        """Claim the id (`Delivery.key`) in one atomic step.

        "new": it is ours now, pending for 60 s; "pending": another request has it; "kept": it
        is durable, and not on the topic yet; "produced": it is on the topic, at `position`;
        "conflict": seen with another body.
        """
        ...

    async def kept(self, delivery: str, *, digest: str) -> None:
        """The delivery is durable off its topic: keep its id as long as if it were there.

        Whoever has claimed it can't give it back any more.  What is known to be on the topic
        stays so; of two bodies under one id, the first that is durable stays.
        """
        ...

    async def produced(self, delivery: str, position: Position, *, digest: str) -> None:
        """The record is on the topic: keep its id for the retention of deliveries.

        That counts, whoever has claimed the id, and also where nobody has.  Of two bodies that
        got there under one id, the first stays.
        """
        ...

    async def release(self, delivery: str, token: str) -> None:
        """The delivery was refused after all: forget the pending claim that has this token.

        A claim that ran out may have a successor by now, which stays.
        """
        ...

    async def position(self, delivery: str) -> Position | None:
        """Where the delivery was written, if it is known."""
        ...

    async def is_kept(self, delivery: str) -> bool:
        """Whether it was accepted, and is not known to be on its topic yet."""
        ...


class Outcomes(Protocol):
    """Why nothing came of deliveries; nothing is kept of those that started processes.

    Every method may raise `InfrastructureError`.
    """

    async def ignore(self, delivery: str, why: str) -> None:
        """Nothing comes of the delivery (its `key`); `why`: a constant word, as "no_reaction"."""
        ...

    async def ignored(self, delivery: str) -> str:
        """The word, or "" where nothing is known: it may have come of it, or may yet come."""
        ...


class Firsts(Protocol):
    """Who saw what first: "new" is a claim, not a look."""

    async def claim_new(self, entity: str, *, purpose: str, process_id: str) -> bool:
        """True for the process that claimed it, always (also when it resumes); False for others.

        `entity` is a key such as "github.com/1296269#7" or "github.com/@octocat".
        """
        ...


class OpenForms(Protocol):
    """Which forms wait for an answer: an index, for people.

    What a form asks, and whether it is still open, stands in the head of its process.  Every
    method may raise `InfrastructureError`.
    """

    async def add(self, form_id: str, *, asked_at: datetime) -> None:
        """A process waits for an answer to it.  A repeat does no harm."""
        ...

    async def remove(self, form_id: str) -> None:
        """Nobody waits for it any more."""
        ...

    async def newest(self, *, limit: int) -> list[str]:
        """Ids, those that were asked last first.  Some may be answered already."""
        ...


class OpenProcesses(Protocol):
    """Which processes rest and may still go on: an index, by what they are about.

    It may hold some that have ended.  Every method may raise `InfrastructureError`.
    """

    async def add(self, process_id: str, *, subject: str) -> None:
        """It has come to rest; `subject` is a `Subject.key`.  A repeat does no harm."""
        ...

    async def remove(self, process_id: str, *, subject: str) -> None:
        """It has ended."""
        ...

    async def at(self, place: str) -> list[str]:
        """Ids, oldest first, of a subject; or of a repository ("github.com/1") and all in it."""
        ...


class Contexts(Protocol):
    """Facts that outlive a process, by name, under an id of their own (a repository, a person).

    In writing, as a process reads and writes them with the types of its platform.  Every method
    may raise `InfrastructureError`.
    """

    async def load(self, context_id: str) -> Mapping[str, Encoded]:
        """All facts of it; none where nothing was ever saved."""
        ...

    async def save(self, context_id: str, facts: Mapping[str, Encoded]) -> None:
        """Keep these facts, in one atomic step; others of the context stay.  Safe to repeat."""
        ...
