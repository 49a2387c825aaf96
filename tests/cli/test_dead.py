"""Dead letters on the command line; with servers in between: tests/e2e."""

import json
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest
import typer
from typer.testing import Result

from reactor.cli.letters import letter_lines
from reactor.cli.selecting import moment
from reactor.dead import Entry, Handling
from reactor.given_up import told_letter
from reactor.topic import DeadLetter, Position
from reactor.wiring.redis import NoServer

Run = Callable[..., Result]
NOW = datetime(2026, 3, 14, 15, 9, tzinfo=UTC)
FAILED = Entry(
    id="0123456789ab",
    at=NOW,
    letter=DeadLetter(
        reason="failed",
        detail="ended FAILED: triage (p1): ValueError: a bug",
        key=b"github.com/1#7",
        body=b'{"issue": {"title": "b\xc3\xb6se"}}',
        headers={"host": "github.com", "delivery": "d-1", "event": "issues", "odd": "\udcff"},
        origin=Position("reactor.deliveries", 2, 17),
        attempts=3,
        first_seen=NOW,
    ),
)


@pytest.mark.parametrize(
    "words", [("list",), ("show", "beef"), ("retry", "beef", "--yes"), ("drop", "beef", "--yes")]
)
def test_without_servers_it_is_said_what_to_set(run: Run, words: tuple[str, ...]) -> None:
    result = run("dead", *words)

    assert isinstance(result.exception, NoServer)


@pytest.mark.parametrize("verb", ["retry", "drop"])
def test_nothing_is_done_to_letters_that_nobody_has_named(run: Run, verb: str) -> None:
    result = run("dead", verb, "--yes")

    assert result.exit_code == 2
    assert "--every" in result.output


def test_a_moment_that_can_not_be_read_is_refused(run: Run) -> None:
    result = run("dead", "list", "--since", "yesterday")

    assert result.exit_code == 2
    assert "90m" in result.output


@pytest.mark.parametrize(
    ("text", "meant"),
    [
        ("", None),
        ("90m", NOW - timedelta(minutes=90)),
        ("1.5h", NOW - timedelta(minutes=90)),
        ("3d", NOW - timedelta(days=3)),
        ("2026-03-14", datetime(2026, 3, 14, tzinfo=UTC)),
        ("2026-03-14T15:00+02:00", datetime(2026, 3, 14, 13, tzinfo=UTC)),
    ],
)
def test_a_moment_is_an_age_or_a_time(text: str, meant: datetime | None) -> None:
    assert moment(text, now=NOW, option="--since") == meant


@pytest.mark.parametrize("text", ["d", "xm", "1e999d", "99999999d", "nand", "-"])
def test_an_age_without_sense_is_refused(text: str) -> None:
    with pytest.raises(typer.BadParameter, match="90m"):
        moment(text, now=NOW, option="--since")


def test_a_letter_is_told_with_what_to_do_now_and_its_body_indented() -> None:
    lines = list(letter_lines(FAILED, FAILED.letter.body))

    text = "\n".join(lines)
    assert "reactor explain d-1" in text
    assert "reactor dead retry 0123456789ab" in text
    assert '    "title": "böse"' in text
    assert "tried 3 times" in text
    once = replace(FAILED, letter=replace(FAILED.letter, attempts=1))
    assert "tried once" in "\n".join(letter_lines(once, b""))
    assert "reactor.deliveries[2]@17" in text


def test_a_letter_that_holds_anything_at_all_is_told_without_commands_to_the_terminal() -> None:
    body = b"\x1b[31m\x00\xff not json"

    text = "\n".join(letter_lines(FAILED, body))

    assert "\x1b" not in text
    assert "\x00" not in text
    assert text.encode("utf-8")
    assert "not json" in text


def test_a_letter_for_programs_is_json_with_everything() -> None:
    done = Handling(what="retried", by="ann", at=NOW)
    handled = Entry(id=FAILED.id, at=NOW, letter=FAILED.letter, handling=done)

    told = json.loads(json.dumps(told_letter(handled, b"\xff")))

    assert told["handled"] == {"what": "retried", "by": "ann", "at": NOW.isoformat()}
    assert (told["body"], told["headers"]["odd"]) == ("\ufffd", "\ufffd")
    assert (told["origin"], told["tries"], told["attempt"]) == ("reactor.deliveries[2]@17", 3, 1)
