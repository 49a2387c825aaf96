"""The whole installation: Kafka, Redis, sink, gateway and workers, with a wire between each two.

    gateway, each worker --wire--> Kafka     (a listener of its own, advertised as the wire's port)
    gateway, each worker --wire--> Redis
    each worker          --wire--> the sink

The suite itself speaks to Kafka and Redis directly.
"""

import asyncio
import json
import shutil
import sys
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path

from reactor.adapters import embedded_redis
from reactor.children import free_port
from tests.chaos.actors import Actor, supervise
from tests.chaos.packages import wish
from tests.chaos.proxy import Wire
from tests.fixtures.site import answers, site_environ, until

ROOT = Path(__file__).parents[2]
BROKER = ROOT / "tools" / "kafka" / "broker.sh"
REACTIONS = ("wishes", "notes")

LEASE_S = 4.0
SESSION_S = 6.0
_START_S = 120.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Size:
    """How much of what takes part."""

    workers: int = 3
    partitions: int = 6
    unruly: float = 0.08  # the share of the sink's bad answers
    seed: int = 1


@dataclass(slots=True, kw_only=True)
class Field:
    """Everything that runs."""

    folder: Path
    size: Size
    kafka_port: int
    redis_port: int
    gateway_port: int
    actors: dict[str, Actor] = field(default_factory=dict)
    wires: dict[str, Wire] = field(default_factory=dict)

    @property
    def bootstrap(self) -> str:
        """Kafka, for the suite itself."""
        return f"127.0.0.1:{self.kafka_port}"

    @property
    def redis_url(self) -> str:
        """Redis, for the suite itself."""
        return f"redis://127.0.0.1:{self.redis_port}/0"

    @property
    def url(self) -> str:
        """The gateway."""
        return f"http://127.0.0.1:{self.gateway_port}"

    @property
    def workers(self) -> list[str]:
        """Names."""
        return [f"worker-{number}" for number in range(1, self.size.workers + 1)]

    @property
    def logs(self) -> list[Path]:
        """Of gateway and workers, one for each life."""
        return [
            log
            for name in ("gateway", *self.workers)
            for log in sorted((self.folder / "logs").glob(f"{name}.*.log"))
        ]

    async def kafka(self, verb: str) -> None:
        """`start`, `stop` or `kill` the broker; on the same data and ports."""
        await _run("bash", str(BROKER), verb, str(self.folder / "kafka"))

    async def start_redis(self) -> None:
        """Start it, or start it again; returns when it answers."""
        self.actors["redis"].start()
        await until(lambda: embedded_redis.is_ready(self.redis_port), within_s=_START_S)

    async def ready(self, name: str) -> None:
        """Return when a gateway or worker does its work."""
        if name == "gateway":
            await until(lambda: answers(f"{self.url}/readyz"), within_s=_START_S, every_s=0.2)
        else:
            mark = self.folder / f"{name}.ready"
            await until(mark.exists, within_s=_START_S, every_s=0.2)

    def environ(self, name: str) -> dict[str, str]:
        """Of one process: its own wires to the servers."""
        return site_environ(
            KAFKA_BOOTSTRAP_SERVERS=f"127.0.0.1:{self.wires[f'{name}-kafka'].port}",
            REDIS_URL=f"redis://127.0.0.1:{self.wires[f'{name}-redis'].port}/0",
            PYTHONPATH=f"{self.folder / 'packages'}:{ROOT}",
        )


@asynccontextmanager
async def running(folder: Path, size: Size) -> AsyncIterator[Field]:
    """Start everything; end everything, whatever happens."""
    made = Field(
        folder=folder,
        size=size,
        kafka_port=free_port(),
        redis_port=free_port(),
        gateway_port=free_port(),
    )
    async with AsyncExitStack() as stack:
        sink_port = free_port()
        await _make_wires(made, sink_port, stack)
        _install_packages(folder / "packages")
        stack.callback(_kill_all, made)
        stack.push_async_callback(made.kafka, "kill")
        _make_actors(made, sink_port)
        await _start_kafka(made)
        await made.start_redis()
        for name in ("sink", "gateway", *made.workers):
            made.actors[name].start()
        for name in ("gateway", *made.workers):
            await made.ready(name)
        supervising = asyncio.create_task(supervise(list(made.actors.values())))
        stack.callback(supervising.cancel)
        yield made


def _kill_all(made: Field) -> None:
    for actor in made.actors.values():
        actor.kill()


async def _make_wires(made: Field, sink_port: int, stack: AsyncExitStack) -> None:
    for name in ("gateway", *made.workers):
        targets = {"kafka": free_port(), "redis": made.redis_port, "sink": sink_port}
        for server, target in targets.items():
            if (name, server) == ("gateway", "sink"):
                continue
            wire = Wire(f"{name}-{server}", port=0, target=target)
            made.wires[wire.name] = await stack.enter_async_context(wire)


