"""The watch itself: it has to see what it is there for."""

from typing import TYPE_CHECKING

import pytest

from tests.browser.watched import Watched, expect, serious_faults

if TYPE_CHECKING:
    from playwright.async_api import Page

HARM = {
    "a dialog": ("setTimeout(() => alert('here I am'))", "a dialog opened: here I am"),
    "a request elsewhere": (
        "fetch('https://evil.example/').catch(() => null)",
        "the browser's console says: Connecting to 'https://evil.example/' violates",
    ),
    "a script in the page": (
        "document.body.append(Object.assign(document.createElement('script'),"
        " {textContent: 'window.wasHarmed = true'}))",
        "the browser's console says: Executing inline script violates",
    ),
    "an exception": ("setTimeout(() => { throw new Error('oh') })", "a script failed: oh"),
    "a broken link": (
        "fetch('/static/nothing').then(() => null)",
        "404 from /static/nothing",
    ),
}


@pytest.mark.parametrize(("script", "fault"), HARM.values(), ids=HARM)
async def test_harm_is_seen(page: "Page", watched: Watched, script: str, fault: str) -> None:
    await page.goto("/")

    await page.evaluate(script)

    async with page.expect_console_message(lambda _: True):
        await page.evaluate("console.log('all before this has been told')")
    assert [each for each in watched.faults if each.startswith(fault)], watched.faults
    assert not await page.evaluate("'wasHarmed' in window")
    watched.faults.clear()


async def test_a_field_without_a_name_is_a_serious_fault(page: "Page") -> None:
    await page.goto("/")
    await expect(page.get_by_role("main")).to_be_visible()

    await page.evaluate("document.querySelector('main').append(document.createElement('input'))")

    (fault,) = await serious_faults(page)
    assert fault.startswith("label (critical)")
