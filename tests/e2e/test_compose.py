"""Each service of docker-compose.yml, started as the file says, answers its own health check."""

import re
import shlex
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from ruamel.yaml import YAML

from reactor.children import free_port
from tests.fixtures.site import Site, until

pytestmark = [
    pytest.mark.e2e,
    pytest.mark.long,
    pytest.mark.kafka,
    pytest.mark.redis,
    pytest.mark.timeout(180),
]

FILE = Path(__file__).parents[2] / "docker-compose.yml"


@pytest.mark.parametrize("name", ["gateway", "worker", "console"])
async def test_a_service_becomes_healthy(site: Site, name: str) -> None:
    services: dict[str, dict[str, Any]] = YAML(typ="safe", pure=True).load(FILE)["services"]
    service, port = services[name], str(free_port())
    listens = re.search(r"--port (\d+)", service["command"])
    listened = listens[1] if listens else service["environment"]["REACTOR_WORKER_HTTP_PORT"]
    fits = {
        "REACTOR_WORKER_HTTP_PORT": port,
        "REACTOR_SPOOL": str(site.folder / "spool"),
        "LOG_LEVEL": "info",
        "REACTOR_TOKEN": "a long random word",
    }
    site.environ = {
        **site.environ,
        **{key: fits[key] for key in service["environment"] if key in fits},
        "REACTOR_KAFKA_PARTITIONS": service["environment"]["REACTOR_KAFKA_PARTITIONS"],
    }

    site.start(name, *shlex.split(service["command"].replace(listened, port)))

    _, *probe = service["healthcheck"]["test"]  # CMD
    probe = [sys.executable, *(word.replace(listened, port) for word in probe[1:])]
    await until(
        lambda: subprocess.run(probe, stderr=subprocess.DEVNULL).returncode == 0, within_s=90
    )
