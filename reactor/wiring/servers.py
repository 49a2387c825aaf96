"""`reactor up`: the servers and processes of one machine, as children of one parent.

What is given (KAFKA_BOOTSTRAP_SERVERS, REDIS_URL) is used; what is not is started, embedded, on a
free port of loopback.  Gateway, worker and console are the production commands, told by their
environment where everything is.
"""

import fcntl
import socket
import sys
from collections.abc import AsyncIterator, Callable, Iterator, Mapping
from contextlib import AsyncExitStack, asynccontextmanager, contextmanager
from dataclasses import dataclass
from pathlib import Path

from pydantic import SecretStr

from reactor.adapters import embedded_redis
from reactor.children import Child, Children, free_port
from reactor.errors import ReactorError
from reactor.settings import ConsoleSettings, Settings
from streams import embedded

_LOG_FOLDER = "logs"
_RESTORE_S = 300.0  # for the broker to begin, and to be given a large backlog again


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
        return {
            "KAFKA_BOOTSTRAP_SERVERS": self.bootstrap,
            "REDIS_URL": self.redis_url,
            "REACTOR_DATA": str(self.data.absolute()),
        }


class DataInUse(ReactorError):
    """Another `up` runs on this data folder: two servers on one set of files would ruin them."""

    def __init__(self, data: Path) -> None:
        super().__init__(data)
        self.data = data

    def __str__(self) -> str:
        return f"another `reactor up` runs on {self.data}: stop that one, or give another --data"


class CantListen(ReactorError):
    """The address of the gateway or of the console can't be taken."""

    def __init__(self, what: str, host: str, port: int, why: str) -> None:
        super().__init__(what, host, port, why)
        self.what, self.host, self.port, self.why = what, host, port, why

    def __str__(self) -> str:
        option = "--port" if self.what == "gateway" else "--console-port"
        return (
            f"the {self.what} can't listen on {self.host}:{self.port} ({self.why});"
            f" stop what does, or choose another {option}"
        )


class UnusableData(ReactorError):
    """The data folder can't be made or written to."""

    def __init__(self, data: Path, why: str) -> None:
        super().__init__(data, why)
        self.data, self.why = data, why

    def __str__(self) -> str:
        return f"the data folder {self.data} can't be used ({self.why}); give another --data"


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
    on_gone: Callable[[Path], None] = lambda _data: None  # before they are not, if they were


@asynccontextmanager
async def running(up: Up) -> AsyncIterator[tuple[Place, Children]]:
    """Start the servers, then all that uses them at once; stop it in reverse at the end.

    Raises `UnusableData`, `DataInUse`, `CantListen`, `NoEmbeddedBroker`, `NoRedisServer`,
    `ChildFailed`; nothing is left behind.
    """
    children = Children(up.environ, on_event=up.on_event)
    with _only_one(up.data):
        async with _started(up, children) as place:
            yield place, children


@contextmanager
def _only_one(data: Path) -> Iterator[None]:
    """Hold the folder for ourselves, for as long as we live."""
    try:
        (data / _LOG_FOLDER).mkdir(parents=True, exist_ok=True)
        lock = (data / "lock").open("w")
    except OSError as error:
        raise UnusableData(data, error.strerror or str(error)) from None
    with lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            raise DataInUse(data) from None
        yield


def _check_free(what: str, host: str, port: int) -> None:
    """Raise `CantListen` where something else listens, before we start anything."""
    try:
        family, kind, protocol, _, address = socket.getaddrinfo(
            host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
        )[0]
        with socket.socket(family, kind, protocol) as probe:
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            probe.bind(address)
    except OSError as error:
        raise CantListen(what, host, port, error.strerror or str(error)) from None


def port_for_console(console: ConsoleSettings) -> int:
    """The port that was asked for; where none was, the usual one, or a free one if it is taken.

    Raises `CantListen`.
    """
    try:
        _check_free("console", console.host, console.port)
    except CantListen:
        if "port" in console.model_fields_set:
            raise
        return free_port()
    return console.port or free_port()


