"""Dead letters and unsent effects on the console: inspected, driven again, dropped."""

import base64
from collections.abc import AsyncIterator

import pytest

from reactor.dead import letter_id
from reactor.topic import DeadLetter, Position
from tests.web.console.browser import Browser, browsing
from tests.web.console.desk_site import HERE, WORD, DeskSite, post

FAILED = DeadLetter(
    reason="failed",
    detail="triage.label ended FAILED: <script>alert(1)</script>",
    key=b"github.com/1#7",
    body=b'{"title": "</pre><script>"}\xff',
    headers={
        "host": "github.com",
        "delivery": "d-1",
        "event": "issues",
        "action": "opened",
        "subject": "octo/hello#7",
        "x-odd": "\udcff\u202e",
    },
    origin=Position("reactor.deliveries", 2, 17),
)
UNREADABLE = DeadLetter(reason="unreadable", detail="no letter", key=None, body=b"x")
ID, OTHER = letter_id(FAILED), letter_id(UNREADABLE)


@pytest.fixture
def site() -> DeskSite:
    site = DeskSite()
    site.bury(FAILED)
    site.bury(UNREADABLE)
    return site


@pytest.fixture
async def browser(site: DeskSite) -> AsyncIterator[Browser]:
    async with browsing(site.app, HERE) as browser:
        yield browser


async def test_letters_are_listed_the_newest_first_and_can_be_filtered(browser: Browser) -> None:
    every = await browser.look("/dead")
    failed = await browser.look("/dead?reason=failed&repo=octo/hello&event=issues&delivery=d-1")
    none = await browser.look("/dead?repo=octo/other")

    def ids(page: object) -> list[str]:
        return [e.attributes["value"] for e in page.all("input", name="ids")]  # type: ignore[attr-defined]

    assert (ids(every), ids(failed), ids(none)) == ([OTHER, ID], [ID], [])
    assert "No dead letter fits." in none.text


async def test_a_letter_is_shown_with_its_bytes_and_what_to_do_and_does_nothing_itself(
    browser: Browser,
) -> None:
    page = await browser.look(f"/dead/{ID}")
    told = (await browser.client.get(f"/api/dead/{ID}")).json()

    assert page.one("pre").text == '{"title": "</pre><script>"}\N{REPLACEMENT CHARACTER}'
    assert [each.attributes.get("src") for each in page.all("script")] == ["/static/console.js"]
    assert "mend the component" in page.text
    assert "28 bytes that are no UTF-8 text" in page.text
    assert base64.b64decode(told["body_base64"]) == FAILED.body
    assert (told["is_text"], told["origin"]) == (False, "reactor.deliveries[2]@17")


async def test_a_letter_that_is_driven_again_is_told_of_with_who_did_it(
    site: DeskSite, browser: Browser
) -> None:
    done = await post(browser, "/dead", ids=ID, do="retry")

    assert done == (303, "/dead?said=retried")
    assert site.shelf.driven == [ID]
    handled = (await site.handlings.all())[ID]
    assert (handled.what, handled.by) == ("retried", "ann")
    waiting, every = await browser.look("/dead"), await browser.look("/dead?all=yes")
    assert [len(page.all("input", name="ids")) for page in (waiting, every)] == [1, 2]


async def test_several_are_dropped_in_one_go(site: DeskSite, browser: Browser) -> None:
    done = await post(browser, "/dead", ids=[ID, OTHER], do="drop")

    assert done == (303, "/dead?said=dropped")
    assert {each.what for each in (await site.handlings.all()).values()} == {"dropped"}
    assert site.shelf.driven == []


async def test_one_that_can_not_be_driven_again_stays_and_the_others_go(
    site: DeskSite, browser: Browser
) -> None:
    done = await post(browser, "/dead", ids=[OTHER, ID], do="retry")
    told = await browser.client.post("/api/dead", json={"ids": [OTHER, "f" * 12], "do": "retry"})

    assert done == (303, "/dead?said=skipped")
    assert site.shelf.driven == [ID]
    assert told.json() == {
        "retried": [],
        "skipped": {OTHER: "it is no letter", "f" * 12: "there is none of this id"},
    }


@pytest.mark.parametrize(
    "fields",
    [
        {"ids": ID},
        {"ids": ID, "do": "delete"},
        {"do": "retry"},
        {"ids": "", "do": "retry"},
        {"ids": [f"{n:012x}" for n in range(501)], "do": "drop"},
    ],
    ids=["nothing to do", "something unknown", "none", "an empty one", "too many"],
)
async def test_what_is_not_clear_is_not_done(
    site: DeskSite, browser: Browser, fields: dict[str, object]
) -> None:
    assert (await post(browser, "/dead", **fields))[0] == 400
    assert (site.shelf.driven, await site.handlings.all()) == ([], {})


@pytest.mark.parametrize("path", ["/dead", "/effects"])
async def test_who_has_chosen_nothing_is_told_so_in_words_for_people(
    browser: Browser, path: str
) -> None:
    status, said = await post(browser, path, do="retry")

    assert status == 400
    assert "nothing is chosen" in said
    assert "mark at least one" in said


async def test_the_beginning_of_an_id_means_no_letter_here(
    site: DeskSite, browser: Browser
) -> None:
    # on a page each is chosen by itself: "" and "3" are the beginnings of many
    assert (await post(browser, "/dead", ids=ID[:3], do="drop")) == (303, "/dead?said=skipped")
    assert await site.handlings.all() == {}


async def test_an_unknown_letter_is_told_so(browser: Browser) -> None:
    assert (await browser.visit("/dead/ffffffffffff")).status_code == 404


async def test_effects_that_were_given_up_are_listed_and_sent_again(
    site: DeskSite, browser: Browser
) -> None:
    key = await site.give_up()

    page = await browser.look("/dead")
    (row,) = [e for e in page.all("input", name="ids") if e.attributes["value"] == key]
    done = await post(browser, "/effects", ids=key)

    assert "octo/hello#7" in row.attributes["aria-label"]
    assert "GitHub says no <b>" in page.text
    assert done == (303, "/dead?said=sent_again")
    assert (await browser.client.get("/api/effects")).json()["effects"] == []
    assert (await post(browser, "/effects", ids=key))[0] == 404


async def test_who_may_only_look_sees_all_of_it_and_no_button() -> None:
    site = DeskSite(is_read_only=True)
    site.bury(FAILED)
    key = await site.give_up()
    async with browsing(site.app, HERE) as browser:
        pages = [await browser.look(path) for path in ("/dead", f"/dead/{ID}", "/effects")]
        dropped = await browser.post("/dead", {"csrf": WORD, "ids": ID, "do": "drop"})
        sent = await browser.post("/effects", {"csrf": WORD, "ids": key})

    for page in pages:
        assert page.all("input", name="ids") == []
        assert "Drop" not in page.text.replace("Dropped", "")
    assert (dropped.status_code, sent.status_code) == (403, 403)
    assert await site.handlings.all() == {}
