"""`import reactor` is what a component author's tests pay each time: it stays light."""

import subprocess
import sys

HEAVY = [
    "aiokafka",
    "cel",
    "celpy",
    "cramjam",
    "faust",
    "github",
    "httpx",
    "jinja2",
    "litellm",
    "openai",
    "opentelemetry",
    "prometheus_client",
    "redis",
    "rich",
    "starlette",
    "structlog",
    "typer",
    "uvicorn",
    "uvloop",
]

PROBE = """
import sys
import {module}
print(*sorted({{name.partition(".")[0] for name in sys.modules}} & set({heavy!r})))
"""


def loaded_by(module: str, heavy: list[str]) -> str:
    """Which of the heavy packages an `import module` loads, in a fresh interpreter."""
    probe = PROBE.format(module=module, heavy=heavy)
    run = subprocess.run([sys.executable, "-c", probe], capture_output=True, text=True, check=True)
    return run.stdout.strip()


def test_import_reactor_loads_no_client_and_nothing_heavy() -> None:
    assert loaded_by("reactor", HEAVY) == ""


def test_the_probe_sees_what_is_loaded() -> None:
    assert "httpx" in loaded_by("httpx", HEAVY).split()


def test_the_way_to_models_loads_no_client_before_anything_is_asked() -> None:
    unused = ["litellm", "openai", "jinja2", "tiktoken", "redis", "structlog"]

    assert loaded_by("reactor.ai, reactor.adapters.litellm_models", unused) == ""
    assert loaded_by("reactor.wiring.models", unused[:5]) == ""
    assert loaded_by("reactor.testing", unused[:5]) == ""


def test_help_of_the_command_line_loads_no_client_no_settings_and_no_engine() -> None:
    # `--help`, a typing mistake and shell completion pay for what the commands import on top
    unused = [name for name in HEAVY if name != "typer"]

    assert loaded_by("reactor.cli.app", [*unused, "jsonschema", "pydantic", "ruamel"]) == ""


def test_looking_up_what_was_decided_makes_no_platform_and_asks_no_broker() -> None:
    unused = ["aiokafka", "cel", "celpy", "faust", "httpx", "jinja2", "litellm", "starlette"]

    assert loaded_by("reactor.wiring.looking_up, reactor.briefly, reactor.cli.brief", unused) == ""
    assert loaded_by("reactor.wiring.chronicling", unused) == ""
