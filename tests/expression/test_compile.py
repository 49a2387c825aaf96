"""What registration finds wrong with an expression: syntax, names, fields, types."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Any, Literal, NamedTuple

import pytest
from pydantic import BaseModel, ConfigDict, computed_field

from reactor.expression import BadExpression, compile_expression

Faults = Callable[[str], tuple[str, ...]]


class State(StrEnum):
    OPEN = "open"
    CLOSED = "closed"


class Label(BaseModel):
    name: str


class Account(BaseModel):
    login: str


class Issue(BaseModel):
    number: int
    title: str
    body: str | None = None
    state: State = State.OPEN
    kind: Literal["bug", "wish"] = "bug"
    author: Account | None = None
    labels: tuple[Label, ...] = ()
    counts: dict[str, int] = {}
    created_at: datetime | None = None
    is_draft: bool = False

    @property
    def word_count(self) -> int:
        return len(self.title.split())

    @computed_field  # type: ignore[prop-decorator]
    @property
    def is_long(self) -> bool:
        return len(self.title) > 80


class Payload(BaseModel):
    model_config = ConfigDict(extra="allow")
    action: str


@dataclass(frozen=True)
class Assessment:
    urgency: float
    signals: list[str]


@dataclass(frozen=True)
class Stage:
    round: int


@dataclass(frozen=True)
class FinalStage(Stage):
    verdict: str


class Span(NamedTuple):
    first: int
    last: int


KNOWN: dict[str, Any] = {
    "issue": Issue,
    "assessment": Assessment,
    "payload": Payload,
    "stage": Stage,
    "span": Span,
    "issues": list[Issue],
    "either": Issue | Assessment,
    "anything": None,
    "package": Label,
    "list": Assessment,
}


@pytest.fixture
def faults() -> Faults:
    def find(source: str) -> tuple[str, ...]:
        with pytest.raises(BadExpression) as raised:
            compile_expression(source, known=KNOWN)
        return raised.value.faults

    return find


@pytest.mark.parametrize(
    ("source", "variables"),
    [
        ("assessment.urgency > 0", {"assessment"}),
        ("issue.number > 10 && assessment.urgency > 0.7", {"issue", "assessment"}),
        ("issue.labels.exists(issue, issue.name == 'bug')", {"issue"}),
        ("issue.labels.all(l, l.name != stage.round || true)", None),
        ("issues.exists(i, i.labels.exists(l, l.name == payload.action))", {"issues", "payload"}),
        ("[1, 2].exists(x, x == 2)", set()),
        ("anything.whatever.it.has == 'x'", {"anything"}),
        ("payload.not_declared == 1", {"payload"}),
        ("stage.verdict == 'yes'", {"stage"}),
        ("span.first < span.last", {"span"}),
        ("either.urgency > 0.5 || either.number > 3", {"either"}),
        ("issue.word_count > 3 && !issue.is_long", {"issue"}),
        ("issue.counts.reactions > 3", {"issue"}),
        ("package_.name == 'x'", {"package"}),
        ("list.urgency > 0.5", {"list"}),
        ("type(anything) == string", {"anything"}),
        ("has(issue.body)", {"issue"}),
        ("issue.title.matches('(?i)crash|hang')", {"issue"}),
        ('issue.title == "it\'s // no comment" // but this is', {"issue"}),
        ("issue.state == 'open' && issue.kind == 'bug'", {"issue"}),
        ("(issue.author != null ? issue.author.login : 'ghost') == 'ghost'", {"issue"}),
        ("math.abs(assessment.urgency) > 0.5", {"assessment"}),
    ],
)
def test_an_expression_knows_the_facts_it_looks_at(
    source: str, variables: set[str] | None, request: pytest.FixtureRequest
) -> None:
    if variables is None:
        find: Faults = request.getfixturevalue("faults")
        assert find(source) == (
            "text is never equal to a whole number (in `l.name`, `stage.round`)",
        )
        return

    expression = compile_expression(source, known=KNOWN)

    assert expression.source == source
    assert expression.variables == variables


@pytest.mark.parametrize(
    ("source", "fault"),
    [
        ("", "line 1, column 1: mismatched input '<EOF>'"),
        ("issue.number >\n  ", "line 2, column 3: mismatched input '<EOF>'"),
        ("issue.number = 3", "line 1, column 14: token recognition error at: '= '"),
    ],
)
def test_a_syntax_error_says_where(source: str, fault: str, faults: Faults) -> None:
    found = faults(source)

    assert fault in found


@pytest.mark.parametrize(
    ("source", "fault"),
    [
        ("asessment.urgency > 0.5", "`asessment` is not a known name; did you mean `assessment`?"),
        ("zzz == 1", "`zzz` is not a known name"),
        ("issue.labels.exists(l, m.name == 'x')", "`m` is not a known name"),
        ("[1].all(x, true) && x == 1", "`x` is not a known name"),
        (
            "issue.titel == 'x'",
            "Issue has no field `titel` (in `issue.titel`); did you mean `title` or `state`?",
        ),
        (
            "issue.labels.exists(l, l.nam == 'x')",
            "Label has no field `nam` (in `l.nam`); did you mean `name`?",
        ),
        (
            "issue.author.logn == 'x'",
            "Account has no field `logn` (in `issue.author.logn`); did you mean `login`?",
        ),
        (
            "issues.filter(i, i.number > 1)[0].author.logn == 'x'",
            "Account has no field `logn`; did you mean `login`?",
        ),
        (
            "issues.all(i, i.labels.all(l, l.titel == ''))",
            "Label has no field `titel` (in `l.titel`)",
        ),
        ("issue['titel'] == 'x'", "Issue has no field `titel`"),
        ("has(issue.bdy)", "Issue has no field `bdy` (in `issue.bdy`); did you mean `body`?"),
        ("assessment.urgncy > 0.5", "Assessment has no field `urgncy`"),
        ("span.frist == 1", "Span has no field `frist` (in `span.frist`); did you mean `first`?"),
        ("stage.verdikt == 'x'", "Stage has no field `verdikt`"),
        ("either.nothing == 1", "Issue or Assessment has no field `nothing`"),
        ("issue.model_dump == 1", "Issue has no field `model_dump`"),
        ("issue.__class__ == 1", "Issue has no field `__class__`"),
        ("issue.title.text == 'x'", "issue.title is text and has no field `text`"),
        ("is(issue, issue.title)", "`is` takes a class name in quotes"),
        ("is(issue.title, 'Issue')", "`is` tests objects, and `issue.title` is text"),
        ("issue.title.lower() == 'x'", "there is no method `lower`; did you mean `lowerAscii`?"),
        ("contains(issue.title, 'x')", "it is a method: write `x.contains(...)`"),
        ("length(issue.title) > 3", "there is no function `length`"),
        ("issue.title.contains('a', 'b')", "`contains` got 3 arguments"),
        ("issue.labels.contains('bug')", "`contains` cannot be used on `issue.labels` is a list"),
        ("issue.title.matches('(')", "the pattern '(' cannot be used: error: unclosed group"),
        ("issue.title.matches(issue.body)", "`matches` takes one pattern, written out in quotes"),
        ("Issue{number: 1} == issue", "objects cannot be made in an expression"),
        ("issue.title.exists(c, c == 'x')", "`exists` goes over a list, and `issue.title` is text"),
    ],
)
def test_what_does_not_exist_is_reported_with_what_is_near(
    source: str, fault: str, faults: Faults
) -> None:
    found = faults(source)

    assert any(fault in each for each in found), found


@pytest.mark.parametrize(
    ("source", "fault"),
    [
        ("issue.title", "it gives text, not true or false"),
        ("issue.number + 1", "it gives a whole number, not true or false"),
        ("issue.number == '7'", "a whole number is never equal to text (in `issue.number`)"),
        ("issue.title > 3", "`>` does not compare text with a whole number"),
        ("issue.created_at > '2024-01-01'", "write `timestamp("),
        ("issue.number * 1.5 > 3.0", "`*` does not mix a whole number and a decimal number"),
        ("'bug' in issue.labels", "text is never in a list of which each is Label"),
        ("'crash' in issue.title", "for text write `text.contains(part)`"),
        ("issue.number && true", "`issue.number` is a whole number, where true or false is needed"),
        ("!issue.title", "`issue.title` is text, where true or false is needed"),
        ("issue.labels.all(l, l.name)", "`l.name` is text, where true or false is needed"),
        ("-issue.title == 'x'", "`-` of text"),
        ("assessment.urgency % 2.0 == 0.0", "`%` does not work on"),
        ("assessment.signals[0] > 1", "`>` does not compare text with a whole number"),
    ],
)
def test_what_can_never_hold_is_reported(source: str, fault: str, faults: Faults) -> None:
    found = faults(source)

    assert any(fault in each for each in found), found


def test_all_faults_are_reported_at_once(faults: Faults) -> None:
    found = faults("isue.title == 'x' || issue.titel == 'x' || assessment.urgency == 'high'")

    assert len(found) == 3


def test_a_reserved_word_comes_with_the_way_to_write_it(faults: Faults) -> None:
    found = faults("package.name == 'x'")

    assert (
        "`package` is a word of the language; write `package_` for the fact of that name" in found
    )


@pytest.mark.parametrize(
    ("source", "fault"),
    [
        ("x" * 2_001, "it has 2,001 characters, and 2,000 are allowed"),
        ("(" * 60 + "true" + ")" * 60, "it is nested too deeply"),
        ("1" + " + 1" * 150 + " == 1", "it is nested too deeply"),
        ("!" * 300 + "true", "it is nested too deeply"),
        ("(" * 900 + "true" + ")" * 900, "recursion"),
        (
            "issues.all(a, issues.all(b, issues.all(c, issues.all(d, true))))",
            "more than 3 macros go over lists within each other",
        ),
        ("issue.title == '\ud800'", "it holds half a character"),
    ],
)
def test_what_is_too_large_is_refused(source: str, fault: str, faults: Faults) -> None:
    found = faults(source)

    assert any(fault in each.lower() for each in found), found


def test_the_error_names_the_expression_and_pickles() -> None:
    import pickle

    with pytest.raises(BadExpression) as raised:
        compile_expression("isue.number > 1", known=KNOWN)
    again = pickle.loads(pickle.dumps(raised.value))

    assert str(again) == str(raised.value)
    assert "'isue.number > 1': `isue` is not a known name; did you mean" in str(again)


def test_class_names_are_those_of_the_known_types_their_bases_and_subclasses() -> None:
    known = {"issue": Issue, "stage": Stage}

    for name in ("Issue", "Account", "Label", "BaseModel", "Stage", "FinalStage"):
        compile_expression(f"is(issue, '{name}')", known=known)
    with pytest.raises(BadExpression) as raised:
        compile_expression("is(issue, 'Isue')", known=known)

    assert raised.value.faults == ("no known type is called `Isue`; did you mean `Issue`?",)


def test_class_names_are_not_checked_where_a_type_is_not_known() -> None:
    expression = compile_expression("is(thing, 'Whatever')", known={"thing": None, "issue": Issue})

    assert expression.variables == {"thing"}


def test_class_names_may_be_given() -> None:
    known = {"thing": None}

    compile_expression("is(thing, 'Label')", known=known, classes={"Label"})
    with pytest.raises(BadExpression, match="did you mean `Label`"):
        compile_expression("is(thing, 'Labl')", known=known, classes={"Label"})
