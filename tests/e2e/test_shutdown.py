"""SIGTERM: work is finished or handed back within a bound, whatever hangs, and the exit code is 0."""

import signal
import subprocess
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import pytest

from reactor.adapters import embedded_redis
from reactor.children import free_port
from streams import embedded
from tests.fixtures.ledger import outside
from tests.fixtures.plugins import install_package
from tests.fixtures.site import Site, answers, site_environ, terminate, until
from tests.fixtures.slow_site import (
    deliveries,
    is_begun,
    is_finished,
    send,
    start_worker,
    with_slow_component,
)

pytestmark = [
    pytest.mark.e2e,
    pytest.mark.long,
    pytest.mark.kafka,
    pytest.mark.redis,
    pytest.mark.timeout(180),
]

DRAIN_S = 1.0
BOUND_S = DRAIN_S + 10 + 5  # what is promised, and some seconds for a busy machine

BLOCKING = """
    import time

    from reactor import action, component
    from reactor.github import Issue

    @component
    class Blocking:
        @action(value=0.9)
        async def block(self, issue: Issue) -> str:
            "What no async action may do."
            time.sleep(600)
            return "never"

    COMPONENTS = (Blocking,)
"""


@dataclass(frozen=True)
class Servers:
    """A broker and a Redis of the test's own, to be frozen and killed."""

    broker: subprocess.Popen[bytes]
    redis: subprocess.Popen[bytes]
    environ: dict[str, str]  # what leads to them

    def named(self, name: str) -> subprocess.Popen[bytes]:
        return self.broker if name == "kafka" else self.redis


@pytest.fixture
def servers(tmp_path: Path) -> Iterator[Servers]:
    broker_port, redis_port = free_port(), free_port()
    folder = tmp_path / "redis"
    folder.mkdir()
    commands = (
        embedded.argv(embedded.find_broker(), port=broker_port),
        embedded_redis.argv(embedded_redis.find_server(), port=redis_port, folder=folder),
    )
    broker, redis = (subprocess.Popen(each, stdout=subprocess.DEVNULL) for each in commands)
    yield Servers(
        broker=broker,
        redis=redis,
        environ={
            "KAFKA_BOOTSTRAP_SERVERS": embedded.bootstrap(broker_port),
            "REDIS_URL": embedded_redis.url(redis_port),
            "REACTOR_KAFKA_SESSION_TIMEOUT_S": "2",
        },
    )
    for process in (broker, redis):
        with suppress(ProcessLookupError):
            process.kill()
        process.wait()


@pytest.fixture
def slow_site(site: Site) -> Site:
    """On the servers of the test run: Apache Kafka, where one is given."""
    return with_slow_component(site, drain_s=DRAIN_S)


@pytest.fixture
def own_site(tmp_path: Path, servers: Servers) -> Iterator[Site]:
    """A site over servers of its own."""
    made = with_slow_component(Site(folder=tmp_path, environ=site_environ(**servers.environ)))
    yield made
    made.stop()


async def joined(site: Site) -> subprocess.Popen[bytes]:
    worker = start_worker(site)
    await until(lambda: site.is_ready("worker"), within_s=60)
    return worker


async def test_what_is_nearly_done_is_finished_before_the_end(slow_site: Site) -> None:
    async with outside(slow_site) as seen, deliveries(slow_site) as log:
        worker = await joined(slow_site)
        await send(log, "wait 0.5", "short")
        await until(lambda: is_begun(seen, "short"))

        terminate(worker)

        assert worker.wait(BOUND_S) == 0
        assert await is_finished(seen, "short")


