"""Which processes are found, and in how many looks."""

from datetime import UTC, datetime

import pytest

from reactor.ports import Place
from reactor.refusal import Refused
from reactor.status import Status
from reactor.web.console.search import PAGE, find, search_of
from tests.web.console.site import Site


async def found(console: Site, **query: str) -> list[str]:
    answer = await find(console.boards, search_of(query))
    return [process["delivery"] for process in answer["processes"]]


@pytest.mark.parametrize(
    ("query", "deliveries"),
    [
        ({}, ["d", "c", "b", "a"]),
        ({"status": "failed"}, ["b"]),
        ({"status": " FAILED "}, ["b"]),
        ({"event": "issues"}, ["d", "a"]),
        ({"event": "issues.opened"}, ["a"]),
        ({"event": "issue"}, []),
        ({"event": "push"}, ["b"]),
        ({"reaction": "triage"}, ["c"]),
        ({"subject": "HELLO"}, ["d", "a"]),
        ({"subject": "hello#7"}, ["a"]),
        ({"subject": "octo/", "event": "issues.closed"}, ["d"]),
        ({"status": "", "event": " ", "unknown": "x"}, ["d", "c", "b", "a"]),
    ],
)
async def test_every_word_narrows_what_is_found(
    console: Site, query: dict[str, str], deliveries: list[str]
) -> None:
    await console.put("github.com/a", subject_name="octo/hello#7")
    await console.put("github.com/b", Status.FAILED, event="push", subject_name="octo/world")
    await console.put("github.com/c", reaction="triage", event="star.created", subject_name="o/w")
    await console.put("github.com/d", event="issues.closed", subject_name="octo/hello#80")

    assert await found(console, **query) == deliveries


async def test_what_is_rare_is_found_among_many_and_the_page_knows_its_end(console: Site) -> None:
    for number in range(1200):
        status = Status.FAILED if number % 100 == 0 else Status.COMPLETED
        await console.put(f"github.com/d-{number}", status)

    failed = await find(console.boards, search_of({"status": "failed"}))
    completed = await find(console.boards, search_of({"status": "completed"}))

    assert [each["delivery"] for each in failed["processes"]] == [
        f"d-{number}" for number in range(1100, -1, -100)
    ]
    assert failed["next"] is None
    assert len(completed["processes"]) == PAGE
    assert completed["next"] is not None


async def test_a_full_last_page_has_no_next(console: Site) -> None:
    for number in range(PAGE):
        await console.put(f"github.com/d-{number}")

    answer = await find(console.boards, search_of({}))

    assert (len(answer["processes"]), answer["next"]) == (PAGE, None)


def test_a_place_in_a_query_is_the_one_that_was_named() -> None:
    at = datetime(2026, 3, 14, 15, 9, 26, 535898, tzinfo=UTC)

    search = search_of({"before": "1773500966535898.p1"})

    assert search.before == Place(at, "p1")


@pytest.mark.parametrize("query", [{"status": "gone"}, {"before": "x"}, {"before": "9e9.p"}])
def test_a_query_that_makes_no_sense_is_refused_with_what_would(query: dict[str, str]) -> None:
    with pytest.raises(Refused) as refused:
        search_of(query)

    assert refused.value.status == 400
    assert next(iter(query)) in refused.value.where