@asynccontextmanager
async def _started(up: Up, children: Children) -> AsyncIterator[Place]:
    gateway, shown = up.settings.gateway, up.settings.console
    _check_free("gateway", gateway.host, gateway.port)
    console_port = port_for_console(shown) if up.has_console else 0
    async with AsyncExitStack() as stack:
        stack.push_async_callback(children.stop)
        redis_url = await _redis(up, children)
        bootstrap = await _broker(up, children, redis_url)
        port = gateway.port or free_port()
        place = Place(
            gateway=f"http://{_reachable(gateway.host)}:{port}",
            console=f"http://{_reachable(shown.host)}:{console_port}" if up.has_console else None,
            bootstrap=bootstrap,
            redis_url=redis_url,
            data=up.data,
        )
        stack.callback(up.on_gone, up.data)
        up.on_place(place)
        workers = [_worker(up, place, number) for number in range(1, up.workers + 1)]
        console = [_console(up, place, console_port)] if place.console else []
        await children.start_all([_gateway(up, place, port), *workers, *console])
        yield place


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


async def _broker(up: Up, children: Children, redis_url: str) -> str:
    if up.settings.kafka.bootstrap_servers is not None:
        return up.settings.kafka.bootstrap_servers
    from reactor.wiring.shelf import Restoring

    broker, port = embedded.find_broker(), free_port()
    bootstrap = embedded.bootstrap(port)
    restoring = Restoring(_with_servers(up.settings, bootstrap, redis_url))

    async def is_ready() -> bool:
        """It forgets everything when it ends, so it is ready once it has that back."""
        return await embedded.is_ready(port) and await restoring.is_done()

    await children.start(
        Child(
            name="broker",
            argv=embedded.argv(broker, port=port),
            is_ready=is_ready,
            log=up.data / _LOG_FOLDER / "broker.log",
            start_timeout_s=_RESTORE_S,
        )
    )
    return bootstrap


def _with_servers(settings: Settings, bootstrap: str, redis_url: str) -> Settings:
    kafka = settings.kafka.model_copy(update={"bootstrap_servers": bootstrap})
    redis = settings.redis.model_copy(update={"url": SecretStr(redis_url)})
    return settings.model_copy(update={"kafka": kafka, "redis": redis})


def _gateway(up: Up, place: Place, port: int) -> Child:
    host = up.settings.gateway.host

    async def is_ready() -> bool:
        return await _answers(f"{place.gateway}/readyz")

    return Child(
        name="gateway",
        argv=_command(up, "gateway", "--host", host, "--port", str(port)),
        is_ready=is_ready,
        environ={**_spool(up), **place.environ},
        log=up.data / _LOG_FOLDER / "gateway.log" if up.quiet else None,
        restart_with=frozenset({"broker"}),  # its records and our offsets are gone with it
    )


def _spool(up: Up) -> dict[str, str]:
    """A folder for what the broker does not take, where the settings name none."""
    return {} if up.settings.gateway.spool else {"REACTOR_SPOOL": str(up.data / "spool")}


def _probes(up: Up) -> dict[str, str]:
    """A free port for a worker's probes and metrics, where it can't have the one that is set."""
    is_its_own = up.workers == 1 and up.settings.worker.http_port is not None
    return {} if is_its_own else {"REACTOR_WORKER_HTTP_PORT": "0"}


def _worker(up: Up, place: Place, number: int) -> Child:
    name = "worker" if up.workers == 1 else f"worker-{number}"
    ready_file = up.data / f"{name}.ready"

    async def is_ready() -> bool:
        return ready_file.exists()

    return Child(
        name=name,
        argv=_command(up, "worker", "--name", name, "--ready-file", str(ready_file)),
        is_ready=is_ready,
        environ={**_probes(up), **place.environ},
        log=up.data / _LOG_FOLDER / f"{name}.log" if up.quiet else None,
        grace_s=up.settings.worker.drain_s + 3,  # all of `up` has to end within ten seconds
        start_timeout_s=60,
        ready_file=ready_file,
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