@pytest.mark.parametrize("how", ["wait", "hang"])  # a task, or a thread that nobody can stop
async def test_what_takes_longer_is_handed_back_and_finished_by_the_next(
    slow_site: Site, how: str
) -> None:
    async with outside(slow_site) as seen, deliveries(slow_site) as log:
        worker = await joined(slow_site)
        await send(log, f"{how} 6", "long")
        await until(lambda: is_begun(seen, "long"))

        terminate(worker)

        assert worker.wait(BOUND_S) == 0
        assert not await is_finished(seen, "long")
        start_worker(slow_site, "next")
        await until(lambda: is_finished(seen, "long"), within_s=60)
        assert await seen.records(seen.topics.dead) == []


async def test_a_second_sigterm_changes_nothing(slow_site: Site) -> None:
    async with outside(slow_site) as seen, deliveries(slow_site) as log:
        worker = await joined(slow_site)
        await send(log, "wait 0.7", "short")
        await until(lambda: is_begun(seen, "short"))

        terminate(worker)
        terminate(worker)

        assert worker.wait(BOUND_S) == 0
        assert await is_finished(seen, "short")


@pytest.mark.parametrize("server", ["kafka", "redis"])
@pytest.mark.parametrize("trouble", [signal.SIGSTOP, signal.SIGKILL], ids=["hangs", "gone"])
async def test_a_server_in_trouble_does_not_keep_a_worker_from_ending(
    own_site: Site, servers: Servers, server: str, trouble: signal.Signals
) -> None:
    async with outside(own_site) as seen, deliveries(own_site) as log:
        worker = await joined(own_site)
        await send(log, "wait 30", "long")
        await until(lambda: is_begun(seen, "long"))
        servers.named(server).send_signal(trouble)

        terminate(worker)

        assert worker.wait(BOUND_S) == 0


@pytest.mark.parametrize("server", ["kafka", "redis"])
async def test_a_worker_that_waits_for_a_server_since_its_start_ends_when_told(
    own_site: Site, servers: Servers, server: str
) -> None:
    servers.named(server).send_signal(signal.SIGSTOP)
    worker = start_worker(own_site)
    await until(lambda: is_heeding(worker), within_s=60)

    terminate(worker)

    assert worker.wait(BOUND_S) == 0


async def test_a_worker_that_is_only_joining_ends_when_told(slow_site: Site) -> None:
    worker = start_worker(slow_site)
    await until(lambda: is_heeding(worker), within_s=60)

    terminate(worker)

    assert worker.wait(BOUND_S) == 0


async def test_a_loop_that_is_blocked_does_not_keep_a_worker_from_ending(site: Site) -> None:
    blocked = with_slow_component(site, drain_s=DRAIN_S)
    install_package(site.folder / "packages", "blocking", BLOCKING)
    config = site.folder / "reactor.yaml"
    config.write_text(config.read_text().replace('"slow"', '"blocking"'))
    async with outside(blocked) as seen, deliveries(blocked) as log:
        worker = await joined(blocked)
        await send(log, "whatever", "blocks")
        await until(lambda: is_begun(seen, "blocks"))

        terminate(worker)

        # 0 where the guard of the loop has interrupted it before, 1 where it was cut off
        assert worker.wait(BOUND_S) in (0, 1)
        assert "blocking" in blocked.log("worker")


async def test_a_gateway_ends_when_told_also_while_the_broker_hangs(
    own_site: Site, servers: Servers
) -> None:
    gateway = own_site.start_gateway("--config", str(own_site.folder / "reactor.yaml"))
    await until(lambda: answers(f"{own_site.url}/readyz"), within_s=60)
    servers.broker.send_signal(signal.SIGSTOP)

    terminate(gateway)

    assert gateway.wait(BOUND_S) in (0, -signal.SIGTERM)


def is_heeding(process: subprocess.Popen[bytes]) -> bool:
    """Whether it has a handler of its own for SIGTERM, as Linux tells it."""
    for line in Path(f"/proc/{process.pid}/status").read_text().splitlines():
        if line.startswith("SigCgt:"):
            return bool(int(line.split()[1], 16) >> (signal.SIGTERM - 1) & 1)
    return False
