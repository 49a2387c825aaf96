"""How alike texts are: by the words that they share and few others have."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reactor.likeness import MOST_TERMS, likeness, terms_of

TEXTS = st.text(max_size=300)


@given(TEXTS, TEXTS, st.lists(st.tuples(TEXTS, TEXTS), max_size=5))
def test_likeness_is_between_nothing_and_one_and_goes_both_ways(
    title: str, text: str, others: list[tuple[str, str]]
) -> None:
    here, there = terms_of(title, text), [terms_of(*other) for other in others]

    found = likeness(here, there)

    assert all(0 <= alike <= 1 for alike in found)
    assert len(here) <= MOST_TERMS
    for other in there[:1]:
        assert likeness(here, [other]) == pytest.approx(likeness(other, [here]))


@given(TEXTS, TEXTS)
def test_a_text_is_like_itself_if_it_says_anything(title: str, text: str) -> None:
    terms = terms_of(title, text)

    assert likeness(terms, [terms]) == ([pytest.approx(1.0)] if terms else [0.0])


def test_rare_words_count_more_than_those_that_all_have() -> None:
    new = terms_of("Crash in the tokenizer", "")
    others = [
        terms_of("Tokenizer fails", ""),
        *(terms_of(f"Crash on page {word}", "") for word in ("one", "two", "three", "four")),
    ]

    found = likeness(new, others)

    assert max(found) == found[0]


def test_case_width_and_common_words_make_no_difference() -> None:
    wide = "The CRASH of \uff53\uff4c\uff45\uff44\uff53"

    assert terms_of(wide, "") == terms_of("crash sleds", "")


def test_code_and_comments_of_templates_do_not_count() -> None:
    text = "It fails.\n```\nTraceback secret_word\n```\n<!-- write below this line -->"

    assert set(terms_of("", text)) == {"fails"}


def test_where_words_are_not_set_apart_pairs_of_signs_count() -> None:
    alike = likeness(terms_of("橇的刹车在冰上失灵", ""), [terms_of("刹车在冰上不起作用", "")])

    assert alike[0] > 0.2
