"""Headless Chromium: the machine's own, driven by Playwright, with no way out of this machine."""

import importlib.util
import shutil
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from playwright.async_api import Browser

_PROGRAMS = ("chromium", "chromium-browser", "google-chrome")
_ARGUMENTS = (
    "--no-sandbox",  # which root can't have
    "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1",
)


class NoBrowser(Exception):
    """There is none, or nothing that drives it."""

    def __init__(self, missing: str) -> None:
        super().__init__(missing)
        self.missing = missing

    def __str__(self) -> str:
        return f"{self.missing} is missing: install Debian's chromium, then `make browser`"


def find_chromium() -> str:
    """Its path.  Raises `NoBrowser`, also where Playwright is missing."""
    found = next(filter(None, map(shutil.which, _PROGRAMS)), None)
    if found is None:
        raise NoBrowser("Chromium")
    if importlib.util.find_spec("playwright") is None:
        raise NoBrowser("Playwright")
    return found


@asynccontextmanager
async def running_chromium(program: str) -> AsyncIterator["Browser"]:
    """One that has started; it is closed at the end."""
    from playwright.async_api import async_playwright

    async with async_playwright() as playwright:
        browser = await playwright.chromium.launch(executable_path=program, args=list(_ARGUMENTS))
        yield browser
        await browser.close()
