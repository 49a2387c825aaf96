"""Somebody looks at what was decided, and why."""

from typing import TYPE_CHECKING

from reactor.cli.demo import Sample
from tests.browser.watched import expect

if TYPE_CHECKING:
    from playwright.async_api import Page


async def test_a_process_is_opened_and_its_reasons_are_read(
    page: "Page", demo: list[Sample]
) -> None:
    await page.goto(f"/deliveries/{demo[0].delivery}")

    await page.get_by_role("main").locator('a[href^="/processes/"]').first.click()

    await expect(page.get_by_role("heading", name="Decisions")).to_be_visible()
    chosen = page.get_by_role("row").filter(has_text="triage.save_new_issue").first
    await expect(chosen).to_contain_text("chosen")
