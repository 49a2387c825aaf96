"""The port `RecordIndex`: what is added is found again, each thing once, by whatever is asked."""

import asyncio
from collections.abc import AsyncIterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from reactor.adapters.memory_records import MemoryRecords
from reactor.adapters.sqlite_index import open_index
from reactor.journal import JournalRecord, Kind
from reactor.records import (
    Batch,
    DeliveryMark,
    DeliveryQuery,
    Found,
    FoundDeliveries,
    JournalQuery,
    RecordIndex,
)
from reactor.topic import Position

NOON = datetime(2026, 2, 3, 12, tzinfo=UTC)
HOSTILE = "octo/he<script>\u202ello\x00'; DROP TABLE records;--#7"


@pytest.fixture(params=["memory", "sqlite"])
async def index(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[RecordIndex]:
    if request.param == "memory":
        yield MemoryRecords()
        return
    async with open_index(tmp_path) as opened:
        yield opened


def seeded(process: str, *, subject: str = "octo/hello#7", minute: int = 0) -> JournalRecord:
    data = {
        "delivery": f"github.com/of-{process}",
        "reaction": "triage",
        "event": "issues.opened",
        "subject": f"github.com/1#{subject.rpartition('#')[2]}",
        "subject_name": subject,
        "attempt": 1,
    }
    return record(process, 1, "seeded", data, minute)


def tick(process: str, seq: int, action: str, **more: object) -> JournalRecord:
    return record(process, seq, "tick", {"chosen": action, "outcome": "done", **more}, seq)


def ended(process: str, seq: int, status: str = "COMPLETED", *, minute: int = 9) -> JournalRecord:
    return record(process, seq, "ended", {"status": status, "failure": ""}, minute)


def record(process: str, seq: int, kind: Kind, data: object, minute: int = 0) -> JournalRecord:
    at = NOON + timedelta(minutes=minute)
    return JournalRecord(process_id=process, seq=seq, kind=kind, at=at, data=data)  # type: ignore[arg-type]


def mark(id: str, *, subject: str = "octo/hello#7", minute: int = 0) -> DeliveryMark:
    return DeliveryMark(
        key=f"github.com/{id}",
        event="issues.opened",
        subject=f"github.com/1#{subject.rpartition('#')[2]}",
        subject_name=subject,
        received_at=NOON + timedelta(minutes=minute),
        digest="aa" * 32,
    )


async def test_records_of_a_process_come_back_in_order_and_once(index: RecordIndex) -> None:
    told = [seeded("p1"), tick("p1", 2, "triage.label"), ended("p1", 3)]

    first = await index.add(Batch(records=[told[2], told[0]]))
    second = await index.add(Batch(records=told))

    assert (first, second) == (2, 1)
    assert await index.of_process("p1") == told
    assert await index.of_process("p2") == []


async def test_a_process_is_known_by_what_its_records_say(index: RecordIndex) -> None:
    await index.add(Batch(records=[ended("p1", 3, "WAITING", minute=3), seeded("p1")]))
    waiting = await index.process("p1")

    await index.add(Batch(records=[ended("p1", 5, minute=8)]))
    done = await index.process("p1")

    assert waiting is not None
    assert (waiting.status, waiting.reaction, waiting.subject_name) == (
        "WAITING",
        "triage",
        "octo/hello#7",
    )
    assert done == replace(waiting, status="COMPLETED", changed_at=NOON + timedelta(minutes=8))
    assert await index.process("p2") is None


async def test_a_process_whose_beginning_is_gone_is_known_by_its_id(index: RecordIndex) -> None:
    await index.add(Batch(records=[tick("p1", 7, "triage.label")]))

    found = await index.process("p1")

    assert found is not None
    assert (found.id, found.delivery, found.status) == ("p1", "", "")


async def test_processes_of_a_delivery_are_listed_oldest_first(index: RecordIndex) -> None:
    again = replace(seeded("p2", minute=4), data={**seeded("p1").data, "attempt": 2})
    await index.add(Batch(records=[again, seeded("p1"), seeded("p3")]))

    assert await index.of_delivery("github.com/of-p1") == ["p1", "p2"]
    assert await index.of_delivery("of-p1") == []


QUERIES: list[tuple[str, JournalQuery, list[tuple[str, int]]]] = [
    (
        "all, newest first",
        JournalQuery(),
        [("p1", 4), ("p2", 4), ("p2", 3), ("p1", 3), ("p2", 2), ("p1", 2), ("p2", 1), ("p1", 1)],
    ),
    ("a delivery by id", JournalQuery(delivery="of-p1", action="triage.label"), [("p1", 2)]),
    (
        "a delivery by key",
        JournalQuery(delivery="github.com/of-p2", action="hello.greet"),
        [("p2", 3)],
    ),
    (
        "a subject by key",
        JournalQuery(subject="github.com/1#8", outcome="done"),
        [("p2", 3), ("p2", 2)],
    ),
    (
        "a subject by name in any case",
        JournalQuery(subject="OCTO/hello#8", outcome="done"),
        [("p2", 3), ("p2", 2)],
    ),
    (
        "a subject with its host",
        JournalQuery(subject="github.com/octo/hello#8", outcome="done"),
        [("p2", 3), ("p2", 2)],
    ),
    ("a subject on another host", JournalQuery(subject="ghe.example/octo/hello#8"), []),
    ("a repository", JournalQuery(subject="octo/hello", outcome="failed"), [("p1", 3)]),
    ("a part of a name is no name", JournalQuery(subject="octo/hell"), []),
    ("a component", JournalQuery(component="triage"), [("p2", 4), ("p1", 3), ("p2", 2), ("p1", 2)]),
    ("an action, and answers to it", JournalQuery(action="triage.ask"), [("p2", 4)]),
    ("a kind of effect", JournalQuery(effect="AddLabels"), [("p2", 2), ("p1", 2)]),
    ("an outcome of ticks", JournalQuery(outcome="failed"), [("p1", 3)]),
    ("a status of processes", JournalQuery(outcome="FAILED", effect="AddLabels"), [("p1", 2)]),
    (
        "a time",
        JournalQuery(since=NOON + timedelta(minutes=3), until=NOON + timedelta(minutes=9)),
        [("p2", 4), ("p2", 3), ("p1", 3)],
    ),
]


@pytest.mark.parametrize(
    ("query", "found"), [pytest.param(*case[1:], id=case[0]) for case in QUERIES]
)
async def test_records_are_found(
    index: RecordIndex, query: JournalQuery, found: list[tuple[str, int]]
) -> None:
    labels = [{"kind": "AddLabels", "key": "k1"}, {"kind": "PostComment", "key": "k2"}]
    await index.add(
        Batch(
            records=[
                seeded("p1"),
                tick("p1", 2, "triage.label", effects=labels),
                tick("p1", 3, "triage.assess", outcome="failed"),
                ended("p1", 4, "FAILED"),
                seeded("p2", subject="octo/hello#8"),
                tick("p2", 2, "triage.label", effects=labels[:1]),
                tick("p2", 3, "hello.greet"),
                record("p2", 4, "answered", {"action": "triage.ask"}, 8),
            ]
        )
    )
    answer = await index.find(query)

    assert [(each.record.process_id, each.record.seq) for each in answer.records] == found
    assert {each.process.id for each in answer.records} == {name for name, _ in found}
    assert answer.next is None


async def test_pages_follow_each_other_without_a_gap(index: RecordIndex) -> None:
    told = [tick("p1", seq, "triage.label") for seq in range(1, 8)]
    await index.add(Batch(records=[*told, *(replace(each, process_id="p2") for each in told)]))
    query, read = JournalQuery(limit=3), list[tuple[str, int]]()

    while True:
        page: Found = await index.find(query)
        read += [(each.record.process_id, each.record.seq) for each in page.records]
        if page.next is None:
            break
        query = replace(query, before=page.next)

    assert read == [(name, seq) for seq in range(7, 0, -1) for name in ("p2", "p1")]


async def test_a_name_stands_for_whatever_has_had_it(index: RecordIndex) -> None:
    renamed = replace(seeded("p2"), data={**seeded("p2").data, "subject_name": "octo/moved#7"})
    await index.add(Batch(records=[seeded("p1"), renamed]))
    await index.add(Batch(deliveries=[(mark("d-1", subject="octo/older#7"), "")]))

    for name in ("octo/hello#7", "octo/moved#7", "octo/older#7"):
        answer = await index.find(JournalQuery(subject=name))
        assert {each.record.process_id for each in answer.records} == {"p1", "p2"}
        came = await index.deliveries(DeliveryQuery(subject=name))
        assert [each.key for each in came.deliveries] == ["github.com/d-1"]


async def test_hostile_text_is_text(index: RecordIndex) -> None:
    told = seeded("p1", subject=HOSTILE)
    await index.add(Batch(records=[told], deliveries=[(mark("d-1", subject=HOSTILE), "")]))

    found = await index.find(JournalQuery(subject=HOSTILE))

    assert [each.record for each in found.records] == [told]
    assert found.records[0].process.subject_name == HOSTILE
    for odd in ("' OR 1=1 --", "%", "_", "*", "\udcff", "\x00", "octo/\U000e0001"):
        assert (await index.find(JournalQuery(delivery=odd))).records == []
        assert (await index.find(JournalQuery(subject=odd))).records == []
        assert (await index.find(JournalQuery(component=odd))).records == []
        assert await index.of_process(odd) == []


@pytest.mark.parametrize(
    "data",
    [
        {},
        {"chosen": 7, "outcome": ["done"], "effects": "none"},
        {"effects": [None, 1, {"kind": {}}, {"kind": "AddLabels"}]},
        {"status": None, "delivery": [], "attempt": 2**80},
        {"number": 2**70, "text": "\ud800"},
    ],
)
async def test_data_of_another_shape_is_kept_as_it_is(
    index: RecordIndex, data: dict[str, object]
) -> None:
    kinds: list[Kind] = ["seeded", "tick", "answered", "rescued", "ended"]
    told = [record("p1", seq, kind, data) for seq, kind in enumerate(kinds, start=1)]

    await index.add(Batch(records=told))

    assert await index.of_process("p1") == told
    assert len((await index.find(JournalQuery())).records) == len(told)


async def test_a_delivery_is_kept_once_and_its_place_is_learned_later(index: RecordIndex) -> None:
    position = Position("reactor.deliveries", 2, 17)

    first = await index.add(Batch(deliveries=[(mark("d-1"), "")]))
    second = await index.add(Batch(deliveries=[(replace(mark("d-1"), position=position), "")]))
    third = await index.add(Batch(deliveries=[(mark("d-1"), "")]))

    assert (first, second, third) == (1, 0, 0)
    assert await index.delivery("github.com/d-1") == replace(mark("d-1"), position=position)
    assert await index.delivery("github.com/d-2") is None


async def test_deliveries_are_found_by_subject_event_and_time(index: RecordIndex) -> None:
    closed = replace(mark("d-3", minute=3), event="issues.closed")
    others = [mark("d-1", minute=1), mark("d-2", subject="octo/hello#8", minute=2), closed]
    await index.add(Batch(deliveries=[(each, "") for each in others]))

    async def found(query: DeliveryQuery) -> list[str]:
        answer: FoundDeliveries = await index.deliveries(query)
        return [each.key.rpartition("/")[2] for each in answer.deliveries]

    assert await found(DeliveryQuery()) == ["d-3", "d-2", "d-1"]
    assert await found(DeliveryQuery(subject="octo/hello#8")) == ["d-2"]
    assert await found(DeliveryQuery(event="issues.opened")) == ["d-2", "d-1"]
    assert await found(DeliveryQuery(event="issues")) == ["d-3", "d-2", "d-1"]
    assert await found(DeliveryQuery(event="issue")) == []
    assert await found(DeliveryQuery(since=NOON + timedelta(minutes=2))) == ["d-3", "d-2"]
    first = await index.deliveries(DeliveryQuery(limit=2))
    assert await found(DeliveryQuery(limit=2, before=first.next)) == ["d-1"]


async def test_places_are_those_that_were_added_last(index: RecordIndex) -> None:
    await index.add(Batch(places={"reactor.journal[0]": "7", "reactor.journal[1]": "2"}))
    await index.add(Batch(places={"reactor.journal[0]": "9"}))

    assert await index.places() == {"reactor.journal[0]": "9", "reactor.journal[1]": "2"}


async def test_what_is_old_is_forgotten_a_few_at_once_and_whole(index: RecordIndex) -> None:
    long_one = [seeded("p9"), ended("p9", 2, minute=60)]
    await index.add(Batch(records=[seeded(f"p{n}", minute=n) for n in range(5)]))
    await index.add(
        Batch(records=long_one, deliveries=[(mark("d-1"), ""), (mark("d-2", minute=60), "")])
    )
    before, gone = NOON + timedelta(minutes=30), list[int]()

    while not gone or gone[-1]:
        gone.append(await index.forget(before, at_most=2))

    assert gone == [2, 2, 2, 0]
    assert [each.record for each in (await index.find(JournalQuery())).records] == long_one[::-1]
    assert [each.key for each in (await index.deliveries(DeliveryQuery())).deliveries] == [
        "github.com/d-2"
    ]


async def test_what_was_imported_is_kept_from_then_on(index: RecordIndex) -> None:
    imported = NOON + timedelta(days=300)
    await index.add(
        Batch(records=[seeded("p1")], deliveries=[(mark("d-1"), "")], keep_from=imported)
    )

    assert await index.forget(imported, at_most=10) == 0
    assert await index.forget(imported + timedelta(seconds=1), at_most=10) == 2
    assert await index.of_process("p1") == []


async def test_bars_tell_what_happened_in_each_stretch(index: RecordIndex) -> None:
    await index.add(
        Batch(
            records=[
                seeded("p1", minute=0),
                ended("p1", 2, minute=1),
                seeded("p2", minute=1),
                ended("p2", 2, "FAILED", minute=7),
                seeded("p3", minute=6),
                ended("p3", 2, "FAILED", minute=8),
            ],
            deliveries=[(mark("d-1"), ""), (mark("d-2", minute=6), "")],
        )
    )

    early, late = await index.bars(NOON, NOON + timedelta(minutes=10), 2)

    assert (early.begin, late.begin) == (NOON, NOON + timedelta(minutes=5))
    assert (early.deliveries, early.began, early.ended) == (1, 2, {"COMPLETED": 1})
    assert (late.deliveries, late.began, late.ended) == (1, 1, {"FAILED": 2})
    assert (early.median_s, late.median_s, late.slowest_s) == (60, 240, 360)


_NAMES = st.sampled_from(
    ["octo/hello#7", "octo/hello#8", "Octo/Hello#7", "octo/help#7", "octo/hello"]
)
_RECORDS = st.lists(
    st.builds(
        lambda process, seq, kind, action, minute, subject: record(
            f"p{process}",
            seq,
            "seeded" if seq == 1 else kind,
            {
                "chosen": action,
                "action": action,
                "outcome": "failed" if minute % 2 else "done",
                "status": "FAILED" if minute % 2 else "COMPLETED",
                "failure": "",
                "effects": [{"kind": "AddLabels"}] * (minute % 3),
                "delivery": f"github.com/d-{process % 2}",
                "subject": f"github.com/{process % 2}#7",
                "subject_name": subject,
            },
            minute,
        ),
        st.integers(1, 4),
        st.integers(1, 5),
        st.sampled_from(["tick", "ended", "answered", "rescued"]),
        st.sampled_from(["triage.label", "triage.ask", "triage2.label", "hello.greet"]),
        st.integers(0, 5),
        _NAMES,
    ),
    max_size=25,
    unique_by=lambda each: (each.process_id, each.seq),
)
_MINUTES = st.none() | st.integers(0, 6).map(lambda minute: NOON + timedelta(minutes=minute))
_QUERIES = st.builds(
    JournalQuery,
    delivery=st.sampled_from(["", "", "d-1", "github.com/d-0"]),
    subject=st.just("") | _NAMES | st.sampled_from(["github.com/1#7", "github.com/octo/hello"]),
    component=st.sampled_from(["", "", "triage", "hello"]),
    action=st.sampled_from(["", "", "triage.label"]),
    effect=st.sampled_from(["", "", "AddLabels"]),
    outcome=st.sampled_from(["", "", "failed", "FAILED"]),
    since=_MINUTES,
    until=_MINUTES,
    limit=st.integers(1, 30),
)


@given(records=_RECORDS, query=_QUERIES, cut=st.integers(0, 25))
@settings(max_examples=60)
def test_both_find_the_same(records: list[JournalRecord], query: JournalQuery, cut: int) -> None:
    async def answers(folder: str) -> tuple[Found, Found, object, object]:
        memory = MemoryRecords(records)
        async with open_index(Path(folder)) as index:
            await index.add(Batch(records=records[cut:]))
            await index.add(Batch(records=records))
            return (
                await memory.find(query),
                await index.find(query),
                [await memory.process(f"p{n}") for n in range(5)],
                [await index.process(f"p{n}") for n in range(5)],
            )

    with TemporaryDirectory() as folder:
        memory, sqlite, marks, others = asyncio.run(answers(folder))

    assert list(sqlite.records) == list(memory.records)
    assert sqlite.next == memory.next
    assert others == marks
