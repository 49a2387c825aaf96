"""Decision records of many processes, found again: the index of the journal, seen from the engine.

    journal topic, archive -> index -> records of a process, of a delivery, of a subject, ...

Shapes and what they mean; no I/O.  What is read out of a record here comes from a topic or from a
file, so nothing is taken for granted but that its data is a JSON object.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Protocol

from reactor.delivery import Delivery
from reactor.errors import InfrastructureError
from reactor.journal import JournalRecord
from reactor.topic import Position

PAGE = 50  # records that are found at once, unless more are asked for
MOST = 1000  # that can be asked for


class NoRecords(InfrastructureError):
    """There is no index, or it can't be read: nothing is known from it."""


@dataclass(frozen=True, slots=True, order=True)
class Cursor:
    """A place among records, by time; a later one is greater."""

    at: datetime
    process_id: str
    seq: int


@dataclass(frozen=True, slots=True, kw_only=True)
class JournalQuery:
    """Which records are wanted; what is left empty fits all.  Those that fit everything count."""

    delivery: str = ""  # its id, or its key "github.com/72d3162e-..."
    subject: str = ""  # key or name, see `SubjectNames`
    component: str = ""  # "triage": ticks of its actions
    action: str = ""  # "triage.label": ticks that chose it, and answers to it
    effect: str = ""  # kind, "AddLabels": ticks that asked for one
    outcome: str = ""  # "failed": ticks that ended so; "FAILED": processes that stand so
    since: datetime | None = None
    until: datetime | None = None  # exclusive
    limit: int = PAGE
    before: Cursor | None = None  # the `next` of another page


@dataclass(frozen=True, slots=True, kw_only=True)
class ProcessMark:
    """What the index knows of a process, all of it from its records.

    Of one whose first record is not there (any more), only the id and the times are known.
    """

    id: str
    delivery: str = ""  # `Delivery.key`
    reaction: str = ""
    event: str = ""  # "issues.opened"
    subject: str = ""  # `Subject.key`
    subject_name: str = ""  # as it was then
    attempt: int = 1
    status: str = ""  # where it came to rest last; "" until it did
    failure: str = ""
    began_at: datetime
    changed_at: datetime


@dataclass(frozen=True, slots=True)
class FoundRecord:
    """A record, and whose it is."""

    record: JournalRecord
    process: ProcessMark


@dataclass(frozen=True, slots=True)
class Found:
    """One page of records, newest first."""

    records: Sequence[FoundRecord]
    next: Cursor | None  # `before` of the next page; None: there are no more


@dataclass(frozen=True, slots=True, kw_only=True)
class DeliveryMark:
    """What the index knows of a delivery; what came can be read by `DeliveryArchive`."""

    key: str
    event: str  # "issues.opened"
    subject: str
    subject_name: str
    received_at: datetime
    digest: str
    source: str = "webhook"
    attempt: int = 1
    causation: tuple[str, ...] = ()
    position: Position | None = None  # on its topic, where that was seen


@dataclass(frozen=True, slots=True, kw_only=True)
class DeliveryQuery:
    """Which deliveries are wanted; what is left empty fits all."""

    subject: str = ""  # as in `JournalQuery`
    event: str = ""  # "issues.opened", or "issues" for all its actions
    since: datetime | None = None  # by when they were received
    until: datetime | None = None
    limit: int = PAGE
    before: tuple[datetime, str] | None = None  # the `next` of another page


@dataclass(frozen=True, slots=True)
class FoundDeliveries:
    """One page of deliveries, newest first."""

    deliveries: Sequence[DeliveryMark]
    next: tuple[datetime, str] | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Bar:
    """What happened in one stretch of time; bars of one answer are equally long."""

    begin: datetime
    deliveries: int = 0  # received
    began: int = 0  # processes
    ended: Mapping[str, int] = field(default_factory=dict)  # processes by where they rest
    median_s: float | None = None  # of those that ended, from their delivery's seeding on
    slowest_s: float | None = None


class Records(Protocol):
    """Reads the index.  Every method may raise `NoRecords`."""

    async def of_process(self, process_id: str) -> Sequence[JournalRecord]:
        """All of a process, in order; none where it is not known."""
        ...

    async def process(self, process_id: str) -> ProcessMark | None:
        """What is known of it in short."""
        ...

    async def of_delivery(self, key: str) -> Sequence[str]:
        """Ids of the processes that a delivery (its `key`) started, oldest first."""
        ...

    async def find(self, query: JournalQuery) -> Found:
        """Records that fit."""
        ...

    async def delivery(self, key: str) -> DeliveryMark | None:
        """A delivery by its key; of several attempts the first."""
        ...

    async def deliveries(self, query: DeliveryQuery) -> FoundDeliveries:
        """Deliveries that fit, also those that started nothing."""
        ...

    async def bars(self, begin: datetime, end: datetime, number: int) -> Sequence[Bar]:
        """What happened between these moments, in so many stretches, oldest first."""
        ...


