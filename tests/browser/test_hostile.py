"""A title of an issue is written by anybody: it harms no page that shows it."""

from typing import TYPE_CHECKING

import pytest

from tests.browser.house import House
from tests.browser.watched import expect, overflow_px

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from playwright.async_api import Page

TITLES = {
    "script": "<script>alert(document.domain)</script><img src=x onerror=alert(1)>",
    "attribute": '"\' onmouseover=alert(1) autofocus onfocus=alert(2) x="',
    "markup that ends": "</bdi></td></table></main><form action=//evil.example><input name=a>",
    "address": "javascript:alert(1) https://evil.example/ <a href=//evil.example>here</a>",
    "right to left": "\u05e9\u05dc\u05d5\u05dd \u0645\u0631\u062d\u0628\u0627 \u202e gnp.exe \u2067",
    "emoji": "\U0001f468\u200d\U0001f469\u200d\U0001f467\U0001f525" * 40,
    "one long word": "x" * 2000,
    "accents": "z" + "\u0301" * 500,
}
OPEN_ALL = "for (const each of document.querySelectorAll('details')) each.open = true"


@pytest.mark.parametrize("title", TITLES.values(), ids=TITLES)
async def test_a_title_harms_no_page(
    visit: "Callable[..., Awaitable[Page]]", house: House, title: str
) -> None:
    # a question, so that it stands on the pages that ask people as well
    named = await house.open_issue(f"{title}?", body=title)
    process = await house.process_of(named, "helpdesk")
    page = await visit(width=375)
    subject = f"/subjects?name=octo/hello%23{named.removeprefix('issue-')}"
    asked = ("/forms", f"/forms/{process}-1")

    for path in (f"/processes/{process}", f"/deliveries/{named}", subject, *asked, "/journal", "/"):
        await page.goto(path)
        await expect(page.get_by_role("main")).to_be_visible()
        await page.evaluate(OPEN_ALL)
        assert await overflow_px(page) <= 0, path
        planted = page.locator('[action*="evil"], a[href*="evil"], [onerror], [onfocus]')
        assert await planted.count() == 0, path
