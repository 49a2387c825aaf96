"""`reactor trace`: everything that ever happened to an issue, in order of time."""

import asyncio
import json
import re
from typing import Annotated

import typer

from reactor.cli.place import DEFAULT_DATA, Data, asking_settings
from reactor.cli.selecting import AsJson, moment, now
from reactor.cli.serving import Config

_ADDRESS = re.compile(
    r"https?://([^/]+)/([^/]+/[^/]+)/(?:issues|pull|discussions)/(\d+)(?:[/?#].*)?"
)


def register(app: typer.Typer) -> None:
    """Add `trace`."""

    @app.command()
    def trace(
        subject: Annotated[
            str,
            typer.Argument(help="octo/hello#7, its address, octo/hello, or github.com/1296269#7."),
        ],
        since: Annotated[
            str, typer.Option(help="Since: 90m, 2h, 3d ago, or 2026-03-14T15:00.")
        ] = "",
        until: Annotated[str, typer.Option(help="Before; as --since.")] = "",
        limit: Annotated[int, typer.Option(min=1, help="Most moments, the latest.")] = 1000,
        as_json: AsJson = False,
        config: Config = None,
        data: Data = DEFAULT_DATA,
    ) -> None:
        """Tell all that happened to an issue: what came, was decided, asked, changed, given up.

        Example: `reactor trace octo/hello#7`
        """
        from reactor.chronicle import chronicle_lines
        from reactor.chronicler import Asked
        from reactor.cli.terminal import harmless
        from reactor.wiring.chronicling import chronicle

        asked = Asked(
            word=word_of(subject),
            since=moment(since, now=now(), option="--since"),
            until=moment(until, now=now(), option="--until"),
            limit=limit,
        )
        told = asyncio.run(chronicle(asking_settings(config, data), asked))
        if as_json:
            typer.echo(json.dumps(told, ensure_ascii=False))
            return
        for line in chronicle_lines(told):
            typer.echo(harmless(line))


def word_of(subject: str) -> str:
    """What is asked for, where it was given by the address of its page."""
    found = _ADDRESS.fullmatch(subject)
    return f"{found[1]}/{found[2]}#{found[3]}" if found else subject
