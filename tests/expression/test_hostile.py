"""No source breaks the compiler, and no value breaks an evaluation."""

import string
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from reactor.expression import BadExpression, Expression, compile_expression
from reactor.truth import Truth


@dataclass(frozen=True)
class Fact:
    text: str = ""
    number: float = 0
    items: tuple[Any, ...] = ()
    inner: Any = None


def words(text: str) -> list[str]:
    return text.split()


def compiled(source: str) -> Expression | None:
    """The expression, or None if it was refused in the one way that is allowed."""
    try:
        return compile_expression(source, known=KNOWN)
    except BadExpression as refused:
        if not (refused.faults and all(refused.faults) and str(refused)):
            pytest.fail(f"refused without a word: {source!r}")
    return None


KNOWN: Mapping[str, Any] = {"fact": Fact, "facts": list[Fact], "open": None, "package": Fact}

PIECES = st.sampled_from(
    words(
        "fact facts open package package_ .text .number .items .inner .nope ( ) [ ] { } , . : ? ! - + *"
        " / % < <= > >= == != && || in true false null 0 1 1.5 1u -1 0x1F 1e300 99999999999999999999"
        " 'a' \"b\" '''c''' r'\\d' b'x' '\\u00e9' '\\' // is( has( size( matches( .size() .contains("
        " .matches('a+') .matches('(') .exists(e, e .all(x, x) .map(y, y .filter(z, z) .exists(e,"
        " math.abs( max( int( double( string( timestamp( duration( type( dyn( as for Fact{ .?"
    )
) | st.sampled_from([" ", "\n", "\t", "\x00", "\ud800", "é", "😀", "`", "$", "#", ";"])
SOURCES = st.one_of(
    st.text(max_size=80),
    st.text(alphabet=string.printable, max_size=80),
    st.lists(PIECES, max_size=25).map("".join),
    st.lists(PIECES, max_size=25).map(" ".join),
)

ATOMS = st.sampled_from(
    words(
        "open open.a package_ fact.inner fact.items x null true 1 -3 1.5 2u 'a' 'é' b'x' [] {} ''"
        " 9223372036854775807"
    )
)
WELL_FORMED = st.recursive(
    ATOMS,
    lambda inner: st.one_of(
        st.tuples(inner, st.sampled_from(words("+ - * / % == != < >= in && ||")), inner).map(
            lambda parts: f"({' '.join(parts)})"
        ),
        st.tuples(
            st.sampled_from(words("! - size string int double dyn type timestamp")), inner
        ).map(lambda parts: f"{parts[0]}({parts[1]})"),
        st.tuples(inner, st.sampled_from(words("exists all filter map")), inner).map(
            lambda parts: f"{parts[0]}.{parts[1]}(x, {parts[2]})"
        ),
        st.tuples(inner, inner).map(lambda parts: f"{parts[0]}[{parts[1]}]"),
        st.tuples(inner, inner, inner).map(lambda parts: "({} ? {} : {})".format(*parts)),
        inner.map(lambda part: f"is({part}, 'Fact')"),
        inner.map(lambda part: f"{part}.a.size()"),
    ),
    max_leaves=6,
).map(lambda source: f"open == 1 && [{source}] == open")

SCALARS = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(),
    st.floats(),
    st.decimals(),
    st.text(),
    st.binary(),
    st.datetimes(),
    st.timedeltas(),
    st.uuids(),
    st.just(object()),
    st.text(alphabet=st.characters(categories=["Cs", "Ll"])),
)
VALUES = st.recursive(
    SCALARS,
    lambda inner: st.one_of(
        st.lists(inner, max_size=4),
        st.dictionaries(st.text(max_size=4) | st.integers() | st.booleans(), inner, max_size=4),
        st.builds(Fact, items=st.lists(inner, max_size=3).map(tuple), inner=inner),
        st.frozensets(st.integers() | st.text(max_size=3), max_size=4),
    ),
    max_leaves=12,
)

CONDITIONS = (
    "open == fact",
    "open.text == 'a' || fact.number > 1",
    "open.exists(e, e == fact.inner)",
    "fact.items.all(i, is(i, 'Fact') || i.a == 1)",
    "fact.items.map(i, i.text).filter(t, t.size() > 2).size() > 0",
    "open[0] == open['text'] || open in fact.items",
    "size(open) > 1 || fact.text.matches('^(a|b)*$')",
    "string(open) == fact.text || double(open) > fact.number",
    "has(open.text) && open.inner.inner.inner != null",
    "max(open, fact.number) > 1 || timestamp(open) > timestamp('2024-01-01T00:00:00Z')",
)


@settings(max_examples=400, deadline=None)
@given(source=SOURCES | WELL_FORMED)
def test_no_source_makes_compiling_raise_anything_else(source: str) -> None:
    expression = compiled(source)

    assert expression is None or expression.variables <= set(KNOWN)


@settings(max_examples=150, deadline=None)
@given(source=SOURCES | WELL_FORMED, value=VALUES)
def test_whatever_compiles_can_be_evaluated_over_anything(source: str, value: object) -> None:
    expression = compiled(source)
    if expression is None:
        return
    found = expression.evaluate(dict.fromkeys(KNOWN, value))

    assert bool(found.reason) == (found.truth is Truth.UNKNOWN)


