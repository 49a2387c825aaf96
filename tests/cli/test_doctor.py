"""`reactor doctor`: what it looks at."""

import json
import os
from collections.abc import Callable
from pathlib import Path

from typer.testing import Result

Run = Callable[..., Result]


def test_where_a_reactor_runs_it_is_its_servers_that_are_looked_at(
    run: Run, tmp_path: Path
) -> None:
    (tmp_path / "there").mkdir()
    told = {"pid": str(os.getpid()), "REDIS_URL": "redis://127.0.0.1:9/0"}
    (tmp_path / "there" / "up.json").write_text(json.dumps(told))

    here = run("doctor", "--data", "there").stdout
    elsewhere = run("doctor", "--data", "nowhere").stdout

    assert "127.0.0.1:9" in here
    assert "127.0.0.1:9" not in elsewhere


def test_where_a_reactor_runs_its_settings_count_unless_others_are_named(
    run: Run, tmp_path: Path
) -> None:
    for name in ("its", "other"):
        (tmp_path / f"{name}.yaml").write_text(f"reactions: [{{name: {name}, on: isues.opened}}]")
    told = {"pid": str(os.getpid()), "config": str(tmp_path / "its.yaml")}
    (tmp_path / "up.json").write_text(json.dumps(told))

    by_its_own = run("doctor", "--data", str(tmp_path)).stdout
    by_others = run("doctor", "--data", str(tmp_path), "--config", str(tmp_path / "other.yaml"))

    assert "its: on: no event" in by_its_own
    assert "other: on: no event" in by_others.stdout
    assert "its: on: no event" not in by_others.stdout


def test_a_reaction_that_waits_for_a_misspelt_event_is_told(run: Run, tmp_path: Path) -> None:
    config = tmp_path / "my.yaml"
    config.write_text("reactions: [{name: mine, on: [isues.opened, issues.closed]}]")

    result = run("doctor", "--config", str(config))

    notes = [" ".join(line.split()) for line in result.stdout.splitlines() if "reactions" in line]
    assert notes == [
        "note reactions mine: on: no event 'isues.opened' is known, so this may never begin; did"
        " you mean 'issues.opened'?"
    ]


def test_a_package_that_no_reaction_runs_is_told_and_those_of_commands_are_not(
    run: Run, tmp_path: Path
) -> None:
    config = tmp_path / "my.yaml"
    config.write_text("reactions: [{name: mine, on: issues.opened, scope: [triage, community]}]")

    shown = run("doctor", "--config", str(config)).stdout

    assert "no reaction runs anything of hello: add it to the `scope` of one" in shown
    assert "anything of triage" not in shown
    assert "anything of commands" not in shown
