"""`reactor archive`: deliveries and what was decided of them, as a file that can be taken along."""

import asyncio
from collections.abc import Callable, Coroutine, Iterator
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, TypeVar

import typer

from reactor.cli.place import DEFAULT_DATA, Data, asking_settings
from reactor.cli.selecting import moment, now
from reactor.cli.serving import Config

if TYPE_CHECKING:
    from reactor.settings import Settings

T = TypeVar("T")

_EXIT_DAMAGED = 1
_DAMAGE_SHOWN = 20  # lines

Since = Annotated[str, typer.Option(help="Received since: 90m, 2h, 3d ago, or 2026-03-14T15:00.")]
Until = Annotated[str, typer.Option(help="Received before; as --since.")]


def register(app: typer.Typer) -> None:
    """Add `archive`."""
    archive = typer.Typer(
        help="Write deliveries and decision records to a file, or bring such a file in.",
        no_args_is_help=True,
    )
    app.add_typer(archive, name="archive")
    _register_export(archive)
    _register_import(archive)


def _register_export(archive: typer.Typer) -> None:
    @archive.command("export")
    def export(
        file: Annotated[Path, typer.Argument(help="To be written; by habit, NAME.jsonl.gz.")],
        since: Since = "",
        until: Until = "",
        repo: Annotated[list[str] | None, typer.Option(help="owner/name; may be repeated.")] = None,
        event: Annotated[
            list[str] | None, typer.Option(help="issues, or issues.opened; may be repeated.")
        ] = None,
        config: Config = None,
        data: Data = DEFAULT_DATA,
    ) -> None:
        """Write deliveries, to the byte, and all that was decided of them.

        From the data folder beside the embedded broker, else from the topics.

        Example: `reactor archive export last-week.jsonl.gz --since 7d`
        """
        from reactor.wiring.exporting import Wanted, export_archive

        wanted = Wanted(
            since=_at(since, "--since"),
            until=_at(until, "--until"),
            repositories=frozenset(name.lower() for name in repo or ()),
            events=frozenset(event or ()),
        )
        settings = asking_settings(config, data)
        with counting("exporting") as one_more:
            counts = _run_or_say(file, lambda: export_archive(settings, file, wanted, one_more))
        typer.echo(f"{file}: {counts.deliveries} deliveries, {counts.records} decision records")


def _register_import(archive: typer.Typer) -> None:
    @archive.command("import")
    def import_file(
        file: Annotated[Path, typer.Argument(help="That `archive export` has written.")],
        config: Config = None,
        data: Data = DEFAULT_DATA,
    ) -> None:
        """Bring a file in: into the data folder, where explain, trace and replay find it.

        Nothing of it goes onto a topic, and nothing is run.  A line that can't be read is told by
        its number, and the rest comes in all the same; the exit code is 1 then.

        Example: `reactor archive import last-week.jsonl.gz`
        """
        if bring_in(asking_settings(config, data), file):
            raise typer.Exit(_EXIT_DAMAGED)


def bring_in(settings: "Settings", file: Path) -> bool:
    """Bring a file in, and tell of it; whether some of it was damaged."""
    from reactor.archive import Damage
    from reactor.wiring.exporting import import_archive

    damage = list[Damage]()
    with counting("importing") as one_more:
        came = _run_or_say(
            file, lambda: import_archive(settings, file, damaged=damage.append, told=one_more)
        )
    for each in damage[:_DAMAGE_SHOWN]:
        typer.echo(f"{file}: {each}", err=True)
    if len(damage) > _DAMAGE_SHOWN:
        typer.echo(f"{file}: {len(damage) - _DAMAGE_SHOWN} more lines", err=True)
    again = " (the same file had been brought before)" if came.was_there else ""
    later = "" if came.is_indexed else "; the console indexes them in a moment"
    typer.echo(
        f"{came.counts.deliveries} deliveries, {came.counts.records} decision records,"
        f" {came.counts.damaged} damaged lines{again}{later}"
    )
    return bool(damage)


def _run_or_say(file: Path, work: Callable[[], Coroutine[None, None, T]]) -> T:
    """Run it; a file that can't be read or written is told as such, exit 2."""
    try:
        return asyncio.run(work())
    except OSError as error:
        where = error.filename or file
        typer.echo(f"reactor: {where}: {error.strerror or error}", err=True)
        raise typer.Exit(2) from None


@contextmanager
def counting(what: str) -> Iterator[Callable[..., None]]:
    """How many there are so far, on a terminal; nothing elsewhere.

    Call what it gives for each, or with how many more.
    """
    from rich.console import Console
    from rich.progress import Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

    console = Console(stderr=True)
    columns = (SpinnerColumn(), TextColumn("{task.description} {task.completed:,.0f}"))
    with Progress(
        *columns,
        TimeElapsedColumn(),
        console=console,
        transient=True,
        disable=not console.is_terminal,
    ) as progress:
        task = progress.add_task(what, total=None)
        yield lambda number=1: progress.advance(task, number)


def _at(text: str, option: str) -> datetime | None:
    return moment(text, now=now(), option=option)
