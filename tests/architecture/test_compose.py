"""docker-compose.yml fits the code: names, commands, ports, probes, and no secret in it."""

import re
import shlex
from pathlib import Path
from typing import Any

import pytest
from ruamel.yaml import YAML
from typer.main import get_command

from reactor.cli.app import build
from reactor.environment import environment_names
from reactor.settings import Settings, load

OURS = ("gateway", "worker", "console")
SECRET = re.compile(r"SECRET|TOKEN|PASSWORD|PRIVATE_KEY")
PROBES = {"gateway": "/readyz", "worker": "/healthz", "console": "/readyz"}
SIGTERM_S = 10  # beyond the drain, within which a worker ends: docs/operations.md


@pytest.fixture(scope="module")
def compose(root: Path) -> dict[str, Any]:
    found: dict[str, Any] = YAML(typ="safe", pure=True).load(root / "docker-compose.yml")
    return found


@pytest.fixture(scope="module")
def services(compose: dict[str, Any]) -> dict[str, dict[str, Any]]:
    found: dict[str, dict[str, Any]] = compose["services"]
    return found


def names_in(value: str) -> list[str]:
    """The names that are taken from the environment of whoever starts it."""
    return re.findall(r"\$\{(\w+)", value)


def seconds(text: str) -> int:
    assert text.endswith("s")
    return int(text.removesuffix("s"))


def test_the_whole_is_there(services: dict[str, dict[str, Any]]) -> None:
    assert set(services) == {*OURS, "kafka", "redis"}


@pytest.mark.parametrize("name", OURS)
def test_every_name_in_the_environment_is_one_that_the_settings_know(
    services: dict[str, dict[str, Any]], name: str
) -> None:
    known = {each for names in environment_names().values() for each in names}

    assert set(services[name]["environment"]) - known == set()


@pytest.mark.parametrize("name", OURS)
def test_the_settings_take_what_it_says(services: dict[str, dict[str, Any]], name: str) -> None:
    environ = {
        key: re.sub(r"\$\{\w+:?-?([^}]*)\}", lambda default: default[1], value) or "7"
        for key, value in services[name]["environment"].items()
    }

    settings = load(None, environ | {"LOG_LEVEL": "info"})

    assert settings.kafka.bootstrap_servers == "kafka:9092"
    assert settings.kafka.partitions == 12


@pytest.mark.parametrize("name", OURS)
def test_the_command_exists_with_its_options(
    services: dict[str, dict[str, Any]], name: str
) -> None:
    word, *options = shlex.split(services[name]["command"])
    command = get_command(build()).commands[word]  # type: ignore[attr-defined]

    known = {option for parameter in command.params for option in parameter.opts}
    assert {option for option in options if option.startswith("--")} <= known


@pytest.mark.parametrize("name", OURS)
def test_the_probe_asks_the_port_on_which_it_listens(
    services: dict[str, dict[str, Any]], name: str
) -> None:
    service = services[name]
    listens = re.search(r"--port (\d+)", service["command"])
    port = listens[1] if listens else service["environment"]["REACTOR_WORKER_HTTP_PORT"]

    shown = [
        each.split(":")[-1] for each in (*service.get("ports", ()), *service.get("expose", ()))
    ]
    assert shown == [port]
    assert f"http://127.0.0.1:{port}{PROBES[name]}" in " ".join(service["healthcheck"]["test"])


@pytest.mark.parametrize("name", [*OURS, "kafka", "redis"])
def test_each_service_is_watched_and_restarted_and_gets_no_more_rights(
    services: dict[str, dict[str, Any]], name: str
) -> None:
    service = services[name]

    assert service["healthcheck"]["test"]
    assert service["restart"] == "unless-stopped"
    assert service["security_opt"] == ["no-new-privileges:true"]


@pytest.mark.parametrize("name", OURS)
def test_our_services_write_nowhere_but_to_what_is_given_to_them(
    services: dict[str, dict[str, Any]], name: str
) -> None:
    assert services[name]["read_only"] is True
    assert services[name]["cap_drop"] == ["ALL"]


