"""The ordered acknowledgement has teeth: without it, a kill loses what was still being done.

One record is slow, those behind it are settled; then the reader is killed.  There is no guard
behind this one: what is not read again is lost.
"""

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from reactor.payload import parse
from reactor.settings import Settings
from reactor.topic import Topics
from streams.codec import DeliveryCodec
from streams.packing import Packing
from streams.producer import KafkaDeliveryLog
from streams.topics import TopicSpec, ensure_topics
from streams.writer import KafkaWriter
from tests.chaos.teeth.deliveries import delivery
from tests.fixtures.site import until

pytestmark = [pytest.mark.kafka, pytest.mark.timeout(180)]

ROOT = Path(__file__).parents[3]
BEHIND = [f"d-{number}" for number in range(5)]


class Readers:
    """Processes that read one topic in one group, one after the other."""

    def __init__(self, settings: Settings, folder: Path, session_s: float) -> None:
        self._settings, self._folder, self._session_s = settings, folder, session_s
        self._running: list[subprocess.Popen[bytes]] = []

    @property
    def settled(self) -> set[str]:
        """Ids."""
        return set(self._words("settled"))

    def has_committed(self, offset: int) -> bool:
        """Whether a hasty acknowledgement has reached it."""
        return str(offset) in self._words("committed")

    def _words(self, file: str) -> list[str]:
        log = self._folder / file
        return log.read_text().split() if log.exists() else []

    def open_gate(self) -> None:
        """From now on the slow one can be settled."""
        (self._folder / "gate").touch()

    def start(self, manner: str) -> None:
        kafka = self._settings.kafka
        words = (kafka.bootstrap_servers or "", kafka.prefix, self._folder, self._session_s, manner)
        command = [sys.executable, "-m", "tests.chaos.teeth.reader_process", *map(str, words)]
        self._running.append(subprocess.Popen(command, cwd=ROOT))

    def kill(self) -> None:
        for process in self._running:
            process.kill()
            process.wait()
        self._running.clear()


@pytest.fixture
def readers(settings: Settings, tmp_path: Path, session_s: float) -> Iterator[Readers]:
    made = Readers(settings, tmp_path, session_s)
    yield made
    made.kill()


async def write(settings: Settings, ids: list[str]) -> None:
    """Each of a subject of its own, all in one partition."""
    bootstrap, topics = settings.kafka.bootstrap_servers or "", Topics(settings.kafka.prefix)
    specs = [
        TopicSpec(name=n, partitions=1, retention=None) for n in (topics.deliveries, topics.dead)
    ]
    await ensure_topics(bootstrap, specs)
    writer = KafkaWriter(bootstrap, timeout_s=15)
    await writer.start()
    codec = DeliveryCodec(parse=parse, packing=Packing(None))
    log = KafkaDeliveryLog(writer, codec, topic=topics.deliveries)
    for number, id in enumerate(ids):
        await log.append(delivery(id, number=number))
    await writer.stop()


async def settled_after_a_kill(readers: Readers, settings: Settings, manner: str) -> set[str]:
    """What was settled in the end, by the one that was killed and the one after it."""
    await write(settings, ["slow", *BEHIND])
    readers.start(manner)
    await until(lambda: readers.settled == set(BEHIND), within_s=60)
    if manner == "hasty":
        await until(lambda: readers.has_committed(1 + len(BEHIND)), within_s=60)
    readers.kill()

    readers.open_gate()
    await write(settings, ["last"])
    readers.start(manner)
    await until(lambda: "last" in readers.settled, within_s=90)
    return readers.settled


async def test_in_order_nothing_is_lost(readers: Readers, settings: Settings) -> None:
    assert await settled_after_a_kill(readers, settings, "in_order") == {"slow", *BEHIND, "last"}


async def test_a_hasty_acknowledgement_loses_what_was_being_done(
    readers: Readers, settings: Settings
) -> None:
    assert await settled_after_a_kill(readers, settings, "hasty") == {*BEHIND, "last"}