class DeliveryArchive(Protocol):
    """Deliveries as they came, kept off their topic."""

    async def read(self, key: str) -> Delivery | None:
        """By its key; None where it is not there.  Raises `InfrastructureError`."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Batch:
    """What is added to the index in one step: all of it, or nothing."""

    records: Sequence[JournalRecord] = ()
    deliveries: Sequence[tuple[DeliveryMark, str]] = ()  # with where its bytes are kept, or ""
    places: Mapping[str, str] = field(default_factory=dict)  # by source: up to where it is read
    keep_from: datetime | None = None
    """From when its retention counts; None: from when each of it happened."""


class RecordIndex(Records, Protocol):
    """The same for the one that writes it."""

    async def add(self, batch: Batch) -> int:
        """How much of it was new: (process, seq) and deliveries seen before are dropped."""
        ...

    async def places(self) -> Mapping[str, str]:
        """Up to where each source is read."""
        ...

    async def forget(self, before: datetime, *, at_most: int) -> int:
        """Drop processes and deliveries that are older, a few at once; how many it were."""
        ...


# What a record says ------------------------------------------------------------------------


def action_of(record: JournalRecord) -> str:
    """The action that a tick chose, or that an answer was for; "" for other records."""
    return _text(record.data, {"tick": "chosen", "answered": "action"}.get(record.kind, ""))


def component_of(record: JournalRecord) -> str:
    """The package of that action; "" where it names none."""
    package, dot, _ = action_of(record).partition(".")
    return package if dot else ""


def outcome_of(record: JournalRecord) -> str:
    """How a tick ended, "done"; "" for other records."""
    return _text(record.data, "outcome") if record.kind == "tick" else ""


def status_of(record: JournalRecord) -> str:
    """Where a process came to rest, "COMPLETED"; "" for records of other things."""
    return _text(record.data, "status") if record.kind == "ended" else ""


def effects_of(record: JournalRecord) -> Iterator[tuple[str, str]]:
    """Kind and key of each effect that a tick asked for."""
    told = record.data.get("effects") if record.kind == "tick" else None
    for effect in told if isinstance(told, list) else ():
        if isinstance(effect, dict):
            yield _text(effect, "kind"), _text(effect, "key")


def mark_of(process_id: str, records: Iterable[JournalRecord]) -> ProcessMark | None:
    """What the records of a process, in order, say of it; None without any."""
    told = list(records)
    if not told:
        return None
    seed = next((record.data for record in told if record.kind == "seeded"), {})
    attempt = seed.get("attempt")
    ends = [record for record in told if record.kind == "ended"]
    return ProcessMark(
        id=process_id,
        delivery=_text(seed, "delivery"),
        reaction=_text(seed, "reaction"),
        event=_text(seed, "event"),
        subject=_text(seed, "subject"),
        subject_name=_text(seed, "subject_name"),
        attempt=attempt if isinstance(attempt, int) and 0 < attempt < 2**31 else 1,
        status=status_of(ends[-1]) if ends else "",
        failure=_text(ends[-1].data, "failure") if ends else "",
        began_at=min(record.at for record in told),
        changed_at=max(record.at for record in told),
    )


def delivery_mark(delivery: Delivery, position: Position | None = None) -> DeliveryMark:
    """What the index keeps of a delivery."""
    return DeliveryMark(
        key=delivery.key,
        event=delivery.kind,
        subject=delivery.subject.key,
        subject_name=delivery.subject.name,
        received_at=delivery.received_at,
        digest=delivery.digest,
        source=delivery.source,
        attempt=delivery.attempt,
        causation=delivery.causation,
        position=position,
    )


@dataclass(frozen=True, slots=True)
class SubjectNames:
    """What a word for a subject stands for.

    A key, "github.com/1296269#7"; a name, "octo/hello#7" or "github.com/octo/hello#7", in any
    case; or the name of a repository, "octo/hello", for all that is in it.  A name stands for
    every subject that has ever had it, under whichever name that was seen since.
    """

    word: str

    @property
    def host(self) -> str:
        """The host before a name; "" where there is none."""
        host, slash, rest = self.word.partition("/")
        return host.lower() if slash and "/" in rest.partition("#")[0] else ""

    @property
    def name(self) -> str:
        """The name without its host, as names are compared."""
        return folded(self.word.partition("/")[2] if self.host else self.word)

    def is_of(self, subject: str, subject_name: str) -> bool:
        """Whether it stands for this subject, as it was called then."""
        if subject == self.word:
            return True
        name = folded(subject_name)
        is_named = name == self.name or name.startswith(f"{self.name}#")
        return is_named and subject.startswith(f"{self.host}/" if self.host else "")


def folded(name: str) -> str:
    """A name as names are compared."""
    return name.casefold()


def _text(data: Mapping[str, object], name: str) -> str:
    value = data.get(name)
    return value if isinstance(value, str) else ""
