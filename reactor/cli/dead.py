"""`reactor dead`: what was given up, why, and what to do about it."""

import asyncio
import getpass
import json
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated

import typer

from reactor.cli.place import DEFAULT_DATA, Data, asking_settings
from reactor.cli.selecting import (
    AsJson,
    DeliveryId,
    DryRun,
    Limit,
    Repo,
    Yes,
    moment,
    now,
    progress_bar,
)
from reactor.cli.serving import Config

if TYPE_CHECKING:
    from reactor.dead import DeadDesk, Entry, Selection
    from reactor.settings import Settings

_EXIT_SOME_SKIPPED = 1

Ids = Annotated[list[str] | None, typer.Argument(help="Ids of letters, or their first digits.")]
Reason = Annotated[str, typer.Option(help="poison, failed, refused, conflict or unreadable.")]
Event = Annotated[str, typer.Option(help="issues, or issues.opened.")]
Since = Annotated[str, typer.Option(help="Written since: 90m, 2h, 3d ago, or 2026-03-14T15:00.")]
Until = Annotated[str, typer.Option(help="Written before; as --since.")]

_HELP = "List, show, drive again or drop what was given up."


def register(app: typer.Typer) -> None:
    """Add `dead`."""
    dead = typer.Typer(help=_HELP, no_args_is_help=True)
    app.add_typer(dead, name="dead")
    _register_looking(dead)
    for task in _TASKS:
        _register_task(dead, task)


def _register_looking(dead: typer.Typer) -> None:
    @dead.command("list")
    def list_letters(
        reason: Reason = "",
        repo: Repo = "",
        event: Event = "",
        delivery: DeliveryId = "",
        since: Since = "",
        until: Until = "",
        with_handled: Annotated[
            bool, typer.Option("--all", help="Those that were retried or dropped as well.")
        ] = False,
        limit: Limit = 50,
        as_json: AsJson = False,
        config: Config = None,
        data: Data = DEFAULT_DATA,
    ) -> None:
        """List what was given up and waits for somebody, the newest first.

        Example: `reactor dead list --reason failed --since 2h`
        """
        from reactor.cli.letters import show_list
        from reactor.given_up import told_letters

        said = _Said(reason, repo, event, delivery, since, until)
        selection = said.selection(is_handled_too=with_handled)
        entries = asyncio.run(_listed(asking_settings(config, data), selection))
        if as_json:
            typer.echo(_json({"letters": told_letters(entries[:limit]), "found": len(entries)}))
            return
        show_list(entries[:limit], left_out=max(0, len(entries) - limit))

    @dead.command()
    def show(
        letter: Annotated[str, typer.Argument(help="Id of a letter, or its first digits.")],
        as_json: AsJson = False,
        raw: Annotated[
            bool, typer.Option("--raw", help="Nothing but the original bytes, to a file or pipe.")
        ] = False,
        config: Config = None,
        data: Data = DEFAULT_DATA,
    ) -> None:
        """Show all of one letter: the reason, what to do now, and the original record.

        Example: `reactor dead show 3f9a --raw > body.json`
        """
        from reactor.cli.letters import letter_lines
        from reactor.given_up import told_letter

        entry, body = asyncio.run(_shown(asking_settings(config, data), letter))
        if raw:
            typer.get_binary_stream("stdout").write(body)
            return
        if as_json:
            typer.echo(_json(told_letter(entry, body)))
            return
        typer.echo("\n".join(letter_lines(entry, body)))


