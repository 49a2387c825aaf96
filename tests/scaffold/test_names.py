"""What a new component may be called, and what follows from it."""

import keyword

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reactor.granting import OURS
from reactor.scaffold import BadName, NameTaken, named
from reactor.scaffold.names import LONGEST

WORDS = st.from_regex(r"[a-z][a-z0-9]*(-[a-z0-9]+){0,3}", fullmatch=True).filter(
    lambda text: (
        len(text) <= LONGEST and not keyword.iskeyword(text) and not text.startswith("reactor-")
    )
)


@given(
    WORDS.filter(lambda text: text not in {"reactor", "settings", "true", "false", "null", *OURS})
)
def test_every_name_that_is_taken_is_one_for_python_and_for_installers(text: str) -> None:
    name = named(text)

    assert name.component.isidentifier()
    assert name.package.isidentifier()
    assert name.camel.isidentifier()
    assert name.distribution == f"reactor-{text}"


@pytest.mark.parametrize(
    ("text", "why", "hint"),
    [
        ("", "no word", "'label-bugs'"),
        ("Label Bugs", "no word", "'label-bugs'"),
        ("label_bugs", "no word", "'label-bugs'"),
        ("label--bugs", "no word", "'label-bugs'"),
        ("../bugs", "no word", "'bugs'"),
        ("9lives", "no word", "'lives'"),
        ("étiquette", "no word", "'tiquette'"),
        ("a" * 31, "30 letters", "'" + "a" * 30 + "'"),
        ("lambda", "of Python or of CEL", "another one"),
        ("null", "of Python or of CEL", "another one"),
        ("reactor-bugs", "by itself", "'bugs'"),
        ("settings", "Reactor's own", "another one"),
    ],
)
def test_what_cannot_be_a_name_is_told_with_one_that_can(text: str, why: str, hint: str) -> None:
    with pytest.raises(BadName) as raised:
        named(text)

    assert why in str(raised.value)
    assert str(raised.value).endswith(f"try {hint}")


@pytest.mark.parametrize("installed", ["label-bugs", "label_bugs"])
def test_a_name_that_is_installed_is_taken(installed: str) -> None:
    with pytest.raises(NameTaken, match="installed already"):
        named("label-bugs", taken=[installed])
