"""What happens appears on a page that somebody has open."""

from functools import partial
from typing import TYPE_CHECKING

from tests.browser.house import House, demo_samples
from tests.browser.watched import expect
from tests.fixtures.site import until

if TYPE_CHECKING:
    from playwright.async_api import Page


async def test_the_deliveries_of_the_demo_appear_while_somebody_looks(
    page: "Page", house: House
) -> None:
    await page.goto("/processes?reaction=everything")
    await expect(page.get_by_role("heading", name="Processes", level=1)).to_be_visible()
    await page.evaluate("window.wasNeverLoadedAgain = true")
    sent = [each for each in demo_samples() if each.event != "ping"]

    for each in sent:
        await house.send(each)

    for each in sent:
        await until(partial(house.process_of, each.delivery), within_s=60)
        process = f"/processes/{await house.process_of(each.delivery)}"
        await expect(page.locator(f'main a[href="{process}"]').first).to_be_visible()
    assert await page.evaluate("window.wasNeverLoadedAgain")


async def test_the_figures_of_the_overview_follow(page: "Page", house: House) -> None:
    await house.open_issue("The first one that is seen")
    await page.goto("/")
    figure = page.get_by_label("Figures").get_by_text("a minute").locator("xpath=..")
    before = await figure.inner_text()

    await house.open_issue("Another one")

    await expect(figure).not_to_have_text(before)
