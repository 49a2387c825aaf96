"""`reactor up`: the servers and processes of one machine, as children of one parent.

What is given (KAFKA_BOOTSTRAP_SERVERS, REDIS_URL) is used; what is not is started, embedded, on a
free port of loopback.  Gateway, worker and console are the production commands, told by their
environment where everything is.
"""

import sys
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

from reactor.adapters import embedded_redis
from reactor.children import Child, Children, free_port
from reactor.settings import Settings
from streams import embedded

_LOG_FOLDER = "logs"


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """Where everything is, once it runs."""

    gateway: str  # "http://127.0.0.1:8080"
    console: str | None  # the same form; None: it was not asked for
    bootstrap: str
    redis_url: str
    data: Path

    @property
    def environ(self) -> dict[str, str]:
        """What tells a command of ours to use these servers."""
        return {"KAFKA_BOOTSTRAP_SERVERS": self.bootstrap, "REDIS_URL": self.redis_url}


@dataclass(frozen=True, slots=True, kw_only=True)
class Up:
    """What `up` was asked for."""

    settings: Settings
    config: Path | None
    data: Path
    environ: Mapping[str, str]
    workers: int = 1
    has_console: bool = True
    quiet: bool = False  # the output of gateway, worker and console goes to files as well
    on_event: Callable[[str, str], None] = lambda _name, _what: None
    on_place: Callable[[Place], None] = lambda _place: None  # once the servers are there


@asynccontextmanager
async def running(up: Up) -> AsyncIterator[tuple[Place, Children]]:
    """Start the servers, then all that uses them at once; stop it in reverse at the end.

    Raises `NoEmbeddedBroker`, `NoRedisServer`, `ChildFailed`; nothing is left behind.
    """
    logs = up.data / _LOG_FOLDER
    logs.mkdir(parents=True, exist_ok=True)
    children = Children(up.environ, on_event=up.on_event)
    try:
        redis_url = await _redis(up, children)
        bootstrap = await _broker(up, children)
        gateway, shown = up.settings.gateway, up.settings.console
        port, console_port = gateway.port or free_port(), shown.port or free_port()
        place = Place(
            gateway=f"http://{_reachable(gateway.host)}:{port}",
            console=f"http://{_reachable(shown.host)}:{console_port}" if up.has_console else None,
            bootstrap=bootstrap,
            redis_url=redis_url,
            data=up.data,
        )
        up.on_place(place)
        workers = [_worker(up, place, number) for number in range(1, up.workers + 1)]
        console = [_console(up, place, console_port)] if place.console else []
        await children.start_all([_gateway(up, place, port), *workers, *console])
        yield place, children
    finally:
        await children.stop()


async def _redis(up: Up, children: Children) -> str:
    if up.settings.redis.url is not None:
        return up.settings.redis.url.get_secret_value()
    folder, port = up.data / "redis", free_port()
    folder.mkdir(parents=True, exist_ok=True)
    server = embedded_redis.find_server(up.environ.get("PATH"))
    await children.start(
        Child(
            name="redis",
            argv=embedded_redis.argv(server, port=port, folder=folder),
            is_ready=lambda: embedded_redis.is_ready(port),
            log=up.data / _LOG_FOLDER / "redis.log",
        )
    )
    return embedded_redis.url(port)


async def _broker(up: Up, children: Children) -> str:
    if up.settings.kafka.bootstrap_servers is not None:
        return up.settings.kafka.bootstrap_servers
    broker, port = embedded.find_broker(), free_port()
    await children.start(
        Child(
            name="broker",
            argv=embedded.argv(broker, port=port),
            is_ready=lambda: embedded.is_ready(port),
            log=up.data / _LOG_FOLDER / "broker.log",
        )
    )
    return embedded.bootstrap(port)


def _gateway(up: Up, place: Place, port: int) -> Child:
    host = up.settings.gateway.host

    async def is_ready() -> bool:
        return await _answers(f"{place.gateway}/readyz")

    return Child(
        name="gateway",
        argv=_command(up, "gateway", "--host", host, "--port", str(port)),
        is_ready=is_ready,
        environ=place.environ,
        log=up.data / _LOG_FOLDER / "gateway.log" if up.quiet else None,
        restart_with=frozenset({"broker"}),  # its records and our offsets are gone with it
    )


def _worker(up: Up, place: Place, number: int) -> Child:
    name = "worker" if up.workers == 1 else f"worker-{number}"
    ready_file = up.data / f"{name}.ready"
    ready_file.unlink(missing_ok=True)

    async def is_ready() -> bool:
        return ready_file.exists()

    return Child(
        name=name,
        argv=_command(up, "worker", "--name", name, "--ready-file", str(ready_file)),
        is_ready=is_ready,
        environ=place.environ,
        log=up.data / _LOG_FOLDER / f"{name}.log" if up.quiet else None,
        grace_s=up.settings.worker.drain_s + 4,
        start_timeout_s=60,
        restart_with=frozenset({"broker"}),
    )


def _console(up: Up, place: Place, port: int) -> Child:
    host = up.settings.console.host

    async def is_ready() -> bool:
        return await _answers(f"{place.console}/readyz")

    return Child(
        name="console",
        argv=_command(up, "console", "--host", host, "--port", str(port)),
        is_ready=is_ready,
        environ=place.environ,
        log=up.data / _LOG_FOLDER / "console.log" if up.quiet else None,
    )


def _command(up: Up, *words: str) -> list[str]:
    config = ["--config", str(up.config)] if up.config else []
    return [sys.executable, "-m", "reactor", *words, *config]


def _reachable(host: str) -> str:
    """The address under which we ourselves reach what listens on `host`."""
    if host in ("0.0.0.0", "::"):
        return "127.0.0.1"
    return f"[{host}]" if ":" in host else host


async def _answers(url: str) -> bool:
    import httpx

    try:
        async with httpx.AsyncClient(timeout=1) as client:
            return (await client.get(url)).status_code == 200
    except httpx.HTTPError:
        return False
