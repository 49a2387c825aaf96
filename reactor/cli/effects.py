"""`reactor effects`: which effects were given up, and sending them again."""

import asyncio
import json
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
    from reactor.ledger import GivenUp
    from reactor.settings import Settings
    from reactor.unsent import Selection

Keys = Annotated[list[str] | None, typer.Argument(help="Keys of effects, or their first digits.")]
Kind = Annotated[str, typer.Option(help="AddLabels, Comment, ...")]
Subject = Annotated[str, typer.Option(help="owner/name#7.")]
Since = Annotated[str, typer.Option(help="Given up since: 90m, 2h, 3d ago, or 2026-03-14T15:00.")]
Until = Annotated[str, typer.Option(help="Given up before; as --since.")]


def register(app: typer.Typer) -> None:
    """Add `effects`."""
    effects = typer.Typer(
        help="List the effects that were given up, and send them again.", no_args_is_help=True
    )
    app.add_typer(effects, name="effects")
    _register_list(effects)
    _register_retry(effects)


def _register_list(effects: typer.Typer) -> None:
    @effects.command("list")
    def list_effects(
        kind: Kind = "",
        repo: Repo = "",
        subject: Subject = "",
        delivery: DeliveryId = "",
        since: Since = "",
        until: Until = "",
        limit: Limit = 50,
        as_json: AsJson = False,
        config: Config = None,
        data: Data = DEFAULT_DATA,
    ) -> None:
        """List the effects that were given up and wait for somebody, the newest first.

        Example: `reactor effects list --repo octo/hello --since 2h`
        """
        from reactor.cli.unsent import show_list
        from reactor.given_up import told_effects

        said = _Said(kind, repo, subject, delivery, since, until)
        found = asyncio.run(_listed(asking_settings(config, data), said.selection()))
        if as_json:
            told = {"effects": told_effects(found[:limit]), "found": len(found)}
            typer.echo(json.dumps(told, ensure_ascii=False))
            return
        show_list(found[:limit], left_out=max(0, len(found) - limit))


def _register_retry(effects: typer.Typer) -> None:
    @effects.command()
    def retry(
        keys: Keys = None,
        kind: Kind = "",
        repo: Repo = "",
        subject: Subject = "",
        delivery: DeliveryId = "",
        since: Since = "",
        until: Until = "",
        every: Annotated[bool, typer.Option("--every", help="All that were given up.")] = False,
        dry_run: DryRun = False,
        yes: Yes = False,
        config: Config = None,
        data: Data = DEFAULT_DATA,
    ) -> None:
        """Send effects again: each behind what its subject has to send already.

        A change that may be there is looked for first, so nothing is made twice.

        Example: `reactor effects retry --repo octo/hello --since 2h`
        """
        from reactor.cli.unsent import show_list

        said = _Said(kind, repo, subject, delivery, since, until)
        selection = said.selection(keys=tuple(keys or ()))
        if selection.is_open and not every:
            raise typer.BadParameter(
                "name effects by their keys, or say which: --kind, --repo, --subject,"
                " --delivery, --since, --until, or --every"
            )
        settings = asking_settings(config, data)
        found = asyncio.run(_listed(settings, selection))
        if not found:
            typer.echo("no effect is meant")
            return
        show_list(found)
        if dry_run:
            typer.echo(f"effects: would be retried: {len(found)}")
            return
        if not yes:
            typer.confirm(f"retry {len(found)} of them?", abort=True)
        if asyncio.run(_retry(settings, found)):
            raise typer.Exit(1)


@dataclass(frozen=True, slots=True)
class _Said:
    """What the options say of which effects are meant."""

    kind: str
    repo: str
    subject: str
    delivery: str
    since: str
    until: str

    def selection(self, *, keys: tuple[str, ...] = ()) -> "Selection":
        """Raises `typer.BadParameter`."""
        from reactor.unsent import Selection

        return Selection(
            keys=keys,
            kind=self.kind,
            repo=self.repo,
            subject=self.subject,
            delivery=self.delivery,
            since=moment(self.since, now=now(), option="--since"),
            until=moment(self.until, now=now(), option="--until"),
        )


async def _listed(settings: "Settings", selection: "Selection") -> "list[GivenUp]":
    from reactor.unsent import listed
    from reactor.wiring.unsent import open_ledger

    async with open_ledger(settings) as ledger:
        return await listed(ledger, selection)


async def _retry(settings: "Settings", found: "list[GivenUp]") -> int:
    """Drive each again, and tell how many; gives how many could not be."""
    from reactor.unsent import in_order
    from reactor.wiring.unsent import open_ledger

    done = skipped = 0
    try:
        async with open_ledger(settings) as ledger:
            with progress_bar("retry", len(found)) as advance:
                for each in in_order(found):
                    if await ledger.retry(each, now=now()):
                        done += 1
                    else:
                        typer.echo(f"skipped {each.intent.key}: it is given up no more", err=True)
                        skipped += 1
                    advance()
    finally:
        typer.echo(f"effects: retried={done} skipped={skipped}")
    return skipped
