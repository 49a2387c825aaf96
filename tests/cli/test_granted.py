"""What is granted, as commands tell it."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from typer.testing import Result

Run = Callable[..., Result]
GRANTS = """
reactions: [{name: all, on: issues.opened, effects: live}]
components:
  hello: {disabled: true}
  triage: {allow: [AddLabels, RemoveLabel]}
repositories:
  "octo/*": {without_file: live, mode: approve}
"""


@pytest.fixture
def config(tmp_path: Path) -> str:
    path = tmp_path / "grants.yaml"
    path.write_text(GRANTS)
    return str(path)


def test_doctor_lists_what_is_granted_where_and_a_kind_that_nobody_has(
    run: Run, config: str
) -> None:
    result = run("doctor", "--config", config)

    assert result.exit_code == 1
    lines = [" ".join(line.split()) for line in result.stdout.splitlines()]
    assert "ok granted components.triage: only AddLabels, RemoveLabel" in lines
    assert "ok granted octo/*: approve at most; live without a file" in lines
    assert "ok granted elsewhere, without .github/reactor.yml: observe only" in lines
    assert (
        "MISSING components components.triage.allow: nobody has effects of the kind 'RemoveLabel';"
        " did you mean RemoveLabels?"
    ) in lines


def test_components_tells_what_is_disabled_and_shows_nothing_of_it(run: Run, config: str) -> None:
    told = json.loads(run("components", "--json", "--config", config).stdout)
    shown = run("components", "--config", config).stdout

    assert told["disabled"] == ["hello"]
    assert "hello" not in {package["name"] for package in told["packages"]}
    assert told["faults"] == []
    assert "hello  disabled (components.hello.disabled)" in shown


def test_receive_tells_why_a_live_reaction_would_only_observe(
    run: Run, config: str, tmp_path: Path
) -> None:
    payload = {
        "action": "opened",
        "issue": {"id": 1, "number": 7, "title": "It crashes", "body": "It is on fire."},
        "repository": {"id": 1, "full_name": "elsewhere/hello", "name": "hello"},
        "sender": {"id": 2, "login": "octocat"},
    }
    (tmp_path / "payload.json").write_text(json.dumps(payload))

    result = run(
        "receive", "-e", "issues", "-p", str(tmp_path / "payload.json"), "--config", config
    )

    assert result.exit_code == 0, result.output
    assert "elsewhere/hello has no .github/reactor.yml" in result.stdout
