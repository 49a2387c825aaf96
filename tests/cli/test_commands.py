"""The other commands: what they print, and how they fail."""

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from redis import Redis as BlockingRedis
from typer.testing import Result

from reactor.children import free_port
from reactor.cli.sending import GatewayUnreachable
from reactor.scope import EmptyScope
from reactor.settings import BadSettings
from reactor.wiring.redis import NoServer
from tests.fixtures.redis_process import server_process, wait_for_pong

Run = Callable[..., Result]

COMMANDS = [
    "demo",
    "receive",
    "up",
    "gateway",
    "worker",
    "send",
    "explain",
    "trace",
    "forms",
    "answer",
    "signal",
    "plan",
    "components",
    "doctor",
]


def test_help_names_every_command(run: Run) -> None:
    result = run("--help")

    assert [name for name in COMMANDS if name not in result.stdout] == []


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_explains_itself(run: Run, command: str) -> None:
    result = run(command, "--help")

    assert result.exit_code == 0
    assert "Usage" in result.stdout


def test_components_lists_packages_actions_and_needs(run: Run) -> None:
    result = run("components", "--json")

    told = json.loads(result.stdout)
    assert {"hello", "triage", "community"} <= {package["name"] for package in told["packages"]}
    assert told["faults"] == []
    (triage,) = (package for package in told["packages"] if package["name"] == "triage")
    assert triage["distribution"] == "reactor-triage"
    assert any("settings.urgent_at" in n for action in triage["actions"] for n in action["needs"])


def test_components_tells_what_people_can_ask_for(run: Run) -> None:
    told = json.loads(run("components", "--json").stdout)
    lines = run("components").stdout

    commands = {package["name"]: package["commands"] for package in told["packages"]}
    assert {"usage": "/label NAMES...", "description": "Put labels on.", "who": "triage"} in (
        commands["commands"]
    )
    assert commands["hello"] == []
    assert "/close [REASON]  for triage, author" in lines


def test_components_are_drawn_as_a_graph(run: Run) -> None:
    lines = run("components", "graph", "--package", "hello").stdout
    dot = run("components", "graph", "--format", "dot").stdout
    svg = run("components", "graph", "--format", "svg").stdout

    assert lines.startswith("action hello.mark_as_new  (hello)\n  needs Issue\n")
    assert '"action:triage.react_to_new_issue" -> "fact:IssueAssessment"' in dot
    assert svg.startswith("<svg ")


def test_a_graph_of_nothing_says_what_there_is(run: Run) -> None:
    result = run("components", "graph", "--package", "hallo")

    assert isinstance(result.exception, EmptyScope)
    assert (
        "installed packages: commands, community, duplicates, hello, reactor-commanding, triage"
        in str(result.exception)
    )


def test_a_section_for_a_package_that_is_not_there_is_a_fault(run: Run, tmp_path: Path) -> None:
    config = tmp_path / "typo.yaml"
    config.write_text("components: {traige: {urgent_at: 0.5}}")

    result = run("components", "-c", str(config))

    assert result.exit_code == 1
    assert "components.traige names no installed component package" in result.output


def test_a_setting_of_a_package_that_is_wrong_leaves_out_that_package_only(
    run: Run, tmp_path: Path
) -> None:
    config = tmp_path / "wrong.yaml"
    config.write_text("components: {triage: {urgent_at: very}}")

    told = json.loads(run("components", "-c", str(config), "--json").stdout)

    assert "triage" not in {package["name"] for package in told["packages"]}
    assert any("triage" in fault and "urgent_at" in fault for fault in told["faults"])
    assert {"hello", "community"} <= {package["name"] for package in told["packages"]}


def test_doctor_finds_the_embedded_servers_and_the_components(run: Run) -> None:
    result = run("doctor")

    assert result.exit_code == 0, result.output
    assert "embedded broker" in result.stdout
    assert "no GITHUB_WEBHOOK_SECRET" in result.stdout


def test_doctor_names_a_server_that_does_not_answer(
    run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("REDIS_URL", "redis://127.0.0.1:1/0")

    result = run("doctor")

    assert result.exit_code == 1
    assert "MISSING  redis" in result.stdout


@pytest.mark.redis
def test_doctor_notes_how_redis_may_forget(
    run: Run, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    port = free_port()
    with server_process(tmp_path, port), BlockingRedis(port=port, socket_timeout=5) as client:
        wait_for_pong(client, tmp_path)
        monkeypatch.setenv("REDIS_URL", f"redis://127.0.0.1:{port}/0")

        result = run("doctor")

    assert result.exit_code == 0, result.output
    assert f"ok       redis        127.0.0.1:{port} answers" in result.stdout
    assert "note     redis        appendonly is no" in result.stdout


def test_doctor_lists_faults_of_the_settings(run: Run, tmp_path: Path) -> None:
    config = tmp_path / "bad.yaml"
    config.write_text("gateway: {prot: 1}")

    result = run("doctor", "-c", str(config))

    assert result.exit_code == 1
    assert "gateway.prot" in result.stdout


def test_sending_to_nobody_says_how_to_start_a_gateway(run: Run, samples: Path) -> None:
    file = str(samples / "star.created.json")

    result = run("send", "-e", "star", "-p", file, "--url", "http://127.0.0.1:1/webhook")

    assert isinstance(result.exception, GatewayUnreachable)
    assert "reactor up" in str(result.exception)


@pytest.mark.parametrize("command", ["gateway", "worker"])
def test_serving_without_servers_says_which_is_missing(run: Run, command: str) -> None:
    result = run(command)

    assert isinstance(result.exception, NoServer)
    assert "reactor up" in str(result.exception)


def test_bad_settings_stop_every_command_with_the_faults(run: Run, tmp_path: Path) -> None:
    config = tmp_path / "bad.yaml"
    config.write_text("nonsense: 1")

    result = run("explain", "some-delivery", "-c", str(config))

    assert isinstance(result.exception, BadSettings)


def test_a_subject_is_sent_from_explain_to_trace(run: Run) -> None:
    result = run("explain", "octo/hello#7")

    assert result.exit_code == 2
    assert "reactor trace octo/hello#7" in " ".join(result.stderr.split())


def test_errors_of_ours_are_a_text_on_standard_error_and_exit_2(tmp_path: Path) -> None:
    ran = subprocess.run(
        [sys.executable, "-m", "reactor", "receive", "-e", "issues", "-p", "-"],
        input=b"[]",
        capture_output=True,
        cwd=tmp_path,
        timeout=60,
        check=False,
    )

    assert ran.returncode == 2
    assert ran.stdout == b""
    assert ran.stderr.startswith(b"reactor: -: ")
    assert b"Traceback" not in ran.stderr
