"""`reactor approvals` and `approve`: changes that wait for a person."""

import asyncio
import getpass
from typing import TYPE_CHECKING, Annotated

import typer

from reactor.cli.answering import AsJson, By
from reactor.cli.place import DEFAULT_DATA, Data, asking_settings
from reactor.cli.serving import Config

if TYPE_CHECKING:
    from reactor.approvals import RuledOn
    from reactor.ledger import Fate, Held
    from reactor.settings import Settings


def register(app: typer.Typer) -> None:
    """Add `approvals` and `approve`."""

    @app.command()
    def approvals(
        config: Config = None, data: Data = DEFAULT_DATA, as_json: AsJson = False
    ) -> None:
        """List the changes that wait for approval, oldest first.

        Example: `reactor approvals --json`
        """
        waiting = asyncio.run(_listed(asking_settings(config, data)))
        if as_json:
            import orjson

            from reactor.approvals import told_held

            # as GET /api/approvals tells them
            typer.echo(orjson.dumps({"approvals": [told_held(held) for held in waiting]}).decode())
            return
        for held in waiting:
            typer.echo(shown(held))
        if not waiting:
            typer.echo("nothing waits for approval")

    @app.command()
    def approve(
        approval: Annotated[str, typer.Argument(help="Id, as `reactor approvals` tells.")],
        reject: Annotated[bool, typer.Option("--reject", help="Say no to it instead.")] = False,
        reason: Annotated[str, typer.Option(help="Why, for whoever reads it later.")] = "",
        by: By = "",
        wait_s: Annotated[
            float, typer.Option("--wait", help="Seconds to wait until a worker has read it.")
        ] = 10.0,
        config: Config = None,
        data: Data = DEFAULT_DATA,
    ) -> None:
        """Approve one change that waits, or reject it.

        Example: `reactor approve 5f0c1e9a77b2`
        """
        settings = asking_settings(config, data)
        said = _Said(approval, not reject, by or getpass.getuser(), reason)
        ruled, fate = asyncio.run(_rule(settings, said, wait_s))
        where = f"at {ruled.position}" if ruled.position else "and kept until the broker is back"
        typer.echo(f"taken   {approval} {where}: {_would(ruled.held)}")
        if fate is None:
            typer.echo("unread so far; it is kept until a worker reads it")
            return
        typer.echo(f"ruled   it is {fate.state}, by {fate.ruled_by}")


class _Said:
    """A ruling, as it was typed."""

    def __init__(self, approval: str, is_approved: bool, by: str, reason: str) -> None:
        self.approval, self.is_approved, self.by, self.reason = approval, is_approved, by, reason


async def _listed(settings: "Settings") -> "list[Held]":
    from reactor.wiring.desk import open_desk

    async with open_desk(settings) as desk:
        return await desk.approvals.waiting()


async def _rule(settings: "Settings", said: _Said, wait_s: float) -> "tuple[RuledOn, Fate | None]":
    from reactor.wiring.desk import open_desk

    async with open_desk(settings) as desk:
        ruled = await desk.approvals.rule(
            said.approval, is_approved=said.is_approved, by=said.by, reason=said.reason
        )
        return ruled, await desk.ruled(ruled.held, within_s=wait_s)


def shown(held: "Held") -> str:
    """One that waits, in two lines."""
    from reactor.approvals import approval_id

    intent = held.intent
    return (
        f"{approval_id(intent.key)}  {_line(intent.subject_name)}: {_would(held)}\n"
        f"  wanted by {intent.record.action} at {held.since:%Y-%m-%d %H:%M} UTC;"
        f" `reactor explain {intent.delivery.rpartition('/')[2]}` tells why"
    )


def _would(held: "Held") -> str:
    from reactor.preview import preview_effect

    return _line(preview_effect(held.intent.record.effect))


def _line(text: str) -> str:
    """On one line, without what a terminal would take for a command."""
    return "".join(c if c.isprintable() else " " for c in text)[:500]
