"""Somebody asks what would have been otherwise, and reads the answer side by side."""

from functools import partial
from typing import TYPE_CHECKING

from reactor.cli.demo import Sample
from tests.browser.house import House
from tests.browser.watched import Watched, expect
from tests.fixtures.site import until

if TYPE_CHECKING:
    from playwright.async_api import Page


async def test_a_replay_is_begun_and_its_differences_are_read(
    page: "Page", house: House, demo: list[Sample]
) -> None:
    urgent = demo[1]
    await until(partial(house.is_recorded, urgent.delivery), within_s=60)
    await page.goto("/")
    await page.get_by_role("link", name="Replays").first.click()
    begin = page.get_by_text("Begin a replay")
    if not await page.get_by_label("Since").is_visible():
        await begin.click()
    await page.get_by_label("Deliveries").fill(urgent.delivery)
    await page.get_by_label("Settings", exact=True).fill("components.triage.urgent_at=0.99")

    await page.get_by_role("button", name="Begin", exact=True).click()

    await expect(page.get_by_role("status").first).to_contain_text("has begun")
    await expect(page.locator("#progress .badge")).to_have_text("done")
    card = page.get_by_role("article").filter(has_text="harbour/lantern#102")
    await expect(card.locator("h3 .badge").first).to_have_text("different")
    await expect(card.locator("tr.other del").first).to_contain_text("triage.heavy_hitter_issue")
    await card.get_by_role("link", name="its process then").click()
    await expect(page.get_by_role("main")).to_contain_text("triage.heavy_hitter_issue")


async def test_a_time_that_makes_no_sense_is_refused_and_nothing_typed_is_lost(
    page: "Page", house: House, watched: Watched
) -> None:
    watched.expected.add(422)
    await page.goto("/replays")
    if not await page.get_by_label("Since").is_visible():
        await page.get_by_text("Begin a replay").click()
    await page.get_by_label("Since").fill("the day before yesterday")

    await page.get_by_role("button", name="Begin", exact=True).click()

    await expect(page.get_by_role("alert")).to_be_visible()
    await expect(page.get_by_label("Since")).to_have_value("the day before yesterday")
