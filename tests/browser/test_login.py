"""A console that others can reach: who has a token logs in, and may do what that token lets do."""

import json
from collections.abc import AsyncIterator, Awaitable, Callable
from typing import TYPE_CHECKING

import pytest
import pytest_asyncio

from reactor.children import free_port
from tests.browser.house import House
from tests.browser.test_doing import asked
from tests.browser.watched import Watched, expect, overflow_px, serious_faults
from tests.fixtures.site import Site, answers, until

if TYPE_CHECKING:
    from playwright.async_api import Page

    Visit = Callable[..., Awaitable[Page]]

TOKENS = {"REACTOR_TOKEN": "may-change-everything", "REACTOR_READ_TOKEN": "may-look-at-it"}


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def guarded_console(house: House) -> AsyncIterator[str]:
    """One more console of the installation, which listens to everybody."""
    told = json.loads((house.site.folder / "data" / "up.json").read_text())
    servers = {name: told[name] for name in ("KAFKA_BOOTSTRAP_SERVERS", "REDIS_URL")}
    site = Site(folder=house.site.folder, environ={**house.site.environ, **servers, **TOKENS})
    port = free_port()
    try:
        site.start("guarded", "console", "--host", "0.0.0.0", "--port", str(port))
        await until(lambda: answers(f"http://127.0.0.1:{port}/readyz"), within_s=90)
        yield f"http://127.0.0.1:{port}"
    finally:
        site.stop()


@pytest.fixture
def watched(guarded_console: str) -> Watched:
    """Of this console, in place of the other one."""
    return Watched(guarded_console)


async def log_in(page: "Page", token: str) -> None:
    await page.get_by_label("Your name").fill("Ann")
    await page.get_by_label("Token").fill(token)
    await page.get_by_role("button", name="Log in").click()


async def test_who_has_the_token_logs_in_works_and_logs_out(
    page: "Page", house: House, watched: Watched
) -> None:
    watched.expected.add(401)
    process = await asked(house, "Who may answer this?")
    await page.goto("/forms")
    await expect(page).to_have_url(f"{watched.origin}/login?next=%2Fforms")
    assert await serious_faults(page) == []
    await log_in(page, "a guess")
    await expect(page.get_by_role("alert")).to_have_text("this is not the token")

    await log_in(page, TOKENS["REACTOR_TOKEN"])
    await page.get_by_role("link", name="Who may answer this?").click()
    await page.get_by_label("Label").select_option("question")
    await page.get_by_role("button", name="Answer").click()

    await expect(page).to_have_url(f"{watched.origin}/processes/{process}?said=answered")
    told = await house.told(f"/api/processes/{process}")
    assert [each["by"] for each in told["answers"]] == ["Ann"]
    await page.get_by_role("button", name="Log out").click()
    await page.goto(f"/processes/{process}")
    await expect(page.get_by_role("heading", level=1)).to_have_text("Log in")


async def test_who_may_only_look_is_offered_nothing_to_do(
    page: "Page", house: House, watched: Watched
) -> None:
    await asked(house, "Who may look at this?")
    await page.goto("/forms")
    await log_in(page, TOKENS["REACTOR_READ_TOKEN"])

    await page.get_by_role("link", name="Who may look at this?").click()

    await expect(page.get_by_role("main")).to_contain_text("You may look at this form")
    await expect(page.get_by_role("button", name="Answer")).to_have_count(0)
    for path in ("/forms", "/dead"):
        await page.goto(path)
        assert await page.get_by_role("main").locator("form[method=post] button").count() == 0, path


async def test_the_login_page_fits_a_phone_and_needs_no_script(
    visit: "Visit", watched: Watched
) -> None:
    page = await visit(width=320, java_script_enabled=False)
    await page.goto("/processes?status=failed")

    await log_in(page, TOKENS["REACTOR_READ_TOKEN"])

    await expect(page).to_have_url(f"{watched.origin}/processes?status=failed")
    (cookie,) = await page.context.cookies()
    assert (cookie.get("httpOnly"), cookie.get("sameSite")) == (True, "Strict")
    scripted = await visit(width=320)
    await scripted.goto("/login")
    assert await overflow_px(scripted) <= 0
