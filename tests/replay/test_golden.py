"""What was decided once is decided still: a change of it is a change of these files, to be read."""

from dataclasses import replace
from typing import cast

import pytest

from reactor.adapters.memory_records import MemoryRecords
from reactor.journal import JournalRecord, ServiceCallData
from reactor.replay.document import Replayed
from reactor.wiring.replay_engine import replay_engine
from tests.replay.golden import golden, read, recorded
from tests.replay.worked import Recorded

NAMES = ("demo", "commands", "models")


async def replayed(name: str, then: Recorded) -> list[Replayed]:
    settings, _ = golden()[name]
    async with replay_engine(settings, MemoryRecords(then.records)) as engine:
        return [p for each in then.deliveries for p in await engine.replaying.replay(each)]


@pytest.mark.parametrize("name", NAMES)
async def test_a_golden_journal_is_replayed_without_a_difference(name: str) -> None:
    then = read(name)

    found = await replayed(name, then)

    assert {each["process"] for each in found} == then.by_process.keys()
    assert [(each["verdict"], each["differences"], each["unrecorded"]) for each in found] == [
        ("same", [], [])
    ] * len(found)


@pytest.mark.parametrize("name", NAMES)
async def test_what_is_decided_today_stands_in_the_golden_journal(name: str) -> None:
    now = await recorded(name)

    for before, after in zip(read(name).comparable, now.comparable, strict=True):
        assert after == before, "if that is meant: make golden"


@pytest.mark.parametrize("name", NAMES)
async def test_records_from_before_calls_were_kept_are_replayed_and_said_to_be_unrecorded(
    name: str,
) -> None:
    then = read(name)
    told = {"calls", "answers"}
    old = [
        replace(each, data={n: v for n, v in each.data.items() if n not in told})
        for each in then.records
    ]

    found = await replayed(name, replace(then, records=old))

    missing = {each["process"] for each in found if each["unrecorded"]}
    assert missing == {each.process_id for each in then.records if is_answered(each)}
    assert {each["verdict"] for each in found if each["process"] not in missing} <= {"same"}
    assert "failed" not in {each["verdict"] for each in found}


def is_answered(record: JournalRecord) -> bool:
    """Whether a replay has to know it; the time is known, and that nobody was away."""
    calls = cast("list[ServiceCallData]", record.data.get("calls", []))
    others = (c for c in calls if c["service"] != "Clock" and c["method"] != "why_away")
    return any(others) or "answers" in record.data
