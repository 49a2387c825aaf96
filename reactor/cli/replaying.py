"""`reactor replay`: recorded deliveries through the engine once more; then and now."""

import asyncio
import json
import os
import secrets
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from reactor.cli.place import DEFAULT_DATA, Data, in_folder, known_config, known_environ
from reactor.cli.replay_asked import Asked, archive_of, asked_before, request_of
from reactor.cli.selecting import now
from reactor.cli.serving import Config
from reactor.errors import InfrastructureError, ReactorError

if TYPE_CHECKING:
    from reactor.replay.folder import Progress, Run
    from reactor.settings import Settings

_INTERRUPTED = 130  # the exit code of what Ctrl-C ended

_Words = list[str] | None


class NothingIsSent(ReactorError):
    """Effects were to be sent by a replay."""

    def __str__(self) -> str:
        return (
            "a replay sends nothing: what a delivery led to was sent then, and an effect that is"
            " decided otherwise now would be made beside it, by somebody who may not know what has"
            " happened since; to act on one delivery anew write /retriage on its issue, and to"
            " drive what was given up use `reactor dead retry` or `reactor effects retry`"
        )


class FileUnusable(ReactorError):
    """A file of a replay can't be read or written; what was found until then is kept."""

    def __init__(self, run: str, where: str, why: str) -> None:
        super().__init__(run, where, why)
        self.run, self.where, self.why = run, where, why

    def __str__(self) -> str:
        return (
            f"{self.where}: {self.why}; check the path and the room on its disk, and go on with"
            f" `reactor replay --resume {self.run}`, or begin anew where it was another file"
        )


def register(app: typer.Typer) -> None:
    """Add `replay`."""

    @app.command()
    def replay(
        since: Annotated[
            str, typer.Option(help="Received since: 90m, 2h, 3d (ago) or a moment.")
        ] = "",
        until: Annotated[str, typer.Option(help="Received before.")] = "",
        offset: Annotated[
            _Words, typer.Option(help="Offsets of a partition, 0:100..200; may be repeated.")
        ] = None,
        repo: Annotated[_Words, typer.Option(help="owner/name; may be repeated.")] = None,
        event: Annotated[
            _Words, typer.Option(help="issues, or issues.opened; may be repeated.")
        ] = None,
        delivery: Annotated[_Words, typer.Option(help="A delivery id; may be repeated.")] = None,
        reaction: Annotated[
            _Words, typer.Option(help="Processes of this reaction only; may be repeated.")
        ] = None,
        archive: Annotated[
            Path | None, typer.Option(help="Read this file, instead of the topics.")
        ] = None,
        set_: Annotated[
            _Words,
            typer.Option("--set", help="What if: components.triage.urgent_at=0.6; repeatable."),
        ] = None,
        scope: Annotated[
            _Words,
            typer.Option(help="What if: packages of all reactions, or REACTION=PACKAGES."),
        ] = None,
        fail_on_diff: Annotated[
            bool, typer.Option("--fail-on-diff", help="Exit code 1 where anything differs.")
        ] = False,
        as_json: Annotated[bool, typer.Option("--json", help="A JSON line a process.")] = False,
        html: Annotated[Path | None, typer.Option(help="Write a page into this file.")] = None,
        show: Annotated[int, typer.Option(min=0, help="Most differing processes shown.")] = 20,
        id_: Annotated[
            str, typer.Option("--id", help="Name of the run; one of that name goes on.")
        ] = "",
        resume: Annotated[
            str, typer.Option(help="Go on with the run of this name, as it was begun.")
        ] = "",
        effects: Annotated[
            Literal["observe", "live"], typer.Option(help="Observe: a replay sends nothing.")
        ] = "observe",
        config: Config = None,
        data: Data = DEFAULT_DATA,
    ) -> None:
        """Run recorded deliveries through the engine once more: decided then, decided now.

        Nothing is sent and no live worker is disturbed.  Models and services answer as the journal
        recorded it.  The last line is the sum of it; the same command with the same --id goes on
        with what was killed.

        Example: `reactor replay --since 7d --set components.triage.urgent_at=0.6`
        """
        if effects == "live":
            raise NothingIsSent
        asked = Asked(
            since=since,
            until=until,
            offset=offset or (),
            repo=repo or (),
            event=event or (),
            delivery=delivery or (),
            reaction=reaction or (),
            archive=str(archive.absolute()) if archive else "",
            config=str(config.absolute()) if config else "",
            set=set_ or (),
            scope=scope or (),
        )
        run, asked = _run_of(asked, id_, resume, data)
        is_only_shown = bool(resume) and run.is_done
        try:
            progress = run.progress if is_only_shown else _replayed(asked, run, data)
            _show(run, progress, html=html, as_json=as_json, show=show)
        except BrokenPipeError:  # who reads has gone
            raise
        except OSError as error:
            where = str(error.filename or run.folder)
            raise FileUnusable(run.id, where, error.strerror or str(error)) from None
        summary = progress.summary
        typer.echo(summary.line(rate=progress.rate))
        if fail_on_diff and (summary.different or summary.failed):
            raise typer.Exit(1)


def _run_of(asked: Asked, id_: str, resume: str, data: Path) -> "tuple[Run, Asked]":
    from reactor.replay.folder import Runs

    runs = Runs(data)
    if not resume:
        return runs.run(id_ or f"{now():%Y%m%dT%H%M%S}-{secrets.token_hex(2)}"), asked
    if id_ or not replace(asked, config="").is_empty:
        raise typer.BadParameter(
            "says everything: leave out the other options", param_hint="--resume"
        )
    run = runs.run(resume)
    before = asked_before(run)
    return run, replace(before, config=asked.config or before.config)


def _replayed(asked: Asked, run: "Run", data: Path) -> "Progress":
    from reactor.cli.replay_shown import telling
    from reactor.wiring.replaying import Replay, replay
    from reactor.wiring.what_if import packages_in

    settings = _settings(asked, data)
    request = request_of(asked, run, settings)
    with telling(run.id) as told:
        wanted = Replay(
            run=run,
            request=request,
            selection=asked.selection(request),
            archive=archive_of(asked),
            supposed=packages_in(asked.set),
            on_read=told.read,
            on_progress=told.progress,
            on_faults=told.faults,
        )
        try:
            progress = asyncio.run(replay(settings, wanted))
        except (KeyboardInterrupt, InfrastructureError) as error:
            typer.echo(f"stopped; go on with `reactor replay --resume {run.id}`", err=True)
            if isinstance(error, KeyboardInterrupt):
                raise typer.Exit(_INTERRUPTED) from None
            raise
    for damage in wanted.damage:
        typer.echo(f"{asked.archive}: left out {damage}", err=True)
    return progress


def _settings(asked: Asked, data: Path) -> "Settings":
    """Those of what runs from `data`, as they might be; only errors are logged."""
    from reactor import logs
    from reactor.censoring import known_secrets
    from reactor.wiring.what_if import settings_if

    config = known_config(data, Path(asked.config) if asked.config else None)
    environ = known_environ(data, os.environ)
    settings = in_folder(settings_if(config, environ, sets=asked.set, scopes=asked.scope), data)
    logs.configure(level="error", style=settings.log_format, secrets=known_secrets(settings))
    return settings


def _show(run: "Run", progress: "Progress", *, html: Path | None, as_json: bool, show: int) -> None:
    from reactor.cli.replay_shown import show_results

    if html is not None:
        from reactor.web.replay_page import write_page

        write_page(html, run, progress)
    if as_json:
        for each in run.results():
            typer.echo(json.dumps(each, ensure_ascii=False))
        return
    show_results(run, progress, most=show)
