"""String literals and comments are taken out before the checks look at an expression."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reactor.expression.text import literal_text, mask_literals


@pytest.mark.parametrize(
    ("source", "masked"),
    [
        ("a == 'b'", "a == '_'"),
        ('a == "it\'s"', 'a == "____"'),
        (r"a == 'it\'s' && b", "a == '_____' && b"),
        ("'''a\n'b'''", "'''____'''"),
        (r"r'\' == x", "r'_' == x"),
        ("b'xy' == z", "b'__' == z"),
        ("a // it's\n== 'b'", "a        \n== '_'"),
        ("'' + \"\"", "'' + \"\""),
    ],
)
def test_the_inside_of_strings_is_masked_in_place(source: str, masked: str) -> None:
    assert mask_literals(source) == masked


@given(st.text())
def test_masking_keeps_every_position(source: str) -> None:
    assert len(mask_literals(source)) == len(source)


@pytest.mark.parametrize(
    "literal", ["'Issue'", '"Issue"', "'''Issue'''", "r'Issue'", 'r"""Issue"""']
)
def test_the_text_of_a_literal_is_what_is_between_its_quotes(literal: str) -> None:
    assert literal_text(literal) == "Issue"
