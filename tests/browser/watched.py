"""A page of a browser that is watched: what a person would never see fails the test.

That is a dialog, an error or warning on the browser's console (a breach of the content security
policy is one), an exception in a script, a request that leaves the origin, an answer of 4xx or 5xx.

Playwright is imported where it is used: without it these tests are skipped, not broken.
"""

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

if TYPE_CHECKING:
    from playwright.async_api import (
        BrowserContext,
        ConsoleMessage,
        Dialog,
        Locator,
        Page,
        Response,
        Route,
    )

WAIT_MS = 30_000  # for something to appear: a busy machine takes its time
SERIOUS = {"serious", "critical"}


@dataclass
class Watched:
    """What went wrong in the pages of one context."""

    origin: str  # "http://127.0.0.1:8081"
    faults: list[str] = field(default_factory=list)
    expected: set[int] = field(default_factory=set)  # states of HTTP that a test provokes

    async def watch(self, context: "BrowserContext") -> None:
        """From now on, in every page of the context."""
        await context.route("**/*", self._keep_at_home)
        context.on("page", self._watch_page)
        context.set_default_timeout(WAIT_MS)

    async def _keep_at_home(self, route: "Route") -> None:
        url = route.request.url
        if url.startswith(("data:", "about:", f"{self.origin}/")):
            await route.continue_()
            return
        self.faults.append(f"a request leaves the origin: {url}")
        await route.abort()

    def _watch_page(self, page: "Page") -> None:
        page.on("console", self._said)
        page.on("pageerror", lambda error: self.faults.append(f"a script failed: {error}"))
        page.on("dialog", self._asked)
        page.on("response", self._answered)

    def _said(self, message: "ConsoleMessage") -> None:
        is_provoked = any(f"status of {state}" in message.text for state in self.expected)
        if message.type in ("error", "warning") and not is_provoked:
            self.faults.append(f"the browser's console says: {message.text}")

    async def _asked(self, dialog: "Dialog") -> None:
        self.faults.append(f"a dialog opened: {dialog.message}")
        await dialog.dismiss()

    def _answered(self, response: "Response") -> None:
        if response.status >= 400 and response.status not in self.expected:
            self.faults.append(f"{response.status} from {urlsplit(response.url).path}")


def expect(what: "Locator | Page") -> Any:
    """Playwright's assertions, which wait until they hold."""
    from playwright.async_api import expect as expected

    expected.set_options(timeout=WAIT_MS)
    return expected(what)


async def serious_faults(page: "Page") -> list[str]:
    """What axe-core finds that keeps people out, and where."""
    from axe_playwright_python.async_playwright import Axe

    found: dict[str, Any] = (await Axe().run(page)).response
    return [
        f"{each['id']} ({each['impact']}): {node['html'][:200]} | {node['failureSummary']}"
        for each in found["violations"]
        if each["impact"] in SERIOUS
        for node in each["nodes"]
    ]


async def overflow_px(page: "Page") -> int:
    """By how much the page is wider than its window."""
    width = await page.evaluate(
        "document.scrollingElement.scrollWidth - document.documentElement.clientWidth"
    )
    return int(width)
