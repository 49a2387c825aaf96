"""Indexing: every source is read to its end, one that is away holds up none of the others."""

from collections.abc import AsyncIterator, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta

from reactor.adapters.clock import ManualClock
from reactor.adapters.memory_records import MemoryRecords
from reactor.errors import InfrastructureError
from reactor.indexing import Indexing
from reactor.journal import JournalRecord
from reactor.records import Batch, JournalQuery

NOW = ManualClock().now()


def record(process: str, *, age: timedelta = timedelta(0)) -> JournalRecord:
    return JournalRecord(process_id=process, seq=1, kind="ended", at=NOW - age, data={"v": 2})


@dataclass
class ListSource:
    """Gives a batch for each record beyond the place that is told."""

    name: str
    records: list[JournalRecord] = field(default_factory=list)
    is_away: bool = False

    async def batches(self, places: Mapping[str, str]) -> AsyncIterator[Batch]:
        if self.is_away:
            raise InfrastructureError(self.name, "it is switched off")
        begin = int(places.get(self.name, "0"))
        for number, each in enumerate(self.records[begin:], start=begin + 1):
            yield Batch(records=[each], places={self.name: str(number)})


async def test_each_source_is_read_on_from_where_it_was_read_to() -> None:
    index, left, right = MemoryRecords(), ListSource("left"), ListSource("right")
    indexing = _indexing(index, left, right)
    left.records += [record("p1"), record("p2")]
    right.records.append(record("p3"))

    first = await indexing.once()
    right.records.append(record("p4"))
    second = await indexing.once()

    assert (first, second) == (3, 1)
    assert await index.places() == {"left": "2", "right": "2"}


async def test_a_source_that_is_away_holds_up_no_other() -> None:
    index, left, right = MemoryRecords(), ListSource("left", is_away=True), ListSource("right")
    indexing = _indexing(index, left, right)
    left.records.append(record("p1"))
    right.records.append(record("p2"))

    away = (await indexing.once(), indexing.trouble)
    left.is_away = False
    back = (await indexing.once(), indexing.trouble)

    assert away == (1, "left did not answer (it is switched off); it is tried again")
    assert back == (1, "")


async def test_what_came_twice_is_added_once() -> None:
    index = MemoryRecords()
    left, right = ListSource("left", [record("p1")]), ListSource("right", [record("p1")])

    assert await _indexing(index, left, right).once() == 1


async def test_retention_takes_a_little_at_a_time_and_leaves_what_is_young() -> None:
    index, files = MemoryRecords(), list[datetime]()
    old = [record(f"old-{number}", age=timedelta(days=31)) for number in range(500)]
    indexing = _indexing(index, ListSource("left", [*old, record("young")]))
    indexing.forget_files = _heard(files)
    await indexing.once()

    left = list[int]()
    for _ in range(4):
        await indexing.forget()
        left.append(len((await index.find(JournalQuery(limit=1000))).records))

    assert left == [301, 101, 1, 1]
    assert files == [NOW - timedelta(days=30)]


async def test_what_is_too_old_is_looked_for_now_and_then() -> None:
    index, clock = MemoryRecords(), ManualClock()
    indexing = _indexing(index, ListSource("left", [record("p1")]), clock=clock)
    await indexing.once()
    await indexing.forget()

    clock.move(timedelta(days=31))
    await indexing.forget()

    assert await index.process("p1") is None


def _indexing(
    index: MemoryRecords, *sources: ListSource, clock: ManualClock | None = None
) -> Indexing:
    keep = timedelta(days=30)
    return Indexing(index=index, sources=sources, clock=clock or ManualClock(), keep=keep)


def _heard(files: list[datetime]):  # type: ignore[no-untyped-def]
    def forget(before: datetime) -> int:
        files.append(before.astimezone(UTC))
        return 0

    return forget
