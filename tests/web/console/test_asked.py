"""Forms and approvals on the console: what is asked can be read, and answered in place."""

from collections.abc import AsyncIterator

import pytest

from reactor.preview import preview_effect
from tests.contract.samples import AddLabels
from tests.web.console.browser import Browser, browsing
from tests.web.console.desk_site import HERE, WORD, DeskSite, post
from tests.web.console.looked import Looked


@pytest.fixture
def site() -> DeskSite:
    return DeskSite()


@pytest.fixture
async def browser(site: DeskSite) -> AsyncIterator[Browser]:
    async with browsing(site.app, HERE) as browser:
        yield browser


async def test_what_people_are_asked_is_listed_with_a_way_to_answer(
    site: DeskSite, browser: Browser
) -> None:
    form = await site.ask()
    key = await site.hold()

    page = await browser.look("/forms")

    titles = [each.text for each in page.all("h3")]
    assert titles == ["How is it?", preview_effect(AddLabels(labels=("bug",)))]
    links = [each.attributes["href"] for each in page.all("a")]
    assert f"/forms/{form.id}" in links
    assert page.all("form", action=f"/approvals/{key[:12]}")


async def test_a_form_shows_a_field_for_each_thing_that_is_asked(
    site: DeskSite, browser: Browser
) -> None:
    form = await site.ask()

    page = await browser.look(f"/forms/{form.id}")

    labels = {each.attributes.get("for"): each.text for each in page.all("label")}
    assert list(labels.values()) == ["Label", "Stars", "Comment optional"]
    chosen = page.one("select", name="field-0")
    assert [o.attributes["value"] for o in page.all("option") if "select" in o.inside] == [
        "",
        '"bug"',
        '"question"',
    ]
    assert "required" in chosen.attributes
    number = page.one("input", name="field-1").attributes
    assert (number["type"], number["min"], number["max"], number["step"]) == (
        "number",
        "1",
        "5",
        "1",
    )
    assert page.one("textarea", name="field-2").attributes["id"] in labels


async def test_an_answer_goes_to_its_process_under_the_name_of_who_gave_it(
    site: DeskSite, browser: Browser
) -> None:
    form = await site.ask()

    done = await post(
        browser, f"/forms/{form.id}", **{"field-0": '"bug"', "field-1": "4", "by": "somebody"}
    )

    assert done == (303, f"/processes/{form.process_id}?said=answered")
    (signal,) = site.said
    assert signal.answer is not None
    assert signal.answer.value == {"label": "bug", "stars": 4}
    assert (signal.by, signal.process_id) == ("somebody", form.process_id)
    page = await browser.look(done[1])
    assert page.one("p", role="status").text.startswith("Your answer is taken")


@pytest.mark.parametrize(
    ("given", "field", "what"),
    [
        ({"field-0": '"bug"', "field-1": "9"}, "f-2", "9 is greater than the maximum of 5"),
        ({"field-0": '"bug"', "field-1": "many"}, "f-2", "give a whole number"),
        ({"field-0": '"bug"', "field-1": "1.5"}, "f-2", "give a whole number"),
        ({"field-1": "3"}, "f-1", "say something here"),
        ({"field-0": '"evil"', "field-1": "3"}, "f-1", "choose one of what is offered"),
        ({"field-0": "evil", "field-1": "3"}, "f-1", "choose one of what is offered"),
    ],
)
async def test_what_is_wrong_stands_beside_its_field_and_nothing_typed_is_lost(
    site: DeskSite, browser: Browser, given: dict[str, str], field: str, what: str
) -> None:
    form = await site.ask()

    answer = await browser.post(
        f"/forms/{form.id}", {"csrf": WORD, "field-2": "my <b>words", **given}
    )

    assert answer.status_code == 422
    page = Looked.at(answer.text)
    (wrong,) = [e for e in page.elements if e.attributes.get("aria-invalid") == "true"]
    assert wrong.attributes["id"] == field
    described = wrong.attributes["aria-describedby"].split()
    assert [page.one("p", id=each).text for each in described][-1] == what
    assert page.one("textarea", name="field-2").text == "my <b>words"
    assert site.said == []