async def _start_kafka(made: Field) -> None:
    """With a listener for each wire, since clients go where a broker says that it is."""
    kafka = made.folder / "kafka"
    kafka.mkdir(parents=True)
    controller = free_port()
    (kafka / "ports").write_text(f"{made.kafka_port} {controller}\n")
    wires = [wire for name, wire in made.wires.items() if name.endswith("-kafka")]
    names = {wire: wire.name.upper().replace("-", "") for wire in wires}
    own = f"PLAINTEXT://127.0.0.1:{made.kafka_port}"
    listeners = [f"{name}://127.0.0.1:{wire.target}" for wire, name in names.items()]
    advertised = [f"{name}://127.0.0.1:{wire.port}" for wire, name in names.items()]
    protocols = [f"{name}:PLAINTEXT" for name in (*names.values(), "PLAINTEXT", "CONTROLLER")]
    properties = {
        "listeners": ",".join([own, f"CONTROLLER://127.0.0.1:{controller}", *listeners]),
        "advertised.listeners": ",".join([own, *advertised]),
        "listener.security.protocol.map": ",".join(protocols),
        "inter.broker.listener.name": "PLAINTEXT",
    }
    lines = [f"{name}={value}" for name, value in properties.items()]
    (kafka / "extra.properties").write_text("\n".join(lines) + "\n")
    await made.kafka("start")


def _make_actors(made: Field, sink_port: int) -> None:
    folder, seed = made.folder, made.size.seed

    def add(name: str, argv: list[str], environ: dict[str, str]) -> None:
        made.actors[name] = Actor(
            name=name, argv=argv, environ=environ, logs=folder / "logs", cwd=folder
        )

    (folder / "redis").mkdir()
    (folder / "logs").mkdir()
    server = Path(shutil.which("redis-server") or embedded_redis.find_server())
    redis = embedded_redis.argv(server, port=made.redis_port, folder=folder / "redis")
    add("redis", redis, site_environ())
    words = [str(sink_port), str(folder / "sink.jsonl"), str(seed), str(made.size.unruly)]
    add(
        "sink",
        [sys.executable, "-m", "tests.chaos.sink", *words],
        site_environ(PYTHONPATH=str(ROOT)),
    )
    add(
        "gateway",
        _reactor(made, "gateway", "--port", str(made.gateway_port)),
        made.environ("gateway"),
    )
    for name in made.workers:
        ready = str(folder / f"{name}.ready")
        argv = _reactor(made, name, "--name", name, "--ready-file", ready)
        add(name, argv, made.environ(name))


def _reactor(made: Field, name: str, *words: str) -> list[str]:
    command = "gateway" if name == "gateway" else "worker"
    config = made.folder / f"{name}.yaml"
    config.write_text(json.dumps(_settings(made, name)))
    return [sys.executable, "-m", "reactor", command, *words, "--config", str(config)]


def _settings(made: Field, name: str) -> dict[str, object]:
    wire = made.wires.get(f"{name}-sink")
    place = wish.PlaceSettings(
        sink=f"http://127.0.0.1:{wire.port if wire else 0}",
        begun=made.folder / "begun.jsonl",
        worker=name,
    )
    return {
        "reactions": [
            {"name": each, "on": "issue_comment.created", "scope": each, "effects": "live"}
            for each in REACTIONS
        ],
        "repositories": {"*": {"without_file": "live"}},
        "worker": {"commit_every_tick": True, "lease_s": LEASE_S},
        "kafka": {"session_timeout_s": SESSION_S, "partitions": made.size.partitions},
        "gateway": {"spool": str(made.folder / "spool"), "produce_timeout_s": 2.0},
        "effects": {
            "attempts": 100,
            "per_event": 1_000,
            "per_day": 1_000_000,
            "per_subject": 1_000_000,
            "timeout_s": 8.0,
        },
        "components": {each: place.model_dump(mode="json") for each in REACTIONS},
        "log_level": "info",
    }


def _install_packages(folder: Path) -> None:
    """The two teams' packages, as an installer would leave them."""
    for name in REACTIONS:
        metadata = folder / f"chaos_{name}-1.0.dist-info"
        metadata.mkdir(parents=True)
        (metadata / "METADATA").write_text(
            f"Metadata-Version: 2.1\nName: chaos-{name}\nVersion: 1.0\n"
        )
        (metadata / "entry_points.txt").write_text(
            f"[reactor.components]\n{name} = tests.chaos.packages.{name}:COMPONENTS\n"
        )


async def _run(*words: str) -> None:
    process = await asyncio.create_subprocess_exec(
        *words, stdin=asyncio.subprocess.DEVNULL, stderr=asyncio.subprocess.PIPE
    )
    _, said = await process.communicate()
    if process.returncode:
        raise RuntimeError(f"{' '.join(words)}: {said.decode(errors='replace')}")
