"""The index of the journal in memory: for tests, and for a replay without a data folder."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from itertools import islice
from statistics import median

from reactor.delivery import Delivery
from reactor.journal import JournalRecord
from reactor.records import (
    MOST,
    Bar,
    Batch,
    Cursor,
    DeliveryMark,
    DeliveryQuery,
    Found,
    FoundDeliveries,
    FoundRecord,
    JournalQuery,
    ProcessMark,
    SubjectNames,
    action_of,
    component_of,
    effects_of,
    mark_of,
    outcome_of,
)


class MemoryRecords:
    """Fits the port `RecordIndex`."""

    def __init__(self, records: Iterable[JournalRecord] = ()) -> None:
        self._records: dict[str, dict[int, JournalRecord]] = {}
        self._deliveries: dict[tuple[str, int, str], DeliveryMark] = {}
        self._places: dict[str, str] = {}
        self._keep: dict[object, datetime] = {}
        self._add(Batch(records=tuple(records)))

    async def of_process(self, process_id: str) -> Sequence[JournalRecord]:
        """In order."""
        return self._of(process_id)

    async def process(self, process_id: str) -> ProcessMark | None:
        """From its records."""
        return mark_of(process_id, self._of(process_id))

    async def of_delivery(self, key: str) -> Sequence[str]:
        """Oldest first."""
        return [mark.id for mark in sorted(self._marks(), key=_age) if mark.delivery == key]

    async def find(self, query: JournalQuery) -> Found:
        """By looking at all of them."""
        subjects, limit = self._subjects(query.subject), min(query.limit, MOST)
        found = sorted(
            (
                FoundRecord(record, mark)
                for mark in self._marks()
                if _is_whose(mark, query, subjects)
                for record in self._of(mark.id)
                if _fits(record, query)
            ),
            key=lambda each: _cursor(each.record),
            reverse=True,
        )
        page = found[:limit]
        return Found(page, _cursor(page[-1].record) if len(found) > limit else None)

    async def delivery(self, key: str) -> DeliveryMark | None:
        """The first attempt."""
        fitting = [mark for mark in self._deliveries.values() if mark.key == key]
        return min(fitting, key=lambda mark: (mark.attempt, mark.digest), default=None)

    async def deliveries(self, query: DeliveryQuery) -> FoundDeliveries:
        """By looking at all of them."""
        subjects, limit = self._subjects(query.subject), min(query.limit, MOST)
        found = sorted(
            (
                mark
                for mark in self._deliveries.values()
                if (not query.subject or mark.subject in subjects)
                and query.event in ("", mark.event, mark.event.partition(".")[0])
                and _is_within(mark.received_at, query.since, query.until)
                and (query.before is None or (mark.received_at, _name(mark)) < query.before)
            ),
            key=lambda mark: (mark.received_at, _name(mark)),
            reverse=True,
        )
        page = found[:limit]
        last = (page[-1].received_at, _name(page[-1])) if len(found) > limit else None
        return FoundDeliveries(page, last)

    async def bars(self, begin: datetime, end: datetime, number: int) -> Sequence[Bar]:
        """By looking at all of them."""
        marks, step = list(self._marks()), (end - begin) / number
        stretches = [(begin + step * at, begin + step * (at + 1)) for at in range(number)]
        return [
            _bar(stretch, marks, [mark.received_at for mark in self._deliveries.values()])
            for stretch in stretches
        ]

    async def add(self, batch: Batch) -> int:
        """What was seen before is dropped."""
        return self._add(batch)

    async def places(self) -> Mapping[str, str]:
        """As they were added."""
        return dict(self._places)

    async def forget(self, before: datetime, *, at_most: int) -> int:
        """Processes by their last change, deliveries by when they were received."""
        old: list[object] = [
            mark.id
            for mark in self._marks()
            if max(self._keep[(mark.id, seq)] for seq in self._records[mark.id]) < before
        ]
        old += [key for key in self._deliveries if self._keep[key] < before]
        for each in islice(old, at_most):
            if isinstance(each, str):
                for seq in self._records.pop(each):
                    del self._keep[(each, seq)]
            elif isinstance(each, tuple):
                del self._deliveries[each], self._keep[each]
        return min(len(old), at_most)

    def _add(self, batch: Batch) -> int:
        new = 0
        for record in batch.records:
            of_one = self._records.setdefault(record.process_id, {})
            if record.seq not in of_one:
                of_one[record.seq] = record
                self._keep[(record.process_id, record.seq)] = batch.keep_from or record.at
                new += 1
        for mark, _ in batch.deliveries:
            key = (mark.key, mark.attempt, mark.digest)
            if key not in self._deliveries:
                self._keep[key] = batch.keep_from or mark.received_at
                new += 1
            if key not in self._deliveries or mark.position:
                self._deliveries[key] = mark
        self._places.update(batch.places)
        return new

    def _of(self, process_id: str) -> list[JournalRecord]:
        of_one = self._records.get(process_id, {})
        return [of_one[seq] for seq in sorted(of_one)]

    def _marks(self) -> Iterable[ProcessMark]:
        for process_id in self._records:
            if mark := mark_of(process_id, self._of(process_id)):
                yield mark

    def _subjects(self, word: str) -> set[str]:
        names = SubjectNames(word)
        known = [(mark.subject, mark.subject_name) for mark in self._marks()]
        known += [(mark.subject, mark.subject_name) for mark in self._deliveries.values()]
        return {subject for subject, name in known if names.is_of(subject, name)}


class MemoryArchive:
    """Fits the port `DeliveryArchive`."""

    def __init__(self, deliveries: Iterable[Delivery] = ()) -> None:
        self._deliveries = {delivery.key: delivery for delivery in deliveries}

    async def read(self, key: str) -> Delivery | None:
        """The one of that key."""
        return self._deliveries.get(key)


def _is_whose(mark: ProcessMark, query: JournalQuery, subjects: set[str]) -> bool:
    is_upper = query.outcome.isupper()
    return (
        query.delivery in ("", mark.delivery, mark.delivery.rpartition("/")[2])
        and (not query.subject or mark.subject in subjects)
        and (not is_upper or mark.status == query.outcome)
    )


def _fits(record: JournalRecord, query: JournalQuery) -> bool:
    action = action_of(record)
    kinds = {kind for kind, _ in effects_of(record)}
    return (
        query.action in ("", action)
        and query.component in ("", component_of(record))
        and (not query.effect or query.effect in kinds)
        and (not query.outcome or query.outcome.isupper() or outcome_of(record) == query.outcome)
        and _is_within(record.at, query.since, query.until)
        and (query.before is None or _cursor(record) < query.before)
    )


def _is_within(at: datetime, since: datetime | None, until: datetime | None) -> bool:
    return (since is None or at >= since) and (until is None or at < until)


def _cursor(record: JournalRecord) -> Cursor:
    return Cursor(record.at, record.process_id, record.seq)


def _name(mark: DeliveryMark) -> str:
    return f"{mark.key}|{mark.attempt}|{mark.digest}"


def _age(mark: ProcessMark) -> tuple[datetime, str]:
    return mark.began_at, mark.id


def _bar(
    stretch: tuple[datetime, datetime], marks: Sequence[ProcessMark], received: Sequence[datetime]
) -> Bar:
    ended = [mark for mark in marks if mark.status and _is_within(mark.changed_at, *stretch)]
    took = [(mark.changed_at - mark.began_at).total_seconds() for mark in ended]
    return Bar(
        begin=stretch[0],
        deliveries=sum(_is_within(at, *stretch) for at in received),
        began=sum(_is_within(mark.began_at, *stretch) for mark in marks),
        ended=dict(Counter(mark.status for mark in ended)),
        median_s=median(took) if took else None,
        slowest_s=max(took, default=None),
    )
