"""What people do on the console: answer, approve, drive again, stop."""

from functools import partial
from typing import TYPE_CHECKING

from tests.browser.house import House
from tests.browser.watched import Watched, expect
from tests.fixtures.site import until

if TYPE_CHECKING:
    from playwright.async_api import Locator, Page


async def asked(house: House, title: str) -> str:
    """Somebody asks a question; gives the id of the process that waits for an answer."""
    named = await house.open_issue(title)
    await until(partial(house.process_of, named, "helpdesk"), within_s=60)
    return await house.process_of(named, "helpdesk")


async def test_a_form_is_answered_and_its_process_completes(page: "Page", house: House) -> None:
    process = await asked(house, "Where is the menu gone?")
    await page.goto("/")
    await page.get_by_role("link", name="Forms").first.click()

    await page.get_by_role("link", name="Where is the menu gone?").click()
    await page.get_by_label("Label").select_option("question")
    await page.get_by_label("Reason").fill("it was moved")
    await page.get_by_role("button", name="Answer").click()

    await expect(page).to_have_url(f"{house.console}/processes/{process}?said=answered")
    await expect(page.locator(".summary .badge").first).to_have_text("terminated")
    await expect(page.get_by_role("main")).to_contain_text("helpdesk.label")
    await expect(page.get_by_role("main")).to_contain_text("add label question")
    await page.goto("/forms")
    await expect(page.get_by_role("link", name="Where is the menu gone?")).to_have_count(0)


async def test_an_answer_that_does_not_fit_is_refused_beside_its_field(
    page: "Page", house: House, watched: Watched
) -> None:
    watched.expected.add(422)
    await asked(house, "How long may a reason be?")
    await page.goto("/forms")
    await page.get_by_role("link", name="How long may a reason be?").click()
    await page.get_by_label("Label").select_option("bug")
    reason = page.get_by_label("Reason")
    await reason.evaluate("field => field.removeAttribute('maxlength')")
    await reason.fill("x" * 201)

    async with page.expect_response(lambda answer: answer.request.method == "POST") as answered:
        await page.get_by_role("button", name="Answer").click()

    assert (await answered.value).status == 422
    await expect(reason).to_have_attribute("aria-invalid", "true")
    await expect(page.get_by_label("Label").locator("option:checked")).to_have_text("bug")


async def test_a_change_that_waits_for_approval_is_approved(page: "Page", house: House) -> None:
    named = await house.open_issue("Note that the fish was good")
    await until(partial(house.process_of, named, "helpdesk"), within_s=60)
    process = await house.process_of(named, "helpdesk")
    await page.goto("/forms")
    subject = f"octo/hello#{named.removeprefix('issue-')}"
    card = page.get_by_role("article").filter(has_text=subject)
    assert house.notes == []

    await card.get_by_role("button", name="Approve").click()

    await expect(page.get_by_role("status").first).to_contain_text("Approved")
    await until(lambda: house.notes == ["Note that the fish was good"], within_s=60)
    done = page.get_by_role("row").filter(has_text="helpdesk.note").filter(has_text="done")
    await appears(page, f"/processes/{process}", done)


async def test_a_dead_letter_is_driven_again_once_its_cause_is_mended(
    page: "Page", house: House
) -> None:
    named = await house.open_issue("Crash when it rains")
    await until(partial(house.process_of, named, "helpdesk"), within_s=60)
    number = named.removeprefix("issue-")
    letter = page.get_by_role("link", name=f"octo/hello#{number}")
    await appears(page, "/dead", letter)
    await letter.click()
    await expect(page.get_by_role("main")).to_contain_text("no machine is free to reproduce it on")

    house.mend(int(number))
    await page.get_by_role("button", name="Drive it again").click()

    await expect(page.get_by_role("status").first).to_contain_text("Driven again")
    await page.goto(f"/deliveries/{named}")
    second = page.get_by_role("row").filter(has_text="helpdesk").filter(has_text="terminated")
    await appears(page, f"/deliveries/{named}", second)
    await page.goto("/dead")
    await expect(page.get_by_role("link", name=f"octo/hello#{number}")).to_have_count(0)


async def test_a_process_that_waits_is_ended(page: "Page", house: House) -> None:
    process = await asked(house, "Can this be stopped?")
    await page.goto(f"/processes/{process}")

    await page.get_by_text("Stop it, or have it go on").click()
    await page.get_by_role("button", name="Kill").click()

    await expect(page.locator(".summary .badge").first).to_have_text("killed")


async def appears(page: "Page", path: str, wanted: "Locator") -> None:
    """Load the page until it shows something."""

    async def is_there() -> bool:
        await page.goto(path)
        return bool(await wanted.count())

    await until(is_there, within_s=60, every_s=0.5)
