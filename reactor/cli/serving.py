"""`reactor gateway`, `worker` and `up`: the processes that serve."""

import asyncio
import os
import signal
import socket
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from reactor import logs
from reactor.cli.place import forget, tell
from reactor.settings import Settings, load

if TYPE_CHECKING:
    from reactor.wiring.servers import Up

Config = Annotated[
    Path | None,
    typer.Option("--config", "-c", help="Settings; default: config/reactor.yaml if it is there."),
]


def ready_settings(config: Path | None, **gateway: object) -> Settings:
    """The settings, with what the command line says of the gateway; logging is set up by them."""
    settings = load(config, os.environ)
    said = {name: value for name, value in gateway.items() if value is not None}
    if said:
        settings = settings.model_copy(update={"gateway": settings.gateway.model_copy(update=said)})
    logs.configure(level=settings.log_level, style=settings.log_format)
    return settings


def owner_name(name: str) -> str:
    """Who holds leases: this host and process, so that no two workers are taken for one."""
    return f"{socket.gethostname()}/{os.getpid()}/{name}"


def register(app: typer.Typer) -> None:
    """Add `up`, `gateway` and `worker`."""

    @app.command()
    def up(
        config: Config = None,
        host: Annotated[str | None, typer.Option(help="Address of the gateway.")] = None,
        port: Annotated[int | None, typer.Option(help="Port of the gateway.")] = None,
        data: Annotated[Path, typer.Option(help="Folder for everything that is kept.")] = Path(
            "data"
        ),
        workers: Annotated[int, typer.Option(min=1, help="Worker processes.")] = 1,
    ) -> None:
        """Run gateway and worker, with an embedded broker and Redis where none is given.

        Example: `GITHUB_WEBHOOK_SECRET=... reactor up --port 8080 --data ./data`
        """
        settings = ready_settings(config, host=host, port=port)
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
        host: Annotated[str | None, typer.Option(help="Address to listen on.")] = None,
        port: Annotated[int | None, typer.Option(help="Port to listen on.")] = None,
    ) -> None:
        """Run a gateway: accept deliveries, put them on the deliveries topic.

        Needs KAFKA_BOOTSTRAP_SERVERS and REDIS_URL.
        """
        from reactor.wiring.gateway import serve_gateway

        asyncio.run(serve_gateway(ready_settings(config, host=host, port=port)))

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
        asyncio.run(serve_worker(settings, owner=owner_name(name), ready_file=ready_file))


async def _up(settings: Settings, *, config: Path | None, data: Path, workers: int) -> None:
    import structlog

    from reactor.wiring.gateway import dialect
    from reactor.wiring.servers import Up

    dialect(settings)  # before anything is started: without a secret, only loopback will do
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
    finally:
        await asyncio.to_thread(forget, data)


async def _serve(plan: "Up") -> None:
    import structlog

    from reactor.wiring.servers import running

    async with running(plan) as (place, children):
        await asyncio.to_thread(tell, place)
        structlog.get_logger("reactor.up").info(
            "ready", webhook=f"{place.gateway}/webhook", data=str(place.data)
        )
        await children.watch()
