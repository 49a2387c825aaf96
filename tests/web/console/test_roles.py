"""Who may only look is offered nothing else, and what they send all the same does nothing."""

import pytest

from tests.web.console.browser import browsing
from tests.web.console.doing import READ_TOKEN, SEAL, TOKEN, Bell, guarded_site, open_site

HERE = "http://127.0.0.1:8081"


async def test_who_logged_in_with_the_read_token_changes_nothing() -> None:
    bell = Bell()
    async with browsing(guarded_site(bell).app()) as browser:
        await browser.log_in(READ_TOKEN)
        page = await browser.look("/components")
        form = await browser.post("/bell", {"csrf": await browser.word("/components")})
        own = {"origin": browser.origin, "sec-fetch-site": "same-origin"}
        json = await browser.client.post("/api/bell", json={}, headers=own)

    assert "ann, may look" in page.text
    assert (form.status_code, json.status_code) == (403, 403)
    assert bell.rung == []


@pytest.mark.parametrize(("token", "status"), [(TOKEN, 200), (READ_TOKEN, 403)])
async def test_a_program_may_do_what_its_token_says(token: str, status: int) -> None:
    bell = Bell()
    async with browsing(guarded_site(bell).app()) as browser:
        bearer = {"authorization": f"Bearer {token}"}
        looked = await browser.client.get("/api/components", headers=bearer)
        rang = await browser.client.post("/api/bell", json={}, headers=bearer)

    assert (looked.status_code, rang.status_code) == (200, status)
    assert len(bell.rung) == (status == 200)


async def test_a_console_that_is_read_only_is_so_for_everybody() -> None:
    bell = Bell()
    async with browsing(guarded_site(bell, is_read_only=True).app()) as browser:
        await browser.log_in(TOKEN)
        form = await browser.post("/bell", {"csrf": await browser.word("/components")})
        bearer = {"authorization": f"Bearer {TOKEN}"}
        json = await browser.client.post("/api/bell", json={}, headers=bearer)
    async with browsing(open_site(bell, is_read_only=True).app(), HERE) as browser:
        here = await browser.post("/bell", {"csrf": SEAL.word("here")})

    assert (form.status_code, json.status_code, here.status_code) == (403, 403, 403)
    assert "change nothing" in json.json()["title"]
    assert bell.rung == []


async def test_a_wrong_token_is_not_made_good_by_a_session() -> None:
    async with browsing(guarded_site(Bell()).app()) as browser:
        await browser.log_in(TOKEN)
        wrong = {"authorization": "Bearer wrong"}
        answer = await browser.client.get("/api/components", headers=wrong)

    assert answer.status_code == 401


@pytest.mark.parametrize("value", ["", "Bearer", "Bearer ", "Basic YTpi", "bearer  ", TOKEN])
async def test_what_is_no_bearer_token_opens_nothing(value: str) -> None:
    async with browsing(guarded_site(Bell()).app()) as browser:
        answer = await browser.client.get("/api/components", headers={"authorization": value})

    assert answer.status_code == 401
