"""`reactor gateway`, `worker`, `console` and `up`: the processes that serve."""

import asyncio
import getpass
import os
import secrets
import signal
import socket
from collections.abc import Coroutine
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from reactor.cli.place import forget, tell

if TYPE_CHECKING:
    from reactor.settings import Settings
    from reactor.wiring.servers import Up

_LAST_PORT = 65_535

Host = Annotated[str | None, typer.Option(help="Address to listen on.")]
Port = Annotated[int | None, typer.Option(min=0, max=_LAST_PORT, help="Port to listen on.")]
Config = Annotated[
    Path | None,
    typer.Option("--config", "-c", help="Settings; default: config/reactor.yaml if it is there."),
]


def ready_settings(config: Path | None, **said: dict[str, object]) -> "Settings":
    """The settings, with what the command line says of each section; logging is set up by them.

    A value of None leaves the setting as it is.
    """
    from reactor import logs
    from reactor.censoring import known_secrets
    from reactor.settings import load

    settings = load(config, os.environ)
    sections = {
        name: getattr(settings, name).model_copy(
            update={setting: value for setting, value in values.items() if value is not None}
        )
        for name, values in said.items()
    }
    settings = settings.model_copy(update=sections)
    logs.configure(
        level=settings.log_level, style=settings.log_format, secrets=known_secrets(settings)
    )
    return settings


def owner_name(name: str) -> str:
    """Who holds leases: another one at each start, so that no two workers are taken for one.

    Host and process number are for people: in containers that share the name of their host every
    worker is process 1 there, and whoever has the owner's name has its leases.
    """
    return f"{socket.gethostname()}/{os.getpid()}-{secrets.token_hex(4)}/{name}"


def user_here() -> str:
    """Who has started us; in a container there may be a number without a name."""
    try:
        return getpass.getuser()
    except (KeyError, OSError):
        return f"user {os.getuid()}"


def run_serving(serving: Coroutine[object, object, None]) -> None:
    """Run it on uvloop, where that exists: a tenth less of a worker's time goes into the loop."""
    try:
        import uvloop
    except ModuleNotFoundError:  # not made for this platform
        asyncio.run(serving)
        return
    uvloop.run(serving)


def register(app: typer.Typer) -> None:
    """Add `up`, `gateway`, `worker` and `console`."""

    @app.command()
    def up(
        config: Config = None,
        host: Annotated[str | None, typer.Option(help="Address of the gateway.")] = None,
        port: Annotated[
            int | None, typer.Option(min=0, max=_LAST_PORT, help="Port of the gateway.")
        ] = None,
        console_port: Annotated[
            int | None, typer.Option(min=0, max=_LAST_PORT, help="Port of the console.")
        ] = None,
        data: Annotated[Path, typer.Option(help="Folder for everything that is kept.")] = Path(
            "data"
        ),
        workers: Annotated[int, typer.Option(min=1, help="Worker processes.")] = 1,
    ) -> None:
        """Run gateway, worker and console, with an embedded broker and Redis where none is given.

        Example: `GITHUB_WEBHOOK_SECRET=... reactor up --port 8080 --data ./data`
        """
        settings = ready_settings(
            config, gateway={"host": host, "port": port}, console={"port": console_port}
        )
        asyncio.run(
            _up(
                settings,
                config=config.absolute() if config else None,
                data=data.absolute(),
                workers=workers,
            )
        )

    @app.command()
    def gateway(
        config: Config = None,
        host: Host = None,
        port: Port = None,
    ) -> None:
        """Run a gateway: accept deliveries, put them on the deliveries topic.

        Needs KAFKA_BOOTSTRAP_SERVERS and REDIS_URL.
        """
        from reactor.wiring.gateway import serve_gateway

        settings = ready_settings(config, gateway={"host": host, "port": port})
        run_serving(serve_gateway(settings))

    @app.command()
    def worker(
        config: Config = None,
        name: Annotated[str, typer.Option(help="Its name, in leases and logs.")] = "worker",
        ready_file: Annotated[
            Path | None, typer.Option(help="A file that is there while the worker is ready.")
        ] = None,
    ) -> None:
        """Run a worker: read deliveries, decide, act.  Start more to share the partitions.

        Needs KAFKA_BOOTSTRAP_SERVERS and REDIS_URL.
        """
        from reactor.wiring.worker import serve_worker

        settings = ready_settings(config)
        run_serving(serve_worker(settings, owner=owner_name(name), ready_file=ready_file))

    @app.command()
    def console(
        config: Config = None,
        host: Host = None,
        port: Port = None,
    ) -> None:
        """Run the console: pages that show what was decided, and why, and where people do their part.

        Needs REDIS_URL; with KAFKA_BOOTSTRAP_SERVERS it shows what came as well, and takes answers.
        """
        from reactor.wiring.console import serve_console
        from reactor.wiring.doing import Here

        settings = ready_settings(config, console={"host": host, "port": port})
        here = Here(user=user_here(), config=config, environ=dict(os.environ))
        run_serving(serve_console(settings, here))


async def _up(settings: "Settings", *, config: Path | None, data: Path, workers: int) -> None:
    import structlog

    from reactor.wiring.entrance import console_access
    from reactor.wiring.gateway import dialect
    from reactor.wiring.servers import Up

    # before anything is started: without a secret, without a token, only loopback will do
    dialect(settings)
    console_access(settings)
    log = structlog.get_logger("reactor.up")
    stop = asyncio.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        asyncio.get_running_loop().add_signal_handler(number, stop.set)
    plan = Up(
        settings=settings,
        config=config,
        data=data,
        environ=os.environ,
        workers=workers,
        on_event=lambda name, what: log.info("child", process=name, what=what),
        on_place=partial(tell, config=config),
        on_gone=forget,
    )
    stopping = asyncio.create_task(stop.wait())
    serving = asyncio.create_task(_serve(plan))
    await asyncio.wait({stopping, serving}, return_when=asyncio.FIRST_COMPLETED)
    stopping.cancel()
    serving.cancel()
    try:
        await serving
    except asyncio.CancelledError:
        log.info("stopped")


async def _serve(plan: "Up") -> None:
    import structlog

    from reactor.wiring.servers import running

    async with running(plan) as (place, children):
        structlog.get_logger("reactor.up").info(
            "ready",
            webhook=f"{place.gateway}/webhook",
            console=place.console,
            data=str(place.data),
        )
        await children.watch()
