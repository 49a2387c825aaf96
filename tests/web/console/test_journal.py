"""The journal on the console: found by words, as a page and as JSON."""

import pytest

from reactor.adapters.memory_records import MemoryRecords
from reactor.testing import delivery, issue
from reactor.web.console.journal import JournalArea
from tests.web.console.site import Site


@pytest.fixture
async def site() -> Site:
    site = Site()
    hostile = issue('<script>alert("x")</script>\u202e')
    settled = await site.settle(delivery("issues.opened", id="guid-1", issue=hostile))
    records = MemoryRecords(await site.boards.journal(settled.heads[0].id))
    return site.with_parts(areas=(JournalArea(records, site.clock),))


async def test_records_are_found_by_what_they_are_about(site: Site) -> None:
    every = (await site.get("/api/journal")).json()
    ticks = (await site.get("/api/journal?subject=octo/hello&component=hello")).json()
    nothing = (await site.get("/api/journal?subject=octo/other")).json()

    assert every["records"][0]["kind"] == "ended"
    assert every["records"][-1]["kind"] == "seeded"
    assert {each["action"].partition(".")[0] for each in ticks["records"]} == {"hello"}
    assert ticks["search"]["component"] == "hello"
    assert nothing["records"] == []


async def test_a_whole_record_is_told_where_it_is_asked_for(site: Site) -> None:
    brief = (await site.get("/api/journal?limit=1")).json()
    full = (await site.get("/api/journal?limit=1&data=1")).json()

    assert "data" not in brief["records"][0]
    assert full["records"][0]["data"]["status"] == brief["records"][0]["outcome"]
    assert full["next"] is not None


async def test_pages_follow_each_other(site: Site) -> None:
    every = (await site.get("/api/journal")).json()["records"]
    path, read = "/api/journal?limit=2", []

    while path:
        page = (await site.get(path)).json()
        read += page["records"]
        path = f"/api/journal?limit=2&before={page['next']}" if page["next"] else ""

    assert read == every


async def test_a_word_that_means_nothing_is_refused(site: Site) -> None:
    answer = await site.get("/api/journal?since=yesterday")

    assert answer.status_code == 400
    assert "query: since" in answer.text


@pytest.mark.parametrize("query", ["", "?subject=octo/other", "?subject=%3Cscript%3E%E2%80%AE"])
async def test_the_page_shows_it_and_harms_nothing(site: Site, query: str) -> None:
    page = await site.get(f"/journal{query}")

    assert page.status_code == 200
    assert "<script>alert" not in page.text
    assert "<script>\u202e" not in page.text
    assert "Journal" in page.text


async def test_without_an_index_there_is_no_page(site: Site) -> None:
    bare = Site()

    assert (await bare.get("/journal")).status_code == 404
    assert "/journal" not in (await bare.get("/processes")).text
