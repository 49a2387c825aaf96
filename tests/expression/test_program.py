"""What comes of an expression when it is evaluated over facts."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta, timezone
from decimal import Decimal
from enum import Enum, StrEnum
from functools import cached_property
from pathlib import PurePosixPath
from typing import Any, NamedTuple
from uuid import UUID

import pytest
from pydantic import BaseModel, ConfigDict, SecretStr, computed_field

from reactor.expression import Evaluated, compile_expression
from reactor.truth import Truth

Evaluate = Callable[..., Evaluated]


class State(StrEnum):
    OPEN = "open"


class Level(Enum):
    HIGH = 3


class Label(BaseModel):
    model_config = ConfigDict(frozen=True)
    name: str


class Account(BaseModel):
    login: str


class Issue(BaseModel):
    model_config = ConfigDict(frozen=True)
    number: int = 7
    title: str = "Crash at start"
    body: str | None = None
    author: Account | None = None
    labels: tuple[Label, ...] = ()
    token: SecretStr = SecretStr("hidden")

    @property
    def word_count(self) -> int:
        return len(self.title.split())

    @computed_field  # type: ignore[prop-decorator]
    @property
    def is_short(self) -> bool:
        return len(self.title) < 80

    @cached_property
    def initial(self) -> str:
        return self.title[0]

    @property
    def broken(self) -> str:
        raise LookupError("private words")


class PullRequest(Issue):
    changed_files: int = 1


@dataclass(frozen=True)
class NewEntity:
    entities: tuple[object, ...]


@dataclass(frozen=True)
class Sample:
    value: Any


class Span(NamedTuple):
    first: int
    last: int


@pytest.fixture
def evaluate() -> Evaluate:
    """Compile against nothing but the names, then evaluate: `evaluate("x > 1", x=2)`."""

    def run(source: str, known: Mapping[str, Any] | None = None, **facts: object) -> Evaluated:
        names = known if known is not None else dict.fromkeys(facts)
        return compile_expression(source, known=names).evaluate(facts)

    return run


@pytest.mark.parametrize(
    ("source", "facts"),
    [
        ("assessment.value > 0", {"assessment": Sample(0.4)}),
        ("assessment.value > 0.0", {"assessment": Sample(1)}),
        ("pull_request.changed_files > 10", {"pull_request": PullRequest(changed_files=11)}),
        ("a.value > b.value", {"a": Sample(1), "b": Sample(0.7)}),
        ("a.value == b.value", {"a": Sample(1), "b": Sample(1.0)}),
        ("x.value == 0.5", {"x": Sample(Decimal("0.5"))}),
        ("x.value != 0.5", {"x": Sample(Decimal("sNaN"))}),
        ("x.value > 4294967296", {"x": Sample(9_007_199_254_740_993)}),
        ("x.value > 0", {"x": Sample(2**63)}),
        ("issue.body == null", {"issue": Issue()}),
        ("issue.body == null || issue.body.contains('x')", {"issue": Issue()}),
        ("issue.body != null && issue.body.contains('x')", {"issue": Issue(body="six")}),
        ("issue.author == null", {"issue": Issue()}),
        ("issue.author != null", {"issue": Issue(author=Account(login="a"))}),
        ("issue == null", {"issue": None}),
        ("issue != null", {"issue": Issue()}),
        ("has(issue.body)", {"issue": Issue()}),
        ("!has(x.absent) && has(x.here)", {"x": {"here": None}}),
        ("issue.title == \"it's\"", {"issue": Issue(title="it's")}),
        ("issue.title == 'say \\'hi\\''", {"issue": Issue(title="say 'hi'")}),
        ("issue.title.contains('ü😀')", {"issue": Issue(title="Grüü😀")}),
        ("issue.title.size() == 5 && size(issue.title) == 5", {"issue": Issue(title="Grüß😀")}),
        ("issue.labels.size() == 2", {"issue": Issue(labels=(Label(name="a"), Label(name="b")))}),
        ("size(x.value) == 3", {"x": Sample(b"abc")}),
        ("size(x) == 2", {"x": {"a": 1, "b": 2}}),
        ("issue.labels.exists(l, l.name == 'bug')", {"issue": Issue(labels=(Label(name="bug"),))}),
        ("issue.labels.all(l, l.name == 'bug')", {"issue": Issue()}),
        ("x.value.exists_one(n, n > 2)", {"x": Sample([1, 2, 3])}),
        ("x.value.filter(n, n > 1).size() == 2", {"x": Sample([1, 2, 3])}),
        ("x.value.map(n, n * 2) == [2, 4]", {"x": Sample((1, 2))}),
        ("'bug' in issue.labels.map(l, l.name)", {"issue": Issue(labels=(Label(name="bug"),))}),
        ("x.value[1] == 5 && x.value[0] == 4", {"x": Sample([4, 5])}),
        ("issue['title'].startsWith('Crash')", {"issue": Issue()}),
        ("x.value == 'open'", {"x": Sample(State.OPEN)}),
        ("x.value == 3", {"x": Sample(Level.HIGH)}),
        ("'a' in x.value", {"x": Sample(frozenset({"a", "b"}))}),
        ("x.value == ['a', 'b', 'c']", {"x": Sample({"c", "a", "b"})}),
        ("x.value < timestamp('2024-06-01T00:00:00Z')", {"x": Sample(date(2024, 5, 31))}),
        ("x.value == timestamp('2024-06-01T00:00:00Z')", {"x": Sample(datetime(2024, 6, 1))}),  # noqa: DTZ001
        (
            "x.value == timestamp('2024-06-01T00:00:00Z')",
            {"x": Sample(datetime(2024, 6, 1, 2, tzinfo=timezone(timedelta(hours=2))))},
        ),
        (
            "b.value - a.value > duration('36h')",
            {
                "a": Sample(datetime(2024, 6, 1, tzinfo=UTC)),
                "b": Sample(datetime(2024, 6, 3, tzinfo=UTC)),
            },
        ),
        ("x.value == duration('90s')", {"x": Sample(timedelta(seconds=90))}),
        ("x.value.endsWith('0001')", {"x": Sample(UUID(int=1))}),
        ("x.value == 'docs/a.md'", {"x": Sample(PurePosixPath("docs/a.md"))}),
        ("x.a.b[0].c == 1", {"x": {"a": {"b": [{"c": 1}]}}}),
        ("x.exists(key, key == 'a')", {"x": {"a": 1}}),
        ("x.first < x.last", {"x": Span(1, 2)}),
        ("issue.word_count == 3 && issue.is_short && issue.initial == 'C'", {"issue": Issue()}),
        ("a == b", {"a": Label(name="x"), "b": Label(name="x")}),
        ("a != b", {"a": Label(name="x"), "b": Account(login="x")}),
        ("issue.title.lowerAscii().matches('^crash')", {"issue": Issue()}),
        ("issue.title.indexOf('at') == 6 && issue.title.substring(0, 5) == 'Crash'", {"issue": Issue()}),
        ("max(1, x.value) == 3 && math.abs(-2) == 2", {"x": Sample(3)}),
        ("package_.value == 1", {"package": Sample(1)}),
        ("list.value && type(list.value) == bool", {"list": Sample(True)}),
        ("flag", {"flag": True}),
    ],
)  # fmt: skip
def test_a_condition_holds(source: str, facts: dict[str, object], evaluate: Evaluate) -> None:
    typed = {name: None if value is None else type(value) for name, value in facts.items()}

    without_types = evaluate(source, **facts)
    with_types = evaluate(source, known=typed, **facts)

    assert without_types == Evaluated(Truth.TRUE)
    assert with_types == Evaluated(Truth.TRUE)


@pytest.mark.parametrize(
    ("source", "facts"),
    [
        ("assessment.value > 0.7", {"assessment": Sample(0.7)}),
        ("issue.body != null && issue.body.contains('x')", {"issue": Issue()}),
        ("issue.labels.exists(l, l.name == 'bug')", {"issue": Issue()}),
        ("is(issue, 'PullRequest')", {"issue": Issue()}),
        ("flag", {"flag": False}),
    ],
)
def test_a_condition_that_does_not_hold_needs_no_reason(
    source: str, facts: dict[str, object], evaluate: Evaluate
) -> None:
    assert evaluate(source, **facts) == Evaluated(Truth.FALSE)


def test_is_tests_the_class_and_its_bases(evaluate: Evaluate) -> None:
    facts = {"thing": PullRequest()}

    assert evaluate("is(thing, 'PullRequest') && is(thing, 'Issue')", **facts).truth is Truth.TRUE
    assert evaluate("is(thing, 'Label')", **facts).truth is Truth.FALSE
    assert evaluate("is(thing, 'Issue') && thing.number == 7", **facts).truth is Truth.TRUE


def test_is_tests_the_elements_of_a_mixed_list(evaluate: Evaluate) -> None:
    source = "new_entity.entities.exists(e, is(e, 'Issue') && !is(e, 'PullRequest'))"

    with_issue = evaluate(source, new_entity=NewEntity((Account(login="a"), Issue())))
    without = evaluate(source, new_entity=NewEntity((Account(login="a"), PullRequest())))

    assert with_issue.truth is Truth.TRUE
    assert without.truth is Truth.FALSE


@pytest.mark.parametrize(
    "thing", [{"@class": ["Issue"]}, {"inner": {"@class": ["Issue"]}}, "Issue"]
)
def test_a_payload_cannot_pass_for_an_object(thing: object, evaluate: Evaluate) -> None:
    sources = (
        "is(x, 'Issue')",
        "is(x, 'Issue') || x['@class'] == ['Issue']",
        "is(x.inner, 'Issue')",
    )
    for source in sources:
        assert evaluate(source, x=thing).truth is not Truth.TRUE


@pytest.mark.parametrize(
    ("source", "facts", "reason"),
    [
        ("issue.number > 1", {}, "issue is not on the blackboard"),
        ("issue.number > 1 || true", {}, "issue is not on the blackboard"),
        (
            "issue.number > x.value",
            {"other": 1},
            "issue and x are not on the blackboard",
        ),
        ("package_.value > 1", {}, "package is not on the blackboard"),
    ],
)
def test_an_absent_fact_makes_it_false_and_is_named(
    source: str, facts: dict[str, object], reason: str, evaluate: Evaluate
) -> None:
    known = {"issue": Issue, "x": None, "package": None}

    assert evaluate(source, known=known, **facts) == Evaluated(Truth.FALSE, reason)


@pytest.mark.parametrize(
    ("source", "facts", "reason"),
    [
        (
            "issue.author.login == 'a'",
            {"issue": Issue()},
            "issue.author is null, so its login cannot be read",
        ),
        (
            "x.all(e, e.a.b == 1)",
            {"x": [{"a": {"b": 1}}, {"a": None}]},
            "x[1].a is null, so its b cannot be read",
        ),
        ("x.absent == 1", {"x": {"here": 1}}, "there is no field 'absent'"),
        ("x.value", {"x": Sample("yes")}, "it gave a str, not true or false"),
        ("x.value > 'a'", {"x": Sample(1)}, "No such overload: "),
        ("1 / x.value > 0", {"x": Sample(0)}, "division by zero"),
        ("x.value + 1 > 0", {"x": Sample(2**63 - 1)}, "Arithmetic overflow"),
        ("x.value[3] == 1", {"x": Sample([1])}, "index out of bounds: 3"),
        ("x.value > 1", {"x": Sample(2**64)}, "x.value is a number beyond 64 bits"),
        ("x.value > 1", {"x": Sample(-(2**63) - 1)}, "x.value is a number beyond 64 bits"),
        ("x.value == ''", {"x": Sample("\ud800")}, "x.value is text with half a character in it"),
        ("x.value == 1", {"x": Sample(object())}, "x.value is of type object, which has no fields"),
        ("x.value == {}", {"x": Sample({(1, 2): 3})}, "x.value is a map with keys of type tuple"),
        ("issue.token == 'hidden'", {"issue": Issue()}, "issue.token is of type SecretStr"),
        ("issue.broken == 'x'", {"issue": Issue()}, "issue.broken raised LookupError"),
        ("issue.model_dump == 1", {"issue": Issue()}, "there is no field 'model_dump'"),
        ("issue.__class__ == 1", {"issue": Issue()}, "there is no field '__class__'"),
        ("x.value.substring(3, 99) == ''", {"x": Sample("abc")}, "substring() cannot work with"),
        ("size(x.value) == 1", {"x": Sample(7)}, "size() cannot work with"),
    ],
)
def test_a_failure_is_unknown_with_a_reason(
    source: str, facts: dict[str, object], reason: str, evaluate: Evaluate
) -> None:
    found = evaluate(source, **facts)

    assert found.truth is Truth.UNKNOWN
    assert reason in found.reason


def test_what_cannot_be_read_does_no_harm_where_it_is_not_touched(evaluate: Evaluate) -> None:
    found = evaluate("issue.number == 7 || issue.broken == 'x'", issue=Issue())

    assert found == Evaluated(Truth.TRUE)


def test_a_reason_is_one_short_line_and_shows_no_words_of_an_exception(evaluate: Evaluate) -> None:
    found = evaluate("x.value[0] == 1 && issue.broken == 'x'", x=Sample("y\n" * 999), issue=Issue())

    assert found.truth is Truth.UNKNOWN
    assert len(found.reason) <= 200
    assert "\n" not in found.reason
    assert "private words" not in found.reason


def test_nothing_is_printed_when_a_function_fails(
    evaluate: Evaluate, capfd: pytest.CaptureFixture[str]
) -> None:
    evaluate("x.value.substring(3, 99) == ''", x=Sample("abc"))

    assert capfd.readouterr() == ("", "")


def test_only_what_is_looked_at_is_read(evaluate: Evaluate) -> None:
    read: list[str] = []

    @dataclass(frozen=True)
    class Watched:
        title: str = "x"
        body: str = "y"

        def __getattribute__(self, name: str) -> Any:
            if not name.startswith("_"):
                read.append(name)
            return object.__getattribute__(self, name)

    found = evaluate("watched.title == 'x'", watched=Watched())

    assert found.truth is Truth.TRUE
    assert read == ["title"]


def test_an_expression_may_be_evaluated_from_several_threads() -> None:
    from concurrent.futures import ThreadPoolExecutor

    expression = compile_expression("x.value % 2 == 0", known={"x": Sample})
    with ThreadPoolExecutor(4) as pool:
        found = list(pool.map(lambda n: expression.evaluate({"x": Sample(n)}).truth, range(400)))

    assert found == [Truth.of(n % 2 == 0) for n in range(400)]
