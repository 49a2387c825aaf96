"""Forms, answers and signals on the command line; with servers in between: tests/e2e."""

import json
from collections.abc import Callable
from datetime import UTC, datetime

import pytest
from typer.testing import Result

from reactor.cli.answering import fitting, shown
from reactor.waiting import Answer, FormRequest
from reactor.wiring.redis import NoServer

Run = Callable[..., Result]
NOW = datetime(2026, 3, 14, 15, 9, tzinfo=UTC)


def form(**fields: object) -> FormRequest:
    told: dict[str, object] = {
        "id": "p1-1",
        "process_id": "p1",
        "action": "writer.ask",
        "kind": "form",
        "model": "tests:Feedback",
        "title": "How is it?",
        "asked_at": NOW,
    }
    return FormRequest(**{**told, **fields})  # type: ignore[arg-type]


def answer(value: object) -> Answer:
    return Answer(id="a-1", form_id="p1-1", value=value)


@pytest.mark.parametrize(
    ("words", "problem"),
    [
        ((), "give --json to a form"),
        (("--yes", "--json", "1"), "give --json to a form"),
        (("--json", "{"), "not JSON"),
    ],
)
def test_what_is_no_answer_is_refused_before_anything_is_asked_of_a_server(
    run: Run, words: tuple[str, ...], problem: str
) -> None:
    result = run("answer", "p1-1", *words)

    assert result.exit_code == 2
    assert problem in " ".join(result.output.replace("│", "").split())


def test_a_wish_that_nobody_knows_is_refused_with_those_that_are_known(run: Run) -> None:
    result = run("signal", "p1", "dance")

    assert result.exit_code == 2
    assert "'pause'" in result.output


@pytest.mark.parametrize(
    "words", [("forms",), ("answer", "p1-1", "--yes"), ("signal", "p1", "kill")]
)
def test_without_servers_it_says_what_to_set(run: Run, words: tuple[str, ...]) -> None:
    result = run(*words)

    assert isinstance(result.exception, NoServer)


@pytest.mark.parametrize("value", [True, False])
def test_json_may_say_yes_or_no_where_that_is_asked(value: bool) -> None:
    confirm = form(kind="confirm")

    for said in (value, {"approved": value}):
        fitted = fitting(answer(said), confirm)
        assert (fitted.approved, fitted.value) == (value, None)


def test_the_same_is_the_value_of_a_form_where_a_form_is_asked() -> None:
    for said in (True, {"approved": True}):
        assert fitting(answer(said), form()) == answer(said)


def test_a_form_is_shown_with_its_fields_its_end_and_its_default() -> None:
    fields = {"stars": {"type": "integer", "description": "1 to 5"}, "comment": {"type": "string"}}
    asked = form(
        text="Take\nyour time.",
        schema={"properties": fields},
        expires_at=NOW,
        default=json.dumps({"stars": 3}),
    )

    assert list(shown(asked)) == [
        "p1-1  How is it?",
        "  asked by writer.ask at 2026-03-14 15:09 UTC",
        '  expires at 2026-03-14 15:09 UTC, then the answer is {"stars": 3}',
        "  | Take",
        "  | your time.",
        "  stars: integer 1 to 5",
        "  comment: string",
    ]


def test_a_question_of_yes_or_no_shows_what_it_is_about() -> None:
    asked = form(kind="confirm", payload='{"order":7}')

    assert list(shown(asked))[-2:] == ['  about {"order":7}', "  answer with --yes or --no"]


def test_hostile_text_gives_the_terminal_no_commands() -> None:
    asked = form(title="\x1b]0;pwned\x07 \u202eevil" + "x" * 10_000)

    line = next(shown(asked))

    assert line.isprintable()
    assert len(line) < 600