def _register_task(dead: typer.Typer, task: "_Task") -> None:
    @dead.command(task.verb, help=task.help)
    def do(
        ids: Ids = None,
        reason: Reason = "",
        repo: Repo = "",
        event: Event = "",
        delivery: DeliveryId = "",
        since: Since = "",
        until: Until = "",
        every: Annotated[bool, typer.Option("--every", help="All that wait.")] = False,
        dry_run: DryRun = False,
        yes: Yes = False,
        config: Config = None,
        data: Data = DEFAULT_DATA,
    ) -> None:
        from reactor.cli.letters import show_list

        said = _Said(reason, repo, event, delivery, since, until)
        selection = said.selection(ids=tuple(ids or ()), is_handled_too=bool(ids))
        if selection.is_open and not every:
            raise typer.BadParameter(
                "name letters by their ids, or say which: --reason, --repo, "
                "--event, --delivery, --since, --until, or --every"
            )
        settings = asking_settings(config, data)
        entries = asyncio.run(_listed(settings, selection))
        if not entries:
            typer.echo("no letter is meant")
            return
        show_list(entries)
        if dry_run:
            typer.echo(f"dead: would be {task.done}: {len(entries)}")
            return
        if not yes:
            typer.confirm(f"{task.verb} {len(entries)} of them?", abort=True)
        skipped = asyncio.run(_do(settings, task, entries))
        if skipped:
            raise typer.Exit(_EXIT_SOME_SKIPPED)


@dataclass(frozen=True, slots=True)
class _Said:
    """What the options say of which letters are meant."""

    reason: str
    repo: str
    event: str
    delivery: str
    since: str
    until: str

    def selection(self, *, ids: tuple[str, ...] = (), is_handled_too: bool) -> "Selection":
        """Raises `typer.BadParameter`."""
        from reactor.dead import Selection

        return Selection(
            ids=ids,
            reason=self.reason,
            repo=self.repo,
            event=self.event,
            delivery=self.delivery,
            since=moment(self.since, now=now(), option="--since"),
            until=moment(self.until, now=now(), option="--until"),
            is_handled_too=is_handled_too,
        )


async def _retry(desk: "DeadDesk", entry: "Entry") -> None:
    await desk.retry(entry, by=getpass.getuser(), at=now())


async def _drop(desk: "DeadDesk", entry: "Entry") -> None:
    await desk.drop(entry, by=getpass.getuser(), at=now())


@dataclass(frozen=True, slots=True)
class _Task:
    """What can be done about letters."""

    verb: str
    done: str
    each: "Callable[[DeadDesk, Entry], Awaitable[None]]"
    help: str


_TASKS = (
    _Task(
        "retry",
        "retried",
        _retry,
        "Drive letters again: the next attempt, which does nothing twice that is done.\n\n"
        "Example: `reactor dead retry --repo octo/hello --reason failed`",
    ),
    _Task(
        "drop",
        "dropped",
        _drop,
        "Drop letters that nobody needs: they are listed no more, though their topic keeps"
        " them.\n\nExample: `reactor dead drop 3f9a 77c1`",
    ),
)


async def _listed(settings: "Settings", selection: "Selection") -> "list[Entry]":
    from reactor.dead import UnknownLetter, missing
    from reactor.wiring.dead import open_dead

    async with open_dead(settings) as dead:
        entries = await dead.desk.listed(selection)
    for unknown in missing(selection.ids, entries):
        raise UnknownLetter(unknown)
    return entries


async def _shown(settings: "Settings", letter: str) -> "tuple[Entry, bytes]":
    from reactor.wiring.dead import open_dead

    async with open_dead(settings) as dead:
        entry = await dead.desk.one(letter)
        return entry, await dead.original(entry.letter)


async def _do(settings: "Settings", task: _Task, entries: "list[Entry]") -> int:
    """Do it to each, and tell how many; gives how many could not be done."""
    from reactor.dead import NotDrivable, Selection
    from reactor.wiring.dead import open_dead

    done = skipped = 0
    wanted = Selection(ids=tuple(entry.id for entry in entries), is_handled_too=True)
    try:
        async with open_dead(settings) as dead:
            with progress_bar(task.verb, len(entries)) as advance:
                async for entry in dead.desk.chosen(wanted):
                    try:
                        await task.each(dead.desk, entry)
                    except NotDrivable as error:
                        typer.echo(f"skipped {error}", err=True)
                        skipped += 1
                    else:
                        done += 1
                    advance()
    finally:
        typer.echo(f"dead: {task.done}={done} skipped={skipped}")
    return skipped


def _json(document: object) -> str:
    return json.dumps(document, ensure_ascii=False)
