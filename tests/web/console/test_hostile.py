"""Text of events is other people's: whatever it says, it harms no page."""

import unicodedata

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from reactor.status import Status
from reactor.testing import delivery, issue
from reactor.web.console.text import visible
from tests.web.console.looked import Looked
from tests.web.console.site import Site

SCRIPT = "<script>alert(1)</script>"
TITLES = {
    "script": SCRIPT,
    "attribute": '"\' onmouseover=alert(1) x="',
    "markup that ends": "</bdi></td></table></main></body></html><form action=//evil.example>",
    "template": "{{ 7 * 7 }}{% include 'page.html' %}",
    "direction": "\u202egnp.exe\u2066\u2067\u061c",
    "emoji": "\N{FIRE}\N{MAN}\u200d\N{WOMAN}\u200d\N{GIRL}\N{REGIONAL INDICATOR SYMBOL LETTER D}",
    "accents": "z" + "\u0301" * 2000,
    "length": "x" * 10_000,
    "controls": "a\x00b\x1b[31mc\r\x7f\x85",
    "nothing": "",
}


Vocabulary = set[tuple[str, tuple[str, ...]]]


@pytest.mark.parametrize("text", TITLES.values(), ids=TITLES)
async def test_text_adds_nothing_to_a_page_but_text(text: str) -> None:
    plain, hostile = await _vocabulary("plain"), await _vocabulary(text)

    assert hostile - plain == set()


async def _vocabulary(text: str) -> Vocabulary:
    """The elements, with names of attributes, of all pages on which the text stands."""
    console = Site()
    opened = delivery("issues.opened", id="guid-1", issue=issue(f"a crash {text}", body=text))
    settled = await console.settle(opened)
    told = {"failure": f"f {text}", "subject_name": f"o/{text}", "event": f"e.{text}"}
    failed = await console.put("github.com/guid-2", Status.FAILED, **told)
    processes = [f"/processes/{name}" for name in (settled.heads[0].id, failed)]
    subject = "/subjects?name=github.com/9%237"
    paths = ["/", "/processes", *processes, "/deliveries/guid-1", "/deliveries/guid-2", subject]
    pages = [await console.look(path) for path in paths]
    return {(e.tag, tuple(sorted(e.attributes))) for page in pages for e in page.elements}


async def test_a_title_that_turns_text_around_is_shown_with_what_it_is_made_of(
    console: Site,
) -> None:
    turned = issue("\u202egnp.exe", number=9)
    await console.settle(delivery("issues.opened", id="guid-1", issue=turned))

    page = await console.look("/deliveries/guid-1")

    assert '"title": "[U+202E]gnp.exe"' in page.one("pre").text
    assert "bdi" in [each.tag for each in page.elements if "pre" in each.inside]


async def test_json_keeps_the_text_as_it_was(console: Site) -> None:
    await console.put("github.com/a", subject_name=TITLES["direction"] + SCRIPT)

    answer = await console.get("/api/processes")

    assert answer.headers["content-type"] == "application/json"
    assert answer.json()["processes"][0]["subject"] == TITLES["direction"] + SCRIPT


async def test_what_is_asked_for_is_other_peoples_text_too(console: Site) -> None:
    for path in (
        f"/processes?event={SCRIPT}",
        f"/processes?subject={SCRIPT}",
        f"/{SCRIPT}",
        f"/find?id={SCRIPT}",
    ):
        answer = await console.get(path)
        assert SCRIPT not in answer.text
        Looked.at(answer.text)


@settings(deadline=None)
@given(st.text())
def test_text_that_acts_on_nothing_is_left_alone_and_the_rest_is_shown(text: str) -> None:
    shown = visible(text)

    shown.encode()  # no lone surrogate is left
    assert visible(shown) == shown
    assert all(each in "\t\n" or each.isprintable() or each in "\u200c\u200d" or _is_plain(each)
               for each in shown)  # fmt: skip
    assert not set(shown) & set("\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069\x00\x1b")


def _is_plain(character: str) -> bool:
    """Spaces, letters of private use and characters that nobody has given a meaning yet."""
    return unicodedata.category(character) in ("Zs", "Co", "Cn", "Cf")


def test_what_acts_or_hides_is_shown_by_its_number() -> None:
    assert visible("a\u202eb\x00c\ud800d\U000e0041") == "a[U+202E]b[U+0000]c[U+D800]d[U+E0041]"
    assert visible("two\nlines,\ta tab, \N{FIRE}\u200d") == "two\nlines,\ta tab, \N{FIRE}\u200d"
