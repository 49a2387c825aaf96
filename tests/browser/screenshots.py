"""Take the pictures that the docs show: `python -m tests.browser.screenshots docs/images`.

Every page, light, dark and as on a phone, of an installation that was sent the demo's deliveries
and some more.  Pictures have few colours, so that each stays below 150 kB; what is lower than two
windows is cut off.
"""

import asyncio
import io
import shutil
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from tests.browser.browsers import find_chromium, running_chromium
from tests.browser.house import fill, send_demo, start_house
from tests.browser.pages import find_pages

if TYPE_CHECKING:
    from playwright.async_api import Browser

LARGEST = 150_000  # bytes
COLOURS = (256, 128, 64, 32)  # tried in this order until a picture is small enough


@dataclass(frozen=True)
class Look:
    """How a page is looked at."""

    name: str
    width: int
    color_scheme: Literal["light", "dark"] = "light"
    height: int = 900


LOOKS = (Look("light", 1280), Look("dark", 1280, "dark"), Look("phone", 375, height=812))


async def take(origin: str, pages: dict[str, str], browser: "Browser", folder: Path) -> None:
    """All pages in all looks."""
    for look in LOOKS:
        context = await browser.new_context(
            base_url=origin,
            viewport={"width": look.width, "height": look.height},
            color_scheme=look.color_scheme,
            reduced_motion="reduce",
        )
        page = await context.new_page()
        for name, path in pages.items():
            await page.goto(path)
            high = int(await page.evaluate("document.documentElement.scrollHeight"))
            await page.set_viewport_size(
                {"width": look.width, "height": max(look.height // 2, min(high, 2 * look.height))}
            )
            taken = await page.screenshot()
            await page.set_viewport_size({"width": look.width, "height": look.height})
            (folder / f"{name}-{look.name}.png").write_bytes(small(taken))
        await context.close()


def small(png: bytes) -> bytes:
    """The same picture with as many colours as fit.

    Colours are spread over all that there are: one that is rare, such as that of a badge, stays.
    """
    from PIL import Image

    written = io.BytesIO()
    for colours in COLOURS:
        written = io.BytesIO()
        with Image.open(io.BytesIO(png)) as picture:
            few = picture.convert("RGB").quantize(
                colours, Image.Quantize.MAXCOVERAGE, dither=Image.Dither.NONE
            )
            few.save(written, "PNG", optimize=True)
        if written.tell() < LARGEST:
            break
    return written.getvalue()


async def look(folder: Path, place: Path) -> None:
    """Start it all in `place`, take the pictures, stop it all."""
    house = await start_house(place)
    try:
        sent = await send_demo(house)
        await fill(house, sent[1])
        triaged = await house.process_of(sent[1].delivery)
        first = (f"/processes/{triaged}", f"/deliveries/{sent[1].delivery}")
        pages = await find_pages(house.console, first)
        async with running_chromium(find_chromium()) as browser:
            await take(house.console, pages, browser, folder)
    finally:
        house.site.stop()


def main(folder: Path) -> None:
    """Put the pictures in place of those that were there."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    with tempfile.TemporaryDirectory(prefix="reactor-", ignore_cleanup_errors=True) as place:
        asyncio.run(look(folder, Path(place)))
    sizes = [each.stat().st_size for each in folder.glob("*.png")]
    sys.stdout.write(f"{len(sizes)} pictures, {sum(sizes) // 1000} kB\n")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
