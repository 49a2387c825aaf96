"""Searching the journal: words become a query, and what is found a document."""

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reactor.adapters.memory_records import MemoryRecords
from reactor.journal import JournalRecord
from reactor.journal_search import BadQuery, query_of, told_found
from reactor.records import Batch, JournalQuery

NOW = datetime(2026, 3, 14, 15, 9, tzinfo=UTC)


def test_words_become_a_query() -> None:
    words = {"subject": " octo/hello#7 ", "action": "triage.label", "other": "x", "limit": "7"}

    query = query_of({**words, "since": "2h", "until": "2026-03-14T15:00"}, now=NOW)

    assert query == JournalQuery(
        subject="octo/hello#7",
        action="triage.label",
        since=NOW - timedelta(hours=2),
        until=datetime(2026, 3, 14, 15, tzinfo=UTC),
        limit=7,
    )


def test_no_words_ask_for_everything() -> None:
    assert query_of({}, now=NOW) == JournalQuery()


@pytest.mark.parametrize(
    ("name", "word"),
    [
        ("since", "yesterday"),
        ("outcome", "bogus"),
        ("outcome", "Done"),
        ("since", "9" * 30 + "d"),
        ("until", "nand"),
        ("limit", "0"),
        ("limit", "-1"),
        ("limit", "99999"),
        ("limit", "\u0661"),
        ("before", "x"),
        ("before", "1.x.p1"),
        ("before", "9" * 19 + ".1.p1"),
    ],
)
def test_a_word_that_means_nothing_is_refused_by_name(name: str, word: str) -> None:
    with pytest.raises(BadQuery, match=f"{name} can't be understood"):
        query_of({name: word}, now=NOW)


@given(st.dictionaries(st.sampled_from(["since", "until", "limit", "before"]), st.text()))
def test_any_words_give_a_query_or_are_refused(words: dict[str, str]) -> None:
    refused = ""
    try:
        query_of(words, now=NOW)
    except BadQuery as error:
        refused = error.name

    assert refused == "" or words[refused].strip() != ""


async def test_pages_are_followed_by_their_name() -> None:
    records = MemoryRecords()
    at = [NOW + timedelta(seconds=number) for number in range(5)]
    await records.add(
        Batch(
            records=[
                JournalRecord(process_id="p.1", seq=n + 1, kind="tick", at=moment, data={"n": n})
                for n, moment in enumerate(at)
            ]
        )
    )
    words, seen = {"limit": "2"}, list[int]()

    while True:
        told = told_found(await records.find(query_of(words, now=NOW)), words, with_data=True)
        seen += [each["seq"] for each in told["records"]]
        if told["next"] is None:
            break
        words["before"] = told["next"]

    assert seen == [5, 4, 3, 2, 1]


async def test_a_record_is_told_in_short_and_in_full_where_that_is_asked_for() -> None:
    seed = {"delivery": "github.com/d-1", "subject_name": "octo/hello#7", "event": "issues.opened"}
    tick = {"chosen": "triage.label", "outcome": "done", "effects": [{"kind": "AddLabels"}]}
    records = MemoryRecords(
        [
            JournalRecord(process_id="p1", seq=1, kind="seeded", at=NOW, data=seed),
            JournalRecord(process_id="p1", seq=2, kind="tick", at=NOW, data=tick),
        ]
    )
    words = {"action": "triage.label"}

    found = await records.find(query_of(words, now=NOW))
    (told,) = told_found(found, words)["records"]
    (full,) = told_found(found, words, with_data=True)["records"]

    assert (told["subject"], told["delivery"]) == ("octo/hello#7", "d-1")
    assert (told["action"], told["outcome"], told["effects"]) == (
        "triage.label",
        "done",
        ["AddLabels"],
    )
    assert "data" not in told
    assert full["data"] == tick
