"""Everything can be done without a mouse, and one always sees where one is."""

from typing import TYPE_CHECKING

from tests.browser.house import House
from tests.browser.test_doing import asked
from tests.browser.watched import expect

if TYPE_CHECKING:
    from playwright.async_api import Locator, Page

MOST_STOPS = 120
IS_SEEN = """
    element => {
        const style = getComputedStyle(element), box = element.getBoundingClientRect();
        const marked = style.outlineStyle !== "none" || style.boxShadow !== "none";
        return marked && box.width > 0 && box.bottom > 0 && box.top < innerHeight;
    }
"""


async def tab_to(page: "Page", wanted: "Locator") -> None:
    """Press Tab until the element is reached; every stop on the way has to be seen."""
    for _ in range(MOST_STOPS):
        await page.keyboard.press("Tab")
        here = page.locator(":focus")
        if await here.count():
            stop = str(await here.evaluate("element => element.outerHTML.slice(0, 200)"))
            assert await here.evaluate(IS_SEEN), f"nobody sees that the keyboard is at {stop}"
        if await wanted.evaluate("element => element === document.activeElement"):
            return
    raise AssertionError(f"not reached by {MOST_STOPS} times Tab: {wanted}")


async def test_a_form_is_reached_and_answered_with_keys_alone(page: "Page", house: House) -> None:
    process = await asked(house, "Is there a mouse?")
    await page.goto("/")
    await expect(page.get_by_role("heading", level=1)).to_be_visible()

    await tab_to(page, page.get_by_role("navigation").get_by_role("link", name="Forms"))
    await page.keyboard.press("Enter")
    await expect(page).to_have_url(f"{house.console}/forms")
    await tab_to(page, page.get_by_role("link", name="Is there a mouse?"))
    await page.keyboard.press("Enter")
    await expect(page.get_by_role("button", name="Answer")).to_be_visible()
    await tab_to(page, page.get_by_label("Label"))
    await page.keyboard.type("que")
    await tab_to(page, page.get_by_role("button", name="Answer"))
    await page.keyboard.press("Enter")

    await expect(page).to_have_url(f"{house.console}/processes/{process}?said=answered")
    await expect(page.get_by_role("main")).to_contain_text("add label question")


async def test_the_first_stop_leads_past_the_menu(page: "Page", house: House) -> None:
    await page.goto("/processes")

    await page.keyboard.press("Tab")
    await expect(page.locator(":focus")).to_have_text("Skip to the content")
    await expect(page.locator(":focus")).to_be_in_viewport()
    await page.keyboard.press("Enter")
    await page.keyboard.press("Tab")

    assert await page.locator("main :focus").count() == 1
