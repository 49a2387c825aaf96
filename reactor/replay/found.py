"""What was found of one delivery: its processes then and now, put beside each other.  Pure."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from reactor.delivery import Delivery
from reactor.failure import in_one_line
from reactor.journal import JournalRecord
from reactor.replay.comparing import differences, not_started, started_now
from reactor.replay.decided import decided, is_at_rest, seed_of
from reactor.replay.document import Decided, Difference, Replayed, Verdict
from reactor.status import ProcessHead

Records = Mapping[str, Sequence[JournalRecord]]
"""The records of processes, by their ids, in order."""

_EVERY = ""  # what failed as a whole, not one reaction of it


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """Filled while a delivery is replayed."""

    delivery: Delivery
    then: Records
    now: dict[str, Sequence[JournalRecord]] = field(default_factory=dict)
    heads: dict[str, ProcessHead] = field(default_factory=dict)  # of now
    failures: dict[str, str] = field(default_factory=dict)  # by reaction

    def note(self, error: Exception, *, reaction: str = _EVERY) -> None:
        """Something went wrong that is no decision of a process."""
        self.failures[reaction] = f"{type(error).__name__}: {in_one_line(error)}"

    def attempts(self, reaction: str) -> Mapping[int, Sequence[JournalRecord]]:
        """The records of then of a reaction's processes, by attempt; not of sub-processes."""
        found: dict[int, Sequence[JournalRecord]] = {}
        for records in self.then.values():  # oldest first: a process is older than those within it
            seed = seed_of(records)
            attempt = seed.get("attempt")
            if seed.get("reaction") == reaction and isinstance(attempt, int):
                found.setdefault(attempt, records)
        return found

    def compared(self, unrecorded: Mapping[str, Sequence[str]]) -> list[Replayed]:
        """All processes, those of then first; `unrecorded`: by process, calls without a record."""
        then = {process: _whole(records) for process, records in self.then.items()}
        found = [
            self._one(process, then, tuple(unrecorded.get(process, ())))
            for process in dict.fromkeys((*self.then, *self.now))
        ]
        return [*found, *self._failed_before({each["failure"] for each in found})]

    def _one(
        self, process: str, then: Mapping[str, Decided | None], unrecorded: tuple[str, ...]
    ) -> Replayed:
        before = then.get(process)
        after = decided(self.now[process]) if self.now.get(process) else None
        told = self._described(process)
        told["unrecorded"] = list(unrecorded)
        told["failure"] = self._failure(told["reaction"], after)
        verdict, found = _judged(before, after, is_known=any(then.values()))
        if told["failure"]:
            verdict, found = "failed", []
        told["verdict"], told["differences"] = verdict, found
        told["now"] = after
        told["then"] = before if verdict != "same" else None
        return told

    def _failure(self, reaction: str, now: Decided | None) -> str:
        if now is not None and is_at_rest(now):
            return ""
        return self.failures.get(reaction) or self.failures.get(_EVERY, "")

    def _failed_before(self, told: set[str]) -> Iterator[Replayed]:
        """What failed before there was any process of it, now or then."""
        for reaction, failure in self.failures.items():
            if failure not in told:
                described = self._described("")
                described["reaction"], described["failure"] = reaction, failure
                yield described

    def _described(self, process: str) -> Replayed:
        seed = seed_of(self.now.get(process) or self.then.get(process, ()))
        attempt, head = seed.get("attempt"), self.heads.get(process)
        told = Replayed(
            process=process,
            delivery=self.delivery.key,
            event=self.delivery.kind,
            subject=self.delivery.subject.name,
            reaction=str(seed.get("reaction", "")),
            attempt=attempt if isinstance(attempt, int) else self.delivery.attempt,
            received_at=self.delivery.received_at.isoformat(),
            verdict="failed",
            then=None,
            now=None,
            differences=[],
            unrecorded=[],
            failure="",
        )
        if head is not None and head.parent_id:
            told["parent"] = head.parent_id
        return told


def _whole(records: Sequence[JournalRecord]) -> Decided | None:
    """What a process decided then; None where the journal has not all of it (any more)."""
    seqs = [record.seq for record in records]
    return decided(records) if seqs == list(range(1, len(seqs) + 1)) and seqs else None


def _judged(
    then: Decided | None, now: Decided | None, *, is_known: bool
) -> tuple[Verdict, list[Difference]]:
    """`is_known`: the journal has something of the delivery."""
    if then is None:
        return ("different", [started_now(now)]) if now and is_known else ("new", [])
    if not is_at_rest(then):
        return "new", []
    found = differences(then, now) if now else [not_started(then)]
    return ("different" if found else "same"), found
