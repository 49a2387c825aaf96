"""A live page does not get in the way of who reads it."""

from typing import TYPE_CHECKING

from tests.browser.house import House
from tests.browser.watched import expect

if TYPE_CHECKING:
    from playwright.async_api import Page

ROWS = "main tr[data-key]"


async def long_list(house: House, page: "Page") -> None:
    """A list that is longer than the window, scrolled to where somebody reads."""
    for number in range(9):
        await house.open_issue(f"Something to read {number}")
    await page.set_viewport_size({"width": 900, "height": 420})
    await page.goto("/processes")
    await expect(page.get_by_role("button", name="Live")).to_have_attribute("data-state", "on")


async def test_a_list_that_is_read_stays_where_it_is_and_says_that_there_is_news(
    page: "Page", house: House
) -> None:
    await long_list(house, page)
    await page.locator(ROWS).nth(6).scroll_into_view_if_needed()
    read = await page.locator(ROWS).nth(6).get_attribute("data-key")
    top = await page.evaluate("window.scrollY")
    assert top > 0

    named = await house.open_issue("News")

    news = page.get_by_role("button", name="There is news: show it")
    await expect(news).to_be_visible()
    assert await page.locator(ROWS).nth(6).get_attribute("data-key") == read
    assert await page.evaluate("window.scrollY") == top
    await news.click()
    process = await house.process_of(named)
    await expect(page.locator(f'{ROWS}[data-key="{process}"]')).to_be_visible()
    await expect(news).to_have_count(0)


async def test_who_does_not_want_news_says_so_and_has_them_later(
    page: "Page", house: House
) -> None:
    await page.goto("/processes")
    switch = page.get_by_role("button", name="Live")
    await expect(switch).to_have_attribute("aria-pressed", "true")
    await switch.click()
    paused = page.get_by_role("button", name="Paused")
    await expect(paused).to_have_attribute("aria-pressed", "false")

    process = await house.process_of(await house.open_issue("Unwanted"))
    row = page.locator(f'{ROWS}[data-key="{process}"]')
    assert await row.count() == 0
    await paused.click()

    await expect(row).to_be_visible()


async def test_what_is_unfolded_stays_unfolded_when_its_page_changes(
    page: "Page", house: House
) -> None:
    await page.goto("/")
    await house.open_issue("One for the charts")
    await expect(page.get_by_text("The charts as a table")).to_be_visible()
    await page.get_by_text("The charts as a table").click()
    table = page.get_by_role("region", name="The charts as a table")
    await expect(table).to_be_visible()
    figure = page.get_by_label("Figures").get_by_text("a minute").locator("xpath=..")
    before = await figure.inner_text()

    await house.open_issue("And another one")

    await expect(figure).not_to_have_text(before)
    await expect(table).to_be_visible()
    assert await page.evaluate("document.activeElement.tagName") == "SUMMARY"  # nor is focus lost


async def test_what_came_is_fetched_when_it_is_unfolded(page: "Page", house: House) -> None:
    named = await house.open_issue("Look into me")
    await page.goto(f"/processes/{await house.process_of(named)}")

    await page.get_by_text("The delivery, with its headers and payload").click()
    await page.get_by_text("Payload", exact=True).click()

    await expect(page.get_by_label("Payload")).to_contain_text('"title": "Look into me"')


async def test_without_scripts_everything_is_there_but_the_switch(
    page: "Page", house: House
) -> None:
    named = await house.open_issue("Plain")
    browser = page.context.browser
    assert browser
    context = await browser.new_context(base_url=house.console, java_script_enabled=False)
    plain = await context.new_page()

    await plain.goto(f"/deliveries/{named}")
    await plain.locator('main a[href^="/processes/"]').first.click()

    await expect(plain.get_by_role("heading", name="Decisions")).to_be_visible()
    await plain.get_by_text("The delivery, with its headers and payload").click()
    await expect(plain.get_by_role("link", name="Show the delivery")).to_be_visible()
    await expect(plain.locator("button.live")).to_have_count(0)
    await context.close()
