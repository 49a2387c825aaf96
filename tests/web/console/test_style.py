"""The style sheet: words can be read on every ground, dark and light."""

import re
from importlib.resources import files

import pytest

LEAST = 4.5  # WCAG 2.2, 1.4.3 "Contrast (Minimum)", for text of usual size

SHEET = files("reactor.web.console").joinpath("static", "console.css").read_text("utf-8")
GROUNDS = ("paper", "card", "chosen")
WORDS = ("ink", "faint", "accent", "good", "warn", "bad")


def schemes() -> dict[str, dict[str, str]]:
    """The colours of each scheme, by name."""
    light, dark = re.findall(r":root \{(.*?)\}", SHEET, re.DOTALL)
    colours = [dict(re.findall(r"--(\w+): (#[0-9a-f]{6});", each)) for each in (light, dark)]
    return dict(zip(("light", "dark"), colours, strict=True))


def luminance(colour: str) -> float:
    """Relative luminance as WCAG defines it."""
    parts = [int(colour[start : start + 2], 16) / 255 for start in (1, 3, 5)]
    red, green, blue = [
        part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts
    ]
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(one: str, other: str) -> float:
    lighter, darker = sorted((luminance(one), luminance(other)), reverse=True)
    return (lighter + 0.05) / (darker + 0.05)


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_words_stand_out_from_every_ground(scheme: str) -> None:
    colours = schemes()[scheme]

    weak = {
        (word, ground): round(found, 2)
        for word in WORDS
        for ground in GROUNDS
        if (found := contrast(colours[word], colours[ground])) < LEAST
    }

    assert weak == {}


def test_black_and_white_are_as_far_apart_as_can_be() -> None:
    assert round(contrast("#000000", "#ffffff"), 2) == 21


def test_the_style_sheet_loads_nothing() -> None:
    assert "url(" not in SHEET
    assert "@import" not in SHEET
