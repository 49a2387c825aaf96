"""What people want of a process: it is told, by whom and why; who may only look tells nothing."""

import pytest

from reactor.status import Status, process_id
from tests.web.console.browser import browsing
from tests.web.console.desk_site import HERE, DeskSite, post

PROCESS = process_id(delivery="github.com/d-1", reaction="everything")


@pytest.mark.parametrize("wish", ["kill", "terminate", "pause", "resume"])
async def test_a_process_is_told_what_is_wanted_of_it(wish: str) -> None:
    site = DeskSite()
    await site.site.put("github.com/d-1", Status.WAITING)
    async with browsing(site.app, HERE) as browser:
        done = await post(browser, f"/processes/{PROCESS}/signal", wish=wish, reason="it runs wild")

    assert done == (303, f"/processes/{PROCESS}?said=told")
    (signal,) = site.said
    assert (signal.kind, signal.process_id, signal.by) == (wish, PROCESS, "ann")
    assert signal.reason == "it runs wild"


@pytest.mark.parametrize("wish", ["", "answer", "wake", "retry", "rule", "KILL"])
async def test_nothing_else_can_be_told_from_here(wish: str) -> None:
    site = DeskSite()
    await site.site.put("github.com/d-1", Status.WAITING)
    async with browsing(site.app, HERE) as browser:
        assert (await post(browser, f"/processes/{PROCESS}/signal", wish=wish))[0] == 400

    assert site.said == []


@pytest.mark.parametrize("process", [PROCESS, "p1", "..", "%2e%2e%2fdead"])
async def test_who_is_not_there_is_told_nothing(process: str) -> None:
    site = DeskSite()
    async with browsing(site.app, HERE) as browser:
        assert (await post(browser, f"/processes/{process}/signal", wish="kill"))[0] == 404

    assert site.said == []


async def test_programs_say_for_whom_they_act() -> None:
    site = DeskSite()
    await site.site.put("github.com/d-1", Status.WAITING)
    async with browsing(site.app, HERE) as browser:
        path = f"/api/processes/{PROCESS}/signal"
        done = await browser.client.post(path, json={"wish": "pause", "by": "eve"})
        misspelt = await browser.client.post(path, json={"wish": "pause", "resaon": "x"})

    assert done.json()["status"] == "accepted"
    assert misspelt.status_code == 400
    assert [signal.by for signal in site.said] == ["eve"]


@pytest.mark.parametrize("by", ["eve\nann", "\x1b[2Jann", "\u202enna"])
async def test_nobody_acts_under_a_name_that_writes_elsewhere_in_a_terminal(by: str) -> None:
    site = DeskSite()
    await site.site.put("github.com/d-1", Status.WAITING)
    async with browsing(site.app, HERE) as browser:
        path = f"/api/processes/{PROCESS}/signal"
        answer = await browser.client.post(path, json={"wish": "pause", "by": by})

    assert (answer.status_code, answer.json()["reason"]) == (400, "body")
    assert site.said == []


@pytest.mark.parametrize(
    ("status", "words"),
    [
        (Status.WAITING, ["Pause", "Terminate", "Kill"]),
        (Status.PAUSED, ["Resume", "Terminate", "Kill"]),
        (Status.COMPLETED, []),
        (Status.KILLED, []),
    ],
)
async def test_the_page_of_a_process_offers_what_can_be_done(
    status: Status, words: list[str]
) -> None:
    site = DeskSite()
    await site.site.put("github.com/d-1", status)
    async with browsing(site.app, HERE) as browser:
        page = await browser.look(f"/processes/{PROCESS}")

    assert [each.text for each in page.all("button", name="wish")] == words


async def test_who_may_only_look_is_offered_nothing() -> None:
    site = DeskSite(is_read_only=True)
    await site.site.put("github.com/d-1", Status.WAITING)
    async with browsing(site.app, HERE) as browser:
        page = await browser.look(f"/processes/{PROCESS}")
        done = await post(browser, f"/processes/{PROCESS}/signal", wish="kill")

    assert page.all("button", name="wish") == []
    assert done[0] == 403
    assert site.said == []
