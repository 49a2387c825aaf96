"""Every page: for those who see little, who have a small screen, who have no script."""

from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING

import pytest

from tests.browser.watched import overflow_px, serious_faults

if TYPE_CHECKING:
    from playwright.async_api import Page

    Visit = Callable[..., Awaitable[Page]]


async def test_there_are_pages_of_every_kind(pages: dict[str, str]) -> None:
    assert pages.keys() >= {
        "components",
        "dead",
        "dead-one",
        "deliveries",
        "deliveries-one",
        "forms",
        "forms-one",
        "journal",
        "overview",
        "processes",
        "processes-one",
        "replays",
        "replays-one",
        "settings",
        "subjects",
    }


@pytest.mark.parametrize("width", [1280, 320])
@pytest.mark.parametrize("color_scheme", ["light", "dark"])
async def test_nobody_is_kept_out_of_a_page(
    visit: "Visit", pages: dict[str, str], color_scheme: str, width: int
) -> None:
    page = await visit(width=width, color_scheme=color_scheme)

    faults = dict[str, list[str]]()
    for name, path in pages.items():
        await page.goto(path)
        faults[name] = await serious_faults(page)

    assert {name: found for name, found in faults.items() if found} == {}


@pytest.mark.parametrize("width", [320, 375, 768])
async def test_no_page_is_wider_than_its_window(
    visit: "Visit", pages: dict[str, str], width: int
) -> None:
    page = await visit(width=width)

    wider = dict[str, int]()
    for name, path in pages.items():
        await page.goto(path)
        wider[name] = await overflow_px(page)

    assert {name: px for name, px in wider.items() if px > 0} == {}


async def test_without_a_script_all_can_be_read(visit: "Visit", pages: dict[str, str]) -> None:
    scripted, plain = await visit(), await visit(java_script_enabled=False)

    lost = dict[str, set[str]]()
    for name, path in pages.items():
        await scripted.goto(path)
        await plain.goto(path)
        lost[name] = await _headings(scripted) - await _headings(plain)

    assert {name: words for name, words in lost.items() if words} == {}


async def test_every_page_says_what_it_is(page: "Page", pages: dict[str, str]) -> None:
    titles, special = dict[str, str](), {"asks", "thanks", "fails", "differs"}
    for name, path in pages.items():
        await page.goto(path)
        titles[name] = await page.title()
        assert await page.get_by_role("heading", level=1).count() == 1, name
        assert await page.get_by_role("main").count() == 1, name

    assert len({title for name, title in titles.items() if name not in special}) == len(
        titles.keys() - special
    )


async def _headings(page: "Page") -> set[str]:
    """Of tables too."""
    return set(await page.locator("h1, h2, h3, th, dt").all_inner_texts())
