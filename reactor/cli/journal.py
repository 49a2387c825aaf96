"""`reactor journal`: decision records, found by what they are about."""

import asyncio
import json
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from reactor.cli.place import DEFAULT_DATA, Data, asking_settings
from reactor.cli.selecting import AsJson, DeliveryId, Limit, now
from reactor.cli.serving import Config

if TYPE_CHECKING:
    from reactor.journal_search import ToldFound, ToldRecord
    from reactor.settings import Settings

_EXIT_NOT_WHOLE = 1
_HELP = """Find decision records, the newest first: of a delivery, a subject, an action, ...

What is said has to fit all together.  They are in the index that the console keeps in the data
folder, so no server needs to run.

Example: `reactor journal --subject octo/hello#7 --since 3d`
"""


def register(app: typer.Typer) -> None:
    """Add `journal`."""
    journal = typer.Typer(help=_HELP, invoke_without_command=True)
    app.add_typer(journal, name="journal")
    _register_search(journal)
    _register_rebuild(journal)


def _register_search(journal: typer.Typer) -> None:
    @journal.callback()
    def search(
        context: typer.Context,
        delivery: DeliveryId = "",
        subject: Annotated[
            str, typer.Option(help="octo/hello#7, or octo/hello for all in it.")
        ] = "",
        component: Annotated[str, typer.Option(help="A package: ticks of its actions.")] = "",
        action: Annotated[str, typer.Option(help="An action, as triage.label_issue.")] = "",
        effect: Annotated[str, typer.Option(help="A kind of effect, as AddLabels.")] = "",
        outcome: Annotated[
            str, typer.Option(help="Of actions: done, failed, ...; or of processes: FAILED, ...")
        ] = "",
        since: Annotated[str, typer.Option(help="90m, 2h, 3d ago, or 2026-03-14T15:00.")] = "",
        until: Annotated[str, typer.Option(help="Before; as --since.")] = "",
        limit: Limit = 50,
        as_json: AsJson = False,
        config: Config = None,
        data: Data = DEFAULT_DATA,
    ) -> None:
        if context.invoked_subcommand:
            return
        words = {
            "delivery": delivery,
            "subject": subject,
            "component": component,
            "action": action,
            "effect": effect,
            "outcome": outcome,
            "since": since,
            "until": until,
            "limit": str(limit),
        }
        found = asyncio.run(_found(asking_settings(config, data), words, with_data=as_json))
        if as_json:
            typer.echo(json.dumps(found, ensure_ascii=False))
            return
        for line in _lines(found):
            typer.echo(line)

    search.__doc__ = _HELP


def _register_rebuild(journal: typer.Typer) -> None:
    @journal.command()
    def rebuild(
        archive: Annotated[
            Path | None,
            typer.Option("--from", help="An archive that is brought in first."),
        ] = None,
        config: Config = None,
        data: Data = DEFAULT_DATA,
    ) -> None:
        """Make the index anew, from the archive in the data folder and from the topics.

        Example: `reactor journal rebuild --from last-week.jsonl.gz`
        """
        from reactor.cli.archiving import bring_in, counting
        from reactor.wiring.indexing import rebuild as rebuild_index

        settings = asking_settings(config, data)
        is_damaged = bring_in(settings, archive) if archive else False
        with counting("indexing") as one_more:
            built = asyncio.run(rebuild_index(settings, lambda added: one_more(added)))
        if built.is_left_to_console:
            typer.echo("the console, which runs, makes it anew now")
        else:
            typer.echo(f"{built.added} decision records and deliveries are indexed")
        if built.trouble:
            typer.echo(f"reactor: not all could be read: {built.trouble}", err=True)
        if built.trouble or is_damaged:
            raise typer.Exit(_EXIT_NOT_WHOLE)


async def _found(settings: "Settings", words: dict[str, str], *, with_data: bool) -> "ToldFound":
    from reactor.journal_search import query_of, told_found
    from reactor.wiring.recorded import records_of

    found = await records_of(settings).find(query_of(words, now=now()))
    return told_found(found, words, with_data=with_data)


def _lines(found: "ToldFound") -> Iterator[str]:
    from reactor.cli.terminal import harmless

    for record in found["records"]:
        yield harmless(_line(record))
    if not found["records"]:
        yield "no decision record fits"
    if found["next"]:
        yield f"... and older ones: --until {found['records'][-1]['at']}, or --limit"


def _line(record: "ToldRecord") -> str:
    what = {
        "seeded": f"began, for {record['event']}",
        "tick": f"{record['action']}: {record['outcome']}",
        "answered": f"{record['action']}: answered",
        "rescued": "rescued",
        "ended": record["outcome"],
    }[record["kind"]]
    effects = f" -> {', '.join(record['effects'])}" if record["effects"] else ""
    return (
        f"{record['at'][:23]}Z  {record['process']}/{record['seq']:<3} {record['subject']:<24}"
        f" [{record['reaction']}] {what}{effects}"
    )
