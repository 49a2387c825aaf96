"""One headless Chromium and one installation for all tests here, and a watched page for each.

Without Chromium or Playwright the tests are skipped with the reason, or fail where REACTOR_REQUIRE
names browser.  Everything shares one event loop, since a browser belongs to the loop it began in.
"""

import os
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AsyncExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
import pytest_asyncio

from reactor.cli.demo import Sample
from tests.browser.browsers import NoBrowser, find_chromium, running_chromium
from tests.browser.house import House, fill, send_demo, start_house
from tests.browser.pages import find_pages
from tests.browser.watched import Watched

if TYPE_CHECKING:
    from playwright.async_api import Browser, Page

Visit = Callable[..., Awaitable["Page"]]


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark what lies here, and let it share one event loop."""
    here = Path(__file__).parent
    for item in items:
        if item.path.is_relative_to(here):
            item.add_marker(pytest.mark.browser)
            item.add_marker(pytest.mark.timeout(300))
            item.add_marker(pytest.mark.asyncio(loop_scope="session"), append=False)


@pytest.fixture(scope="session")
def chromium() -> str:
    """Where the browser is."""
    try:
        return find_chromium()
    except NoBrowser as reason:
        if "browser" in os.environ.get("REACTOR_REQUIRE", ""):  # noqa: TID251 - the one setting of the test run
            pytest.fail(str(reason))
        pytest.skip(str(reason))


@pytest_asyncio.fixture(scope="session", loop_scope="session")
async def browser(chromium: str) -> AsyncIterator["Browser"]:
    async with running_chromium(chromium) as started:
        yield started


@pytest_asyncio.fixture(scope="session", loop_scope="session")
async def house(chromium: str, tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[House]:
    """An installation that a browser can look at."""
    assert chromium
    started = await start_house(tmp_path_factory.mktemp("house"))
    yield started
    started.site.stop()


@pytest_asyncio.fixture(scope="session", autouse=True, loop_scope="session")
async def demo(house: House) -> list[Sample]:
    """What the installation was sent before anybody looks, or sends issues of the same numbers."""
    return await send_demo(house)


@pytest_asyncio.fixture(scope="session", loop_scope="session")
async def pages(house: House, demo: list[Sample]) -> dict[str, str]:
    """Paths of all pages, by name, of an installation that has something on each."""
    special = await fill(house, demo[1])
    triaged = await house.process_of(demo[0].delivery)
    first = (f"/processes/{triaged}", f"/deliveries/{demo[0].delivery}")
    return await find_pages(house.console, first) | special


@pytest.fixture
def watched(house: House) -> Watched:
    return Watched(house.console)


@pytest_asyncio.fixture(loop_scope="session")
async def visit(browser: "Browser", watched: Watched) -> AsyncIterator[Visit]:
    """Open a page of a visitor's own: `await visit(color_scheme="dark", width=320)`.

    Takes what Playwright's contexts take.  At the end of the test there must be no fault.
    """
    async with AsyncExitStack() as stack:

        async def visited(*, width: int = 1280, height: int = 900, **options: Any) -> "Page":
            context = await browser.new_context(
                base_url=watched.origin, viewport={"width": width, "height": height}, **options
            )
            stack.push_async_callback(context.close)
            await watched.watch(context)
            return await context.new_page()

        yield visited
    assert watched.faults == []


@pytest_asyncio.fixture(loop_scope="session")
async def page(visit: Visit) -> "Page":
    return await visit()
