"""`reactor receive`: one event, no server."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from typer.testing import Result

from reactor.cli.receiving import UnusablePayload

Run = Callable[..., Result]


def what_was_decided(told: dict[str, Any]) -> list[Any]:
    """Everything but times."""
    return [
        [
            (tick["chosen"], tick["candidates"], tick["not_runnable"], tick.get("effects"))
            for process in told["processes"]
            for tick in process["ticks"]
        ],
        [process["effects"] for process in told["processes"]],
    ]


def test_it_prints_a_line_for_each_noun_of_the_path(run: Run, samples: Path) -> None:
    result = run("receive", "-e", "issues", "-p", str(samples / "issues.opened.urgent.json"))

    assert result.exit_code == 0, result.output
    first_words = [line.split()[0] for line in result.stdout.splitlines()]
    assert first_words == ["delivery", "topic", "blackboard", "plan", "action", "effect"]
    assert "would add label urgent" in result.stdout


def test_as_json_it_is_one_document_with_every_reason(run: Run, samples: Path) -> None:
    path = samples / "issues.opened.urgent.json"

    result = run("receive", "-e", "issues", "-p", str(path), "--delivery", "d-1", "--json")

    told = json.loads(result.stdout)
    assert told["delivery"] == "d-1"
    assert told["event"] == "issues.opened"
    (process,) = told["processes"]
    assert process["reaction"] == "everything"
    assert process["status"] == "TERMINATED"
    *ticks, last = process["ticks"]
    for tick in ticks:
        worth = {c["action"]: c["net_value"] for c in tick["candidates"]}
        assert worth[tick["chosen"]] == max(worth.values())
        assert all(found["unmet"] for found in tick["not_runnable"])
    assert last["chosen"] is None
    assert last["candidates"] == []
    kinds = {effect["kind"] for effect in process["effects"]}
    assert "AddLabels" in kinds
    assert {effect["state"] for effect in process["effects"]} == {"observed"}


def test_equal_input_gives_an_equal_decision(run: Run, samples: Path) -> None:
    words = ("receive", "-e", "issues", "-p", str(samples / "issues.opened.json"), "--json")

    first, second = (json.loads(run(*words, "--delivery", "same").stdout) for _ in range(2))

    assert what_was_decided(first) == what_was_decided(second)


def test_a_payload_may_come_from_standard_input(run: Run, samples: Path) -> None:
    body = (samples / "star.created.json").read_bytes()

    result = run("receive", "-e", "star", "-p", "-", stdin=body)

    assert "star.created" in result.stdout


def test_a_reaction_that_does_not_listen_starts_nothing(
    run: Run, samples: Path, tmp_path: Path
) -> None:
    config = tmp_path / "only-pushes.yaml"
    config.write_text("reactions: [{name: pushes, on: push}]")

    result = run(
        "receive", "-e", "star", "-p", str(samples / "star.created.json"), "-c", str(config)
    )

    assert "no_reaction" in result.stdout


def test_a_when_expression_decides_whether_a_process_starts(
    run: Run, samples: Path, tmp_path: Path
) -> None:
    config = tmp_path / "when.yaml"
    config.write_text("reactions: [{name: r, on: issues, when: 'issue.number > 101'}]")
    files = ("issues.opened.json", "issues.opened.urgent.json")  # numbers 101 and 102

    told = [
        json.loads(
            run(
                "receive", "-e", "issues", "-p", str(samples / f), "-c", str(config), "--json"
            ).stdout
        )
        for f in files
    ]

    assert [len(each["processes"]) for each in told] == [0, 1]


@pytest.mark.parametrize("body", [b"", b"[]", b'{"a": NaN}', b"not json"])
def test_what_is_no_payload_is_refused_with_the_reason(run: Run, body: bytes) -> None:
    result = run("receive", "-e", "issues", "-p", "-", stdin=body)

    assert isinstance(result.exception, UnusablePayload)


def test_a_file_that_is_not_there_is_named(run: Run) -> None:
    result = run("receive", "-e", "issues", "-p", "nowhere.json")

    assert result.exit_code == 2
    assert "nowhere.json" in result.output