@pytest.fixture(scope="module")
def conditions() -> list[Expression]:
    return [compile_expression(source, known=KNOWN) for source in CONDITIONS]


@settings(max_examples=200, deadline=None)
@given(one=VALUES, other=VALUES)
def test_no_value_makes_an_evaluation_raise(
    conditions: list[Expression], one: object, other: object
) -> None:
    for condition in conditions:
        found = condition.evaluate({"open": one, "fact": other})

        assert bool(found.reason) == (found.truth is Truth.UNKNOWN)


@pytest.mark.parametrize(
    "pattern", ["(a+)+$", "(a|aa)*b$", "^(([a-z])+.)+[A-Z]([a-z])+$", "(.*)*x", "(a?){40}a{40}$"]
)
def test_a_pattern_that_explodes_elsewhere_is_linear_here(pattern: str) -> None:
    condition = compile_expression(f"fact.text.matches('{pattern}')", known=KNOWN)

    found = condition.evaluate({"fact": Fact(text="a" * 200_000 + "!")})

    assert found.truth is not Truth.UNKNOWN


@pytest.mark.parametrize(
    "source",
    [
        "'" + "\\n" * 500,
        '"' + "\\n" * 500 + "' == '",
        "'''" + "\\n''" * 300,
        "r'" + "\\" * 900,
        "'" + "\\\\" * 900 + "'" + " == ''",
        "fact.text == '" + "\\u00e9" * 200 + "'",
        "/" * 1_999,
        "a" * 1_999,
        "fact" + ".text" * 300,
        "true" + "?true:true" * 80,
        "fact.text.matches('" + "(" * 400 + ")" * 400 + "')",
        "fact.text.matches('((a{100}){100}){100}')",
    ],
)
def test_a_hostile_source_is_dealt_with_at_once(source: str) -> None:
    """The grammar's own pattern for strings would take exponential time on some of these."""
    expression = compiled(source)

    assert expression is None or expression.source == source


def test_macros_within_each_other_are_bounded_by_the_longest_list() -> None:
    source = (
        "facts.exists(a, facts.exists(b, facts.exists(c, a.number + b.number + c.number > 9.0)))"
    )
    condition = compile_expression(source, known=KNOWN)

    few = condition.evaluate({"facts": [Fact(number=1.0)] * 20})
    many = condition.evaluate({"facts": [Fact(number=1.0)] * 200})

    assert few.truth is Truth.FALSE
    assert many.truth is Truth.UNKNOWN
    assert "3 macros within each other over a list of 200 would take too long" in many.reason


@pytest.mark.parametrize(
    ("source", "lists"),
    [
        ("facts.exists(a, a.number > 1.0)", 1),
        ("facts.exists(a, a.items.exists(b, b.items.exists(c, c == 1)))", 1),
        ("facts.exists(a, a.items[0].items.exists(b, b == 1))", 1),
        ("facts.filter(a, a.number > 1.0).exists(b, b.number > 2.0)", 1),
        ("facts.exists(a, facts.exists(b, a == b))", 2),
        ("facts.exists(a, a.items.exists(b, a.items.exists(c, b == c)))", 2),
        ("facts.exists(a, facts.exists(b, a.items.exists(c, c == 1)))", 2),
        ("facts.exists(a, a.items.map(i, i).exists(b, b == 1))", 2),
        ("facts.exists(a, facts.exists(b, facts.exists(c, a.number + b.number > c.number)))", 3),
    ],
)
def test_lists_within_the_elements_of_lists_are_gone_over_once(source: str, lists: int) -> None:
    condition = compile_expression(source, known=KNOWN)

    assert condition._nested_macros == lists


def test_all_files_of_a_large_push_can_be_looked_at() -> None:
    source = "facts.exists(commit, commit.items.exists(file, file == 'docs/path.md'))"
    condition = compile_expression(source, known=KNOWN)
    commits = [Fact(items=("a.py", "b.py")) for _ in range(2048)]

    without = condition.evaluate({"facts": commits})
    with_docs = condition.evaluate({"facts": [*commits, Fact(items=("docs/path.md",))]})

    assert without.truth is Truth.FALSE
    assert with_docs.truth is Truth.TRUE


def test_a_value_that_is_too_large_is_not_handed_over() -> None:
    condition = compile_expression("fact.items.exists(i, i == 1) || fact.number == 1", known=KNOWN)

    touched = condition.evaluate({"fact": Fact(items=(0,) * 20_001)})

    assert touched.truth is Truth.UNKNOWN
    assert (
        "fact.items is larger than the 20,000 parts that an expression may read" in touched.reason
    )


def test_a_value_that_holds_itself_is_not_followed_for_ever() -> None:
    endless: list[object] = []
    endless.append(endless)
    condition = compile_expression("fact.inner == fact.items", known=KNOWN)

    found = condition.evaluate({"fact": Fact(inner=endless)})

    assert found.truth is Truth.UNKNOWN
    assert "fact.inner is nested more than 64 deep" in found.reason


def test_a_long_text_does_not_matter_where_it_is_not_looked_at() -> None:
    condition = compile_expression("fact.number == 0", known=KNOWN)

    assert condition.evaluate({"fact": Fact(text="x" * 25_000_000)}).truth is Truth.TRUE
