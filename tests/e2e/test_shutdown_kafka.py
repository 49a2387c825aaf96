"""SIGTERM while Apache Kafka hangs: its client waits for goodbyes in a thread, and we don't."""

import os
import signal
import subprocess
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest

from tests.fixtures.ledger import outside
from tests.fixtures.site import Site, site_environ, terminate, until
from tests.fixtures.slow_site import (
    deliveries,
    is_begun,
    send,
    start_worker,
    with_slow_component,
)

pytestmark = [
    pytest.mark.e2e,
    pytest.mark.long,
    pytest.mark.kafka,
    pytest.mark.redis,
    pytest.mark.timeout(300),
]

BROKER = Path(__file__).parents[2] / "tools" / "kafka" / "broker.sh"
BOUND_S = 1 + 10 + 5  # drain, what is promised, and some seconds for a busy machine


@pytest.fixture
def own_kafka(tmp_path: Path) -> Iterator[tuple[str, int]]:
    """Address and process of a broker of the test's own, to be frozen."""
    if "KAFKA_BOOTSTRAP_SERVERS" not in os.environ:  # noqa: TID251 - of the test run
        pytest.skip("runs where the tests run over Apache Kafka: KAFKA_BOOTSTRAP_SERVERS")
    folder = tmp_path / "kafka"
    subprocess.run(["bash", BROKER, "start", folder], check=True)
    pid = int((folder / "pid").read_text())
    yield (folder / "address").read_text().strip(), pid
    with suppress(ProcessLookupError):
        os.kill(pid, signal.SIGCONT)
    subprocess.run(["bash", BROKER, "kill", folder], check=True)


@pytest.fixture
def own_site(tmp_path: Path, own_kafka: tuple[str, int], redis_url: str) -> Iterator[Site]:
    environ = site_environ(
        KAFKA_BOOTSTRAP_SERVERS=own_kafka[0],
        REDIS_URL=redis_url,
        REACTOR_REDIS_PREFIX=f"hangs-{own_kafka[1]}",
    )
    made = with_slow_component(Site(folder=tmp_path, environ=environ), drain_s=1)
    yield made
    made.stop()


async def test_a_worker_parts_from_a_broker_that_hangs(
    own_site: Site, own_kafka: tuple[str, int]
) -> None:
    async with outside(own_site) as seen, deliveries(own_site) as log:
        worker = start_worker(own_site)
        await until(lambda: own_site.is_ready("worker"), within_s=90)
        await send(log, "wait 60", "long")
        await until(lambda: is_begun(seen, "long"))
        os.kill(own_kafka[1], signal.SIGSTOP)

        terminate(worker)

        try:
            assert worker.wait(BOUND_S) == 0
        finally:
            os.kill(own_kafka[1], signal.SIGCONT)  # so that we ourselves get away
