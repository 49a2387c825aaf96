"""tools/kafka/broker.sh: Apache Kafka without Docker, and clear words where something is missing."""

import os
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from streams.reader import open_reader
from streams.record import Outgoing
from streams.topics import TopicSpec, ensure_topics
from streams.writer import KafkaWriter

SCRIPT = Path(__file__).parents[2] / "tools" / "kafka" / "broker.sh"


def broker(verb: str, folder: Path, **environ: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        ["bash", str(SCRIPT), verb, str(folder)],
        capture_output=True,
        text=True,
        env={**os.environ, **environ},  # noqa: TID251 - a script of its own
        check=False,
    )


def command(folder: Path, name: str, script: str) -> Path:
    """A command of that name which does as the script says."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / name).write_text(f"#!/bin/sh\n{script}\n")
    (folder / name).chmod(0o755)
    return folder


def test_a_missing_java_is_told_with_what_to_install(tmp_path: Path) -> None:
    done = broker("start", tmp_path / "kafka", JAVA_HOME="/nowhere")

    assert done.returncode == 1
    assert "there is no /nowhere/bin/java; install Java 17 or newer" in done.stderr


def test_a_java_that_is_too_old_is_told(tmp_path: Path) -> None:
    command(tmp_path / "java" / "bin", "java", "echo 'openjdk version \"11.0.2\" 2019-01-15' >&2")

    done = broker("start", tmp_path / "kafka", JAVA_HOME=str(tmp_path / "java"))

    assert done.returncode == 1
    assert "is Java 11; Apache Kafka needs 17 or newer" in done.stderr


def test_a_maven_that_reaches_nobody_is_told_and_leaves_no_half_cache(tmp_path: Path) -> None:
    command(tmp_path / "java" / "bin", "java", "echo 'openjdk version \"21\" 2023-09-19' >&2")
    tools = command(tmp_path / "bin", "mvn", "echo 'Unknown host: somewhere'; exit 1")
    path = f"{tools}:{os.environ['PATH']}"  # noqa: TID251 - as above

    done = broker(
        "start",
        tmp_path / "kafka",
        JAVA_HOME=str(tmp_path / "java"),
        REACTOR_KAFKA_CACHE=str(tmp_path / "cache"),
        PATH=path,
    )

    assert done.returncode == 1
    assert "Maven could not fetch Apache Kafka" in done.stderr
    assert "Unknown host: somewhere" in done.stderr
    assert list((tmp_path / "cache").iterdir()) == []


def test_a_folder_that_is_not_there_can_not_be_stopped(tmp_path: Path) -> None:
    done = broker("stop", tmp_path / "nothing")

    assert done.returncode == 1
    assert "there is no folder" in done.stderr


@pytest.fixture
def folder(tmp_path: Path) -> Iterator[Path]:
    if "KAFKA_BOOTSTRAP_SERVERS" not in os.environ:  # noqa: TID251 - of the test run
        pytest.skip("this runs where Apache Kafka is tested")
    yield tmp_path / "kafka"
    broker("kill", tmp_path / "kafka")


@pytest.mark.kafka
@pytest.mark.long
@pytest.mark.timeout(400)
@pytest.mark.parametrize("verb", ["stop", "kill"])
async def test_what_was_written_is_there_again_at_the_same_address(folder: Path, verb: str) -> None:
    assert broker("start", folder).returncode == 0
    address = (folder / "address").read_text().strip()
    await ensure_topics(address, [TopicSpec(name="t", partitions=1)])
    writer = KafkaWriter(address, timeout_s=20)
    await writer.write("t", Outgoing(key=b"k", value=b"kept"))
    await writer.stop()

    broker(verb, folder)
    assert not (folder / "pid").exists()
    assert broker("start", folder).returncode == 0

    assert (folder / "address").read_text().strip() == address
    async with open_reader(address) as reader:
        assert [record.value for record in await reader.read_all("t")] == [b"kept"]