async def test_yes_and_no_are_buttons(site: DeskSite, browser: Browser) -> None:
    form = await site.ask(kind="confirm", schema={}, payload='{"amount": 3}', title="Pay?")

    page = await browser.look(f"/forms/{form.id}")
    done = await post(browser, f"/forms/{form.id}", approved="no")

    assert [each.text for each in page.all("button", name="approved")] == ["Yes", "No"]
    assert '{"amount": 3}' in page.one("pre").text
    assert done[0] == 303
    (signal,) = site.said
    assert signal.answer is not None
    assert (signal.answer.approved, signal.answer.by) == (False, "ann")


@pytest.mark.parametrize("approved", ["", "maybe", "true"])
async def test_neither_yes_nor_no_is_no_answer(
    site: DeskSite, browser: Browser, approved: str
) -> None:
    form = await site.ask(kind="confirm", schema={})

    assert (await post(browser, f"/forms/{form.id}", approved=approved))[0] == 400
    assert site.said == []


async def test_a_form_that_nobody_waits_for_says_so(site: DeskSite, browser: Browser) -> None:
    looked = await browser.visit("/forms/p1-1")
    done = await post(browser, "/forms/p1-1", approved="yes")

    assert (looked.status_code, done[0]) == (404, 404)
    assert "nobody waits" in looked.text


async def test_a_ruling_goes_on_its_way_with_who_made_it_and_why(
    site: DeskSite, browser: Browser
) -> None:
    key = await site.hold()

    done = await post(browser, f"/approvals/{key[:12]}", approved="yes", reason="it is fine")

    assert done == (303, "/forms?said=approved")
    (signal,) = site.said
    assert signal.ruling is not None
    assert (signal.ruling.key, signal.ruling.is_approved) == (key, True)
    assert (signal.by, signal.reason) == ("ann", "it is fine")


async def test_what_does_not_wait_for_approval_can_not_be_ruled_on(
    site: DeskSite, browser: Browser
) -> None:
    key = await site.hold()

    for wrong in ("f" * 12, key[:11], "%2e%2e%2f"):
        assert (await post(browser, f"/approvals/{wrong}", approved="yes"))[0] == 404
    assert site.said == []


async def test_programs_list_and_answer_as_at_the_gateway(site: DeskSite) -> None:
    form, key = await site.ask(), await site.hold()
    async with browsing(site.app, HERE) as browser:
        listed = (await browser.client.get("/api/forms")).json()
        path = f"/api/forms/{form.id}"
        wrong = await browser.client.post(path, json={"value": {"label": "bug", "stars": 9}})
        unclear = await browser.client.post(path, json={"values": 1})
        right = await browser.client.post(
            path, json={"value": {"label": "bug", "stars": 5}, "by": "eve", "id": "a1"}
        )
        ruled = await browser.client.post(f"/api/approvals/{key[:12]}", json={"approved": False})

    assert [each["id"] for each in listed["forms"]] == [form.id]
    assert [each["key"] for each in listed["approvals"]] == [key]
    assert (wrong.status_code, unclear.status_code) == (422, 400)
    assert "greater than the maximum" in wrong.json()["title"]
    assert right.json()["answer"] == "a1"
    assert ruled.json()["status"] == "accepted"
    assert [signal.by for signal in site.said] == ["eve", "ann"]


async def test_who_may_only_look_sees_what_is_asked_and_no_button(site: DeskSite) -> None:
    site = DeskSite(is_read_only=True)
    form, key = await site.ask(), await site.hold()
    async with browsing(site.app, HERE) as browser:
        pages = [await browser.look(path) for path in ("/forms", f"/forms/{form.id}")]
        answered = await post(browser, f"/forms/{form.id}", **{"field-0": '"bug"', "field-1": "1"})
        ruled = await post(browser, f"/approvals/{key[:12]}", approved="yes")

    assert [page.all("form", method="post") for page in pages] == [[], []]
    assert (answered[0], ruled[0]) == (403, 403)
    assert site.said == []
