"""`reactor status`: how far behind, who works, what waits for somebody."""

import asyncio
import json
import signal
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from reactor.cli.place import DEFAULT_DATA, Data, asking_settings
from reactor.cli.serving import Config

if TYPE_CHECKING:
    from rich.console import Console

    from reactor.overview import Overview
    from reactor.settings import Settings


def register(app: typer.Typer) -> None:
    """Add `status`."""

    @app.command()
    def status(
        config: Config = None,
        data: Data = DEFAULT_DATA,
        as_json: Annotated[bool, typer.Option("--json", help="One JSON document.")] = False,
        watch: Annotated[
            bool, typer.Option("--watch", "-w", help="Again and again, until Ctrl-C.")
        ] = False,
        every_s: Annotated[
            float, typer.Option("--every", min=0.5, help="Seconds between two looks of --watch.")
        ] = 2.0,
    ) -> None:
        """Show lag, what is in flight, workers, dead letters, forms, timers and effects.

        Exit code 1 where a server does not answer, or nobody works.

        Example: `reactor status --watch`, `reactor status --json`
        """
        from reactor.cli.overview import rendered
        from reactor.cli.terminal import console

        settings = _with_spool(asking_settings(config, data), data)
        if watch:
            _watch(settings, console(), every_s=every_s, as_json=as_json)
            return
        seen = _look(settings)
        if as_json:
            _echo(seen)
        else:
            console().print(rendered(seen))
        if not seen.is_well:
            raise typer.Exit(1)


def _look(settings: "Settings") -> "Overview":
    from reactor.wiring.status import look

    return asyncio.run(look(settings))


def _watch(settings: "Settings", console: "Console", *, every_s: float, as_json: bool) -> None:
    """With --json one document a line, for a program that reads along."""
    from rich.live import Live

    from reactor.cli.overview import rendered

    with suppress(KeyboardInterrupt), _heeding_ctrl_c() as goes_on:
        while as_json and goes_on():
            _echo(_look(settings))
            time.sleep(every_s)
        if not goes_on():
            return
        with Live(rendered(_look(settings)), console=console, auto_refresh=False) as live:
            while goes_on():
                time.sleep(every_s)
                live.update(rendered(_look(settings)), refresh=True)


@contextmanager
def _heeding_ctrl_c() -> Iterator[Callable[[], bool]]:
    """Whether to go on: asyncio turns Ctrl-C into a cancellation, which clients may swallow."""
    is_told = False

    def tell(_number: int, _frame: object) -> None:
        nonlocal is_told
        is_told = True
        raise KeyboardInterrupt

    before = signal.signal(signal.SIGINT, tell)
    try:
        yield lambda: not is_told
    finally:
        signal.signal(signal.SIGINT, before)


def _echo(seen: "Overview") -> None:
    from reactor.overview import told_overview

    typer.echo(json.dumps(told_overview(seen), ensure_ascii=False))


def _with_spool(settings: "Settings", data: Path) -> "Settings":
    """The gateway of `up` has its spool in the data folder."""
    folder = data / "spool"
    if settings.gateway.spool is not None or not folder.is_dir():
        return settings
    gateway = settings.gateway.model_copy(update={"spool": folder})
    return settings.model_copy(update={"gateway": gateway})
