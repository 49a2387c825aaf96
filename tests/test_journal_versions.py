"""Decision records of any version: those that can be read are, and the others say why not."""

from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reactor.explain import ToldProcess, told_process
from reactor.from_journal import stored_from
from reactor.journal import VERSION, JournalRecord, Kind
from reactor.journal_versions import DATA_OF, fault_of
from reactor.testing import delivery, issue
from reactor.weighing import in_full
from tests.web.console.site import Site


@pytest.fixture
async def records() -> list[JournalRecord]:
    """Of a process that ran to its end."""
    site = Site()
    settled = await site.settle(delivery("issues.opened", id="guid-1", issue=issue("It crashes")))
    return await site.boards.journal(settled.heads[0].id)


async def test_what_is_written_now_can_be_read(records: list[JournalRecord]) -> None:
    assert {record.kind for record in records} == {"seeded", "tick", "ended"}
    assert [fault_of(record) for record in records] == [""] * len(records)


async def test_a_record_that_lacks_a_field_says_which(records: list[JournalRecord]) -> None:
    optional = {"calls", "answers", "chosen_by"}
    for record in records:
        for name in record.data.keys() - optional - {"v"}:
            data = {key: value for key, value in record.data.items() if key != name}

            assert fault_of(replace(record, data=data)) == f"lacks {name}"


@pytest.mark.parametrize(
    ("name", "value", "fault"),
    [
        ("v", VERSION + 1, f"it is of version {VERSION + 1}, and this one reads up to {VERSION}"),
        ("v", "2", "it does not tell its version"),
        ("v", True, "it does not tell its version"),
        ("chosen", None, "has chosen, which is no str"),
        ("tick", 1.5, "has tick, which is no int"),
        ("candidates", {}, "has candidates, which is no list"),
        ("candidates", [{}], "has candidates, which lacks action"),
        ("effects", ["AddLabels"], "has effects, which is no object"),
        ("goal", 7, "has goal, which is no str"),
    ],
)
async def test_a_field_of_another_type_is_told(
    records: list[JournalRecord], name: str, value: object, fault: str
) -> None:
    tick = next(record for record in records if record.kind == "tick")

    assert fault_of(replace(tick, data={**tick.data, name: value})) == fault


async def test_a_field_that_a_later_version_added_does_no_harm(
    records: list[JournalRecord],
) -> None:
    assert [fault_of(replace(r, data={**r.data, "mood": [1]})) for r in records] == [""] * len(
        records
    )


_JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=6,
)


@given(
    kind=st.sampled_from(list(DATA_OF)),
    data=st.dictionaries(st.text(max_size=9), _JSON, max_size=9),
)
def test_anything_at_all_has_a_fault_and_harms_nothing(kind: Kind, data: dict[str, object]) -> None:
    at = datetime(2026, 2, 3, tzinfo=UTC)
    record = JournalRecord(process_id="p1", seq=1, kind=kind, at=at, data={**data, "v": VERSION})

    assert fault_of(record) != ""
    assert stored_from([record]) is None


async def test_version_1_is_read(records: list[JournalRecord]) -> None:
    first = [_as_version_1(record) for record in in_full(records)]

    found = stored_from(first)

    assert [fault_of(record) for record in first] == [""] * len(first)
    assert found is not None
    told = told_process(found[0], found[1])
    assert [tick["not_runnable"] for tick in told["ticks"]] == [
        record.data["not_runnable"] for record in in_full(records) if "not_runnable" in record.data
    ]


async def test_a_process_is_told_from_its_records_as_from_its_store() -> None:
    site = Site()
    settled = await site.settle(delivery("issues.opened", id="guid-1", issue=issue("It crashes")))
    name = settled.heads[0].id
    records = await site.boards.journal(name)

    found = stored_from(records)

    assert found is not None
    assert _comparable(told_process(*found)) == _comparable(await site.lookup.process(name))


async def test_what_can_be_read_of_it_is_told(records: list[JournalRecord]) -> None:
    newer = replace(records[1], data={**records[1].data, "v": VERSION + 1})

    found = stored_from([records[0], newer, *records[2:]])

    assert found is not None
    assert len(found[1]) == len(records) - 1
    assert found[0].head.delivery == "github.com/guid-1"


def _as_version_1(record: JournalRecord) -> JournalRecord:
    later = {"since", "no_longer", "calls", "answers", "chosen_by"}
    data = {name: value for name, value in record.data.items() if name not in later}
    return replace(record, data={**data, "v": 1})


def _comparable(told: ToldProcess) -> dict[str, Any]:
    """All of it, but for fields of effects, which records hold in one line only."""
    kept = {"kind", "key", "state", "mode", "action", "would", "subject", "reason"}
    effects = [{name: e[name] for name in e.keys() & kept} for e in told["effects"]]
    # a store notes a change also where nothing was decided
    return {**told, "effects": effects, "updated_at": "", "created_at": ""}