def test_a_worker_has_the_time_that_it_may_take_to_stop(
    services: dict[str, dict[str, Any]],
) -> None:
    grace_s = seconds(services["worker"]["stop_grace_period"])

    assert grace_s >= Settings().worker.drain_s + SIGTERM_S


def test_workers_can_be_started_in_any_number(services: dict[str, dict[str, Any]]) -> None:
    assert "container_name" not in services["worker"]
    assert "ports" not in services["worker"]  # a port of the host is there only once


def test_no_secret_stands_in_it_and_those_of_the_doors_must_be_given(
    services: dict[str, dict[str, Any]],
) -> None:
    given = {
        f"{service} {name}": value
        for service, what in services.items()
        for name, value in what.get("environment", {}).items()
        if SECRET.search(name)
    }

    assert given
    # what we write to GitHub as may be left out: then nothing is sent
    only_of_workers = {"worker GITHUB_PRIVATE_KEY", "worker GITHUB_TOKEN"}
    assert {
        name for name, value in given.items() if not re.fullmatch(r"\$\{\w+:\?[^}]+\}", value)
    } == only_of_workers
    assert all(re.fullmatch(r"\$\{\w+:-\}", given[name]) for name in only_of_workers)
    assert [url for url in re.findall(r"\w+://[^\s\"']+", str(services)) if "@" in url] == []


def test_every_image_is_pinned(services: dict[str, dict[str, Any]]) -> None:
    images = [service["image"] for service in services.values()]

    assert [image for image in images if not re.search(r":\d+\.\d+[\w.-]*$", image)] == []


def test_kafka_is_the_version_that_is_tested(
    root: Path, services: dict[str, dict[str, Any]]
) -> None:
    pom = (root / "tools" / "kafka" / "pom.xml").read_text("utf-8")
    tested = re.search(r"<artifactId>kafka_[\d.]+</artifactId>\s*<version>([\d.]+)</version>", pom)

    assert tested
    assert services["kafka"]["image"] == f"apache/kafka:{tested[1]}"


def test_every_volume_is_declared_and_used(
    compose: dict[str, Any], services: dict[str, dict[str, Any]]
) -> None:
    used = {
        each.split(":")[0] for service in services.values() for each in service.get("volumes", ())
    }

    assert used == set(compose["volumes"])


def test_the_spool_lies_on_a_volume_that_the_image_makes_writable(
    root: Path, services: dict[str, dict[str, Any]]
) -> None:
    gateway, image = services["gateway"], (root / "Dockerfile").read_text("utf-8")
    spool = gateway["environment"]["REACTOR_SPOOL"]

    assert f"spool:{spool}" in gateway["volumes"]
    assert re.search(rf"install -d -o reactor -g reactor {re.escape(spool)}\b", image)


def test_redis_keeps_what_it_acknowledged(services: dict[str, dict[str, Any]]) -> None:
    command = services["redis"]["command"]

    assert "--appendonly yes --appendfsync always --maxmemory-policy noeviction" in command


def test_what_is_read_of_the_environment_is_told_in_the_file(
    root: Path, services: dict[str, dict[str, Any]]
) -> None:
    text = (root / "docker-compose.yml").read_text("utf-8")
    required = {name for name in names_in(text) if f"${{{name}:?" in text}

    told = text.partition("\nservices:")[0]
    assert {name for name in required if f"export {name}=" not in told} == set()


def test_the_index_lies_on_a_volume_that_the_image_makes_writable(
    root: Path, services: dict[str, dict[str, Any]]
) -> None:
    console, image = services["console"], (root / "Dockerfile").read_text("utf-8")
    data = console["environment"]["REACTOR_DATA"]

    assert f"data:{data}" in console["volumes"]
    assert re.search(rf"install -d -o reactor -g reactor .*{re.escape(data)}\b", image)
