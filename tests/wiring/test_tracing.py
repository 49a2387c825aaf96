"""Spans are made where a collector is named, and nowhere else is anything loaded for them."""

import subprocess
import sys

import pytest

from reactor.settings import Settings, load
from reactor.tracing import span
from reactor.wiring.tracing import NoOpenTelemetry, tracing
from tests.fixtures.collector import collecting

# what is not there raises as a module does that is not installed
WITHOUT = """
import asyncio, sys
for name in {missing!r}:
    sys.modules[name] = None
from reactor.settings import load
from reactor.wiring.tracing import tracing

async def main(environ):
    async with tracing(load(None, environ), service="worker"):
        pass

asyncio.run(main({environ!r}))
print(*sorted(name for name in sys.modules if name.partition(".")[0] == "opentelemetry"))
"""


def program(environ: dict[str, str], *missing: str) -> subprocess.CompletedProcess[str]:
    text = WITHOUT.format(missing=missing, environ=environ)
    return subprocess.run([sys.executable, "-c", text], capture_output=True, text=True, check=False)


def test_without_a_collector_nothing_of_opentelemetry_is_loaded() -> None:
    run = program({})

    assert (run.returncode, run.stdout.strip()) == (0, "")


def test_with_a_collector_and_without_the_extra_it_says_what_to_install() -> None:
    run = program({"OTEL_EXPORTER_OTLP_ENDPOINT": "http://127.0.0.1:9"}, "opentelemetry")

    assert run.returncode == 1
    assert "install the extra `otel`" in run.stderr


def test_the_error_names_what_is_missing() -> None:
    assert "opentelemetry.sdk is not installed" in str(NoOpenTelemetry("opentelemetry.sdk"))


@pytest.mark.timeout(30)
async def test_a_part_of_the_installation_is_a_service_by_its_name() -> None:
    with collecting() as collector:
        environ = {"OTEL_EXPORTER_OTLP_ENDPOINT": collector.endpoint}
        settings: Settings = load(None, environ).model_copy(update={"name": "ours"})
        async with tracing(settings, service="gateway"):
            with span("accept", delivery_id="d-7"):
                pass
        with span("later"):
            pass

        assert [(seen.service, seen.name) for seen in collector.spans] == [
            ("ours-gateway", "accept")
        ]
