"""`reactor rules`: the file of a repository, checked where it is written."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from typer.testing import Result

from reactor.cli.rules import UnreadableRules

Run = Callable[..., Result]


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "reactor.yml"


def test_what_a_file_lets_through_is_told_in_words(run: Run, file: Path) -> None:
    file.write_text(
        "_extends: base\nmode: approve\nallow: [AddLabels]\nlabels: [bug]\ncommands: [close]\n"
        "components: {triage: {enabled: false}, welcome: {mode: observe, labels: []}}\n"
    )

    result = run("rules", str(file))

    assert result.exit_code == 0
    assert result.stdout == (
        "everywhere  once a person approves it; only AddLabels; labels: bug\n"
        "triage      nothing\n"
        "welcome     nothing is changed, only recorded; labels: none\n"
        "commands    /close\n"
        "extends     base, which counts for the rest\n"
    )


def test_each_fault_is_a_line_that_editors_understand_and_exit_1(run: Run, file: Path) -> None:
    file.write_text("mode: life\nlables: [bug]\n")

    result = run("rules", str(file))

    assert result.exit_code == 1
    assert result.stdout == (
        f"{file}:1:7: it must be observe, approve or live\n"
        f"{file}:2:1: there is no `lables` here; did you mean `labels`?\n"
    )


def test_as_json_there_are_faults_rules_and_notes(run: Run, file: Path) -> None:
    file.write_text("_extends: base\nallow: [AddLabel, PageTeam]\n")
    good = json.loads(run("rules", str(file), "--json").stdout)
    file.write_text("mode: life\n")
    bad = run("rules", str(file), "--json")

    assert good == {
        "faults": [],
        "rules": {"_extends": "base", "allow": ["AddLabel", "PageTeam"]},
        "notes": [
            "AddLabel is no kind of effect that comes with Reactor; did you mean AddLabels?",
            "PageTeam is no kind of effect that comes with Reactor",
        ],
    }
    assert bad.exit_code == 1
    assert json.loads(bad.stdout)["faults"] == [
        {"line": 1, "column": 7, "reason": "it must be observe, approve or live"}
    ]


def test_a_file_may_come_over_stdin(run: Run) -> None:
    result = run("rules", "-", stdin=b"mode: live\n")

    assert result.stdout == "everywhere  what the operator grants\n"


def test_a_file_that_is_not_there_is_named(run: Run, file: Path) -> None:
    error = run("rules", str(file)).exception

    assert isinstance(error, UnreadableRules)
    assert str(file) in str(error)
