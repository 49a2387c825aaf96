"""Which words of a model may be written."""

import pytest
from reactor_triage.wording import LONGEST, plain_words

SAID = "The brakes squeak in the morning, whenever there was frost in the night before."


@pytest.mark.parametrize(
    "text",
    [
        "Please try version 2.3.1: it has mended this (on Linux, at least).",
        "Das liegt am Frost; stelle die Bremse etwas lockerer, dann geht es!",
        "雪が原因です。ブレーキを緩めてください。",
        "अपना सिस्टम बताइए, e.g. the version.",
        "هل جربت الإصدار الأخير؟",
    ],
)
def test_prose_of_any_language_may_be_written(text: str) -> None:
    assert plain_words(text, said=SAID) == text


def test_it_is_one_line() -> None:
    assert plain_words("One.\n\n  Two.", said=SAID) == "One. Two."


@pytest.mark.parametrize(
    "text",
    [
        "",
        "Ask @octocat.",
        "Ask \uff20octocat.",
        "Ask &#64;octocat.",
        "Look ![here](x).",
        "Look [here](x).",
        "Look <img src=x>.",
        "See https://evil.example for more.",
        "See www.evil for more.",
        "See evil.example for more.",
        "See evil\u3002example for more.",
        "It is #12.",
        "It is GH-12.",
        "It came with 0123abc.",
        "It says `x`.",
        "That is *important*.",
        "That is | a | table.",
        "/close",
        "bors r+",
        "hidden \u200b space",
        "hidden \U000e0041 tag",
        "turned \u202e round",
        "Well done \U0001f389",
        "word " * LONGEST,
    ],
)
def test_what_does_something_there_is_refused_whole(text: str) -> None:
    assert plain_words(text, said=SAID) == ""


@pytest.mark.parametrize("text", [SAID, f"Yes. {SAID.upper()} No.", "There was frost!"])
def test_what_the_author_has_written_does_not_come_back(text: str) -> None:
    assert plain_words(text, said=SAID) == ""


def test_some_words_in_common_are_no_repetition() -> None:
    text = "That the brakes squeak in the morning is normal."

    assert plain_words(text, said=SAID) == text
