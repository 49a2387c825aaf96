"""Processors in processes of their own: told to stop, killed, sharing the work."""

import asyncio
import json
import signal
import sys
from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import suppress
from dataclasses import asdict
from pathlib import Path

import pytest

from reactor.delivery import Delivery
from streams.codec import DeliveryCodec
from streams.host import HostSettings
from streams.producer import KafkaDeliveryLog
from streams.writer import KafkaWriter

NewTopic = Callable[..., Awaitable[str]]
MakeDelivery = Callable[..., Delivery]
Until = Callable[[Callable[[], bool]], Awaitable[None]]

pytestmark = [pytest.mark.kafka, pytest.mark.timeout(120)]

_SCRIPT = Path(__file__).with_name("settling_process.py")
_ROOT = Path(__file__).parents[2]


class Processes:
    """Processors of one group, and what they wrote down."""

    def __init__(self, folder: Path, host: HostSettings, *, dead_topic: str) -> None:
        self._folder = folder
        self._arguments = [json.dumps(asdict(host)), dead_topic, str(folder)]
        self._log = folder / "log"
        self._started: list[asyncio.subprocess.Process] = []

    async def start(self) -> asyncio.subprocess.Process:
        process = await asyncio.create_subprocess_exec(
            sys.executable, str(_SCRIPT), *self._arguments, cwd=_ROOT, env={"PYTHONPATH": "."}
        )
        self._started.append(process)
        return process

    async def end(self) -> None:
        for process in self._started:
            with suppress(ProcessLookupError):
                process.kill()
            await process.wait()

    def open_gate(self) -> None:
        (self._folder / "gate").touch()

    def lines(self) -> list[list[str]]:
        text = self._log.read_text() if self._log.exists() else ""
        return [line.split() for line in text.splitlines()]

    def noted(self, what: str) -> list[str]:
        """The ids that were begun or settled, in order, repeats included."""
        return [line[2] for line in self.lines() if line[1] == what]

    def by(self, process: asyncio.subprocess.Process) -> int:
        """How many deliveries that process has settled."""
        return sum(line[:2] == [str(process.pid), "settled"] for line in self.lines())


@pytest.fixture
async def log(writer: KafkaWriter, codec: DeliveryCodec, new_topic: NewTopic) -> KafkaDeliveryLog:
    return KafkaDeliveryLog(writer, codec, topic=await new_topic(partitions=4))


@pytest.fixture
async def processes(
    host: HostSettings, new_topic: NewTopic, tmp_path: Path
) -> AsyncIterator[Processes]:
    processes = Processes(tmp_path, host, dead_topic=await new_topic("dead"))
    yield processes
    await processes.end()


async def test_sigterm_lets_what_runs_finish_commits_it_and_exits_cleanly(
    log: KafkaDeliveryLog, processes: Processes, make_delivery: MakeDelivery, until: Until
) -> None:
    await log.append(make_delivery("slow", number=1))
    await log.append(make_delivery("follower", number=1))
    first = await processes.start()
    await until(lambda: processes.noted("begun") == ["slow"])

    first.send_signal(signal.SIGTERM)
    processes.open_gate()
    assert await first.wait() == 0

    settled = processes.noted("settled")
    assert "slow" in settled
    await log.append(make_delivery("later", number=2))
    await processes.start()
    await until(lambda: set(processes.noted("settled")) == {"slow", "follower", "later"})
    assert Counter(processes.noted("begun")) == {"slow": 1, "follower": 1, "later": 1}


async def test_a_processor_that_was_killed_loses_nothing(
    log: KafkaDeliveryLog, processes: Processes, make_delivery: MakeDelivery, until: Until
) -> None:
    ids = [f"d-{n}" for n in range(400)]
    first = await processes.start()
    await log.append(make_delivery("hangs", number=1))
    for n, id in enumerate(ids[:200]):
        await log.append(make_delivery(id, number=2 + n % 50))
    await until(lambda: len(processes.noted("settled")) > 50)

    first.kill()
    await first.wait()
    assert "hangs" not in processes.noted("settled")
    for n, id in enumerate(ids[200:]):
        await log.append(make_delivery(id, number=2 + n % 50))
    processes.open_gate()
    await processes.start()

    await until(lambda: set(processes.noted("settled")) == {*ids, "hangs"})


async def test_two_processors_share_the_work_and_killing_one_loses_nothing(
    log: KafkaDeliveryLog, processes: Processes, make_delivery: MakeDelivery, until: Until
) -> None:
    ids: list[str] = []
    stop = asyncio.Event()

    async def write() -> None:
        while not stop.is_set():
            ids.append(f"d-{len(ids)}")
            await log.append(make_delivery(ids[-1], number=2 + len(ids) % 50))
            await asyncio.sleep(0.002)  # a steady stream, not a flood

    async with asyncio.TaskGroup() as group:
        group.create_task(write())
        first, second = await processes.start(), await processes.start()
        await until(lambda: processes.by(first) > 50 and processes.by(second) > 50)
        first.kill()
        before = processes.by(second)
        await until(lambda: processes.by(second) > before + 50)
        stop.set()

    await until(lambda: set(processes.noted("settled")) == set(ids))
