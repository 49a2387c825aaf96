"""The hidden line: found again as it was written, and not to be forged by what is quoted."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reactor.github.marker import MARKER, marked, marker_in

KEY, OTHER = "a" * 32, "b" * 32


@given(st.text(), st.sampled_from(["", "triage"]))
def test_what_was_marked_is_known_again(text: str, slot: str) -> None:
    marker = marker_in(marked(text, key=KEY, delivery="github.com/d-1", slot=slot))

    assert marker is not None
    assert (marker.key, marker.delivery, marker.slot) == (KEY, "github.com/d-1", slot)
    assert marker.is_untouched


def test_a_persons_edit_shows() -> None:
    body = marked("Thanks.", key=KEY, delivery="github.com/d-1")

    marker = marker_in(body.replace("Thanks", "No thanks"))

    assert marker is not None
    assert not marker.is_untouched


def test_other_line_ends_are_no_edit() -> None:
    body = marked("one\ntwo", key=KEY, delivery="github.com/d-1")

    marker = marker_in(body.replace("\n", "\r\n"))

    assert marker is not None
    assert marker.is_untouched


def test_a_marker_that_is_quoted_in_the_text_does_not_count() -> None:
    theirs = marked("theirs", key=OTHER, delivery="github.com/d-0", slot="triage")

    marker = marker_in(marked(f"{theirs}\n\nsaid somebody", key=KEY, delivery="github.com/d-1"))

    assert marker is not None
    assert (marker.key, marker.slot) == (KEY, "")


@pytest.mark.parametrize("delivery", ["a --> b", "<!--", "x" * 1000, "", "d\n1"])
def test_an_odd_id_of_a_delivery_does_not_break_the_comment(delivery: str) -> None:
    body = marked("Thanks.", key=KEY, delivery=delivery)

    assert marker_in(body) is not None
    assert body.count("-->") == 1
    assert len(body) < 512


@pytest.mark.parametrize("body", [None, "", "Thanks.", f"{MARKER} key=1 -->", f"{MARKER} -->\n"])
def test_what_has_no_marker_has_none(body: str | None) -> None:
    assert marker_in(body) is None
