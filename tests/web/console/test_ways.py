"""Ways between pages, and what makes a page usable for everybody."""

import pytest

from reactor.testing import delivery, issue
from tests.web.console.looked import Looked
from tests.web.console.site import Site

OUR_SCRIPT = {"src": "/static/console.js", "defer": ""}


async def everything(console: Site) -> dict[str, Looked]:
    """Every page that can be reached from the first, by its path."""
    await console.settle(delivery("issues.opened", id="guid-1", issue=issue("It crashes")))
    for number in range(51):
        await console.put(f"github.com/d-{number}")
    pages, ahead = dict[str, Looked](), ["/processes"]
    while ahead:
        path = ahead.pop()
        answer = await console.get(path)
        if "text/html" not in answer.headers["content-type"]:
            assert answer.status_code == 200, path
            continue
        assert answer.status_code == 200, path
        pages[path] = Looked.at(answer.text)
        links = [a.attributes["href"].partition("#")[0] for a in pages[path].all("a")]
        assert all(link == "" or link.startswith("/") for link in links)  # nowhere else
        ahead += [link for link in links if link and link not in pages and link not in ahead]
    return pages


@pytest.mark.timeout(60)
async def test_every_link_leads_to_a_page_and_every_page_is_sound(console: Site) -> None:
    pages = await everything(console)

    assert {path.split("/")[1] for path in pages} >= {"", "processes", "deliveries", "components"}
    assert any("before=" in path for path in pages)
    for path, page in pages.items():
        _is_sound(path, page)


def _is_sound(path: str, page: Looked) -> None:
    assert page.one("html").attributes["lang"] == "en"
    assert len(page.all("h1")) == 1, path
    assert page.all("a")[0].attributes["href"] == "#main"  # the keyboard's way past the menu
    assert page.one("main").attributes["id"] == "main"
    ids = [each.attributes["id"] for each in page.elements if "id" in each.attributes]
    assert len(ids) == len(set(ids)), path
    named = [
        e.attributes["aria-labelledby"] for e in page.elements if "aria-labelledby" in e.attributes
    ]
    assert set(named) <= set(ids), path
    for link in page.all("a"):
        target = link.attributes["href"]
        assert link.text, f"{path}: a link without words to {target}"
        if target.startswith("#"):
            assert target[1:] in ids
    for entry in (*page.all("input"), *page.all("select")):
        assert "label" in entry.inside or entry.attributes.get("aria-label"), path
    for header in page.all("th"):
        assert header.attributes.get("scope") in ("col", "row"), path
        assert header.text, path


async def test_nothing_on_a_page_runs_but_our_script_and_nothing_comes_from_elsewhere(
    console: Site,
) -> None:
    for path, page in (await everything(console)).items():
        assert [e.attributes for e in page.all("script")] == [OUR_SCRIPT], path
        for element in page.elements:
            assert element.tag not in ("style", "iframe", "object", "img"), path
            assert not any(name.startswith("on") or name == "style" for name in element.attributes)
        loaded = [link.attributes["href"] for link in page.all("link")]
        assert all(href.startswith("/static/") for href in loaded)
        for href in loaded:
            assert (await console.get(href)).status_code == 200


async def test_an_id_is_found_wherever_it_belongs(console: Site) -> None:
    name = await console.put("github.com/a")

    process = await console.get(f"/find?id=%20{name}%20")
    delivery_id = await console.get("/find?id=72d3162e-cc78-11e3-81ab-4c9367dc0958")
    subject = await console.get("/find?id=octo/hello%237")
    neither = await console.get("/find?id=%23%237")

    assert (process.status_code, process.headers["location"]) == (303, f"/processes/{name}")
    assert delivery_id.headers["location"] == "/deliveries/72d3162e-cc78-11e3-81ab-4c9367dc0958"
    assert subject.headers["location"] == "/subjects?name=octo%2Fhello%237"
    assert neither.status_code == 400


async def test_the_page_one_is_on_is_marked_in_the_menu(console: Site) -> None:
    for path, name in (
        ("/", "Overview"),
        ("/processes", "Processes"),
        ("/components", "Components"),
    ):
        page = await console.look(path)
        assert [each.text for each in page.all("a", **{"aria-current": "page"})] == [name]
