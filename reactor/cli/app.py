"""The `reactor` command: what it offers, and how its errors are shown."""

import os
import sys
import threading
from importlib.metadata import version
from typing import Annotated, NoReturn

import typer

from reactor.cli import (
    answering,
    approving,
    archiving,
    chronicling,
    creating,
    dead,
    demo,
    doctor,
    effects,
    explaining,
    journal,
    listing,
    planning,
    receiving,
    replaying,
    rules,
    sending,
    serving,
    status,
)
from reactor.errors import ReactorError

_HELP = """Turn GitHub-style webhooks into well-chosen, explainable reactions.

The path: delivery -> topic -> blackboard -> plan -> action -> effect.  New here?  `reactor demo`.
"""

_LEFT_S = 2.0  # for threads that end by themselves, once the command has


def _tell_version(is_wanted: bool) -> None:
    if is_wanted:
        typer.echo(f"reactor {version('webhook-reactor')}")
        raise typer.Exit


def build() -> typer.Typer:
    """The application with all its commands."""
    app = typer.Typer(
        help=_HELP,
        no_args_is_help=True,
        rich_markup_mode="markdown",
        pretty_exceptions_enable=False,
        callback=_options,
    )
    for module in (
        demo,
        receiving,
        serving,
        sending,
        explaining,
        chronicling,
        journal,
        replaying,
        archiving,
        answering,
        approving,
        dead,
        effects,
        planning,
        listing,
        creating,
        rules,
        doctor,
        status,
    ):
        module.register(app)
    return app


def _options(
    *,
    version: Annotated[
        bool,
        typer.Option("--version", is_eager=True, callback=_tell_version, help="Tell it, and end."),
    ] = False,
) -> None:
    """What holds for all commands; typer calls it before each."""


def main() -> NoReturn:
    """Run the command line; every error of ours is one clear text on standard error, exit 2."""
    code: str | int | None = 1  # of an error that nobody has foreseen
    try:
        build()(standalone_mode=True)
    except SystemExit as end:
        code = end.code
    except ReactorError as error:
        from reactor.censoring import Censor

        # a server's own words may hold the address that it was asked by, with its password
        print(f"reactor: {Censor().text(str(error))}", file=sys.stderr)
        code = 2
    finally:
        _leave_anyway(code if isinstance(code, int) else 0 if code is None else 1)
    sys.exit(code)


def _leave_anyway(code: int) -> None:
    """Let no thread keep the process that waits for a server, as those of Kafka's client may."""
    sys.stdout.flush()
    leaving = threading.Timer(_LEFT_S, os._exit, (code,))
    leaving.daemon = True
    leaving.start()
