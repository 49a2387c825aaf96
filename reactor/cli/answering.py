"""`reactor forms`, `answer` and `signal`: what people are asked, and what they tell processes."""

import asyncio
import getpass
import json
import sys
import uuid
from collections.abc import Iterator
from dataclasses import asdict, replace
from enum import Enum
from typing import TYPE_CHECKING, Annotated

import typer

from reactor.cli.place import DEFAULT_DATA, Data, asking_settings
from reactor.cli.serving import Config

if TYPE_CHECKING:
    from reactor.answering import Taken
    from reactor.settings import Settings
    from reactor.signal import Signal
    from reactor.status import ProcessHead
    from reactor.topic import Position
    from reactor.waiting import Answer, FormRequest

By = Annotated[str, typer.Option(help="Who says so; default: the user of this machine.")]
AsJson = Annotated[bool, typer.Option("--json", help="One JSON document.")]


class _Wish(Enum):
    """The words of `reactor.waiting.Wish`, as a command line takes them."""

    KILL = "kill"
    TERMINATE = "terminate"
    PAUSE = "pause"
    RESUME = "resume"


def register(app: typer.Typer) -> None:
    """Add `forms`, `answer` and `signal`."""

    @app.command()
    def forms(config: Config = None, data: Data = DEFAULT_DATA, as_json: AsJson = False) -> None:
        """List what people are asked, the newest first.

        Example: `reactor forms --json`
        """
        listed = asyncio.run(_listed(asking_settings(config, data)))
        if as_json:
            import orjson

            told = {"forms": [asdict(form) for form in listed]}  # as GET /api/forms tells them
            typer.echo(orjson.dumps(told).decode())
            return
        for form in listed:
            typer.echo("\n".join(shown(form)))
        if not listed:
            typer.echo("nobody is asked anything")

    @app.command()
    def answer(
        form: Annotated[str, typer.Argument(help="Id of an open form, as `reactor forms` tells.")],
        said: Annotated[
            str, typer.Option("--json", help="The answer as JSON; - reads standard input.")
        ] = "",
        approved: Annotated[
            bool | None, typer.Option("--yes/--no", help="To a question of yes or no.")
        ] = None,
        by: By = "",
        wait_s: Annotated[
            float, typer.Option("--wait", help="Seconds to wait until the process has heard it.")
        ] = 10.0,
        config: Config = None,
        data: Data = DEFAULT_DATA,
    ) -> None:
        """Answer a form; the process that waits for it goes on.

        Example: `reactor answer p0f3a...-2 --json '{"comment": "fine", "stars": 5}'`
        """
        told = _answer(form, said, approved, by=by or getpass.getuser())
        settings = asking_settings(config, data)
        taken, head = asyncio.run(_take(settings, told, wait_s))
        typer.echo(f"taken   {taken.answer.id} {_where(taken.position)}: {taken.form.title}")
        if head is None:
            typer.echo("unheard so far; it is kept until a worker reads it")
            return
        typer.echo(f"heard   process {head.id} is {head.status}")

    @app.command()
    def signal(
        process: Annotated[str, typer.Argument(help="Id of a process.")],
        wish: Annotated[_Wish, typer.Argument(help="What it shall do.")],
        reason: Annotated[str, typer.Option(help="Why, for whoever reads it later.")] = "",
        by: By = "",
        config: Config = None,
        data: Data = DEFAULT_DATA,
    ) -> None:
        """Tell a process to end, to pause or to go on.

        Example: `reactor signal p0f3a... kill --reason "it runs wild"`
        """
        from reactor.signal import Signal

        told = Signal(
            id=f"signal-{uuid.uuid4()}",
            kind=wish.value,
            process_id=process,
            by=by or getpass.getuser(),
            reason=reason,
        )
        settings = asking_settings(config, data)
        typer.echo(f"taken   {told.id} {_where(asyncio.run(_tell(settings, told)))}")


async def _listed(settings: "Settings") -> "list[FormRequest]":
    from reactor.wiring.desk import open_desk

    async with open_desk(settings) as desk:
        return await desk.answers.open_forms()


async def _take(
    settings: "Settings", answer: "Answer", wait_s: float
) -> "tuple[Taken, ProcessHead | None]":
    from reactor.wiring.desk import open_desk

    async with open_desk(settings) as desk:
        form = await desk.answers.form(answer.form_id)
        taken = await desk.answers.take(fitting(answer, form))
        return taken, await desk.heard(answer.form_id, within_s=wait_s)


async def _tell(settings: "Settings", signal: "Signal") -> "Position | None":
    from reactor.wiring.desk import open_desk

    async with open_desk(settings) as desk:
        return await desk.tell(signal)


def _where(position: "Position | None") -> str:
    return f"at {position}" if position else "and kept until the broker is back"


def _answer(form: str, said: str, approved: bool | None, *, by: str) -> "Answer":
    """Raises `typer.BadParameter`."""
    from reactor.waiting import Answer

    if (approved is None) == (not said):
        raise typer.BadParameter("give --json to a form, --yes or --no to a question of yes or no")
    answer_id = uuid.uuid4().hex
    if approved is not None:
        return Answer(id=answer_id, form_id=form, by=by, approved=approved)
    try:
        value = json.loads(sys.stdin.read() if said == "-" else said)
    except ValueError as error:
        raise typer.BadParameter(f"not JSON: {error}", param_hint="--json") from None
    return Answer(id=answer_id, form_id=form, by=by, value=value)


def fitting(answer: "Answer", form: "FormRequest") -> "Answer":
    """`--json true` and `--json '{"approved": true}'` are a yes, where one is asked for."""
    match form.kind, answer.value:
        case ("confirm", bool(approved)) | ("confirm", {"approved": bool(approved)}):
            return replace(answer, approved=approved, value=None)
    return answer


def shown(form: "FormRequest") -> Iterator[str]:
    """One form in lines, with how it is answered."""
    yield f"{form.id}  {_line(form.title)}"
    yield f"  asked by {form.action} at {form.asked_at:%Y-%m-%d %H:%M} UTC"
    if form.expires_at is not None:
        default = f"then the answer is {_line(form.default)}" if form.default else "then none"
        yield f"  expires at {form.expires_at:%Y-%m-%d %H:%M} UTC, {default}"
    for line in form.text.splitlines():
        yield f"  | {_line(line)}"
    if form.payload:
        yield f"  about {_line(form.payload)}"
    if form.kind == "confirm":
        yield "  answer with --yes or --no"
        return
    fields = form.schema.get("properties")
    for name, field in (fields if isinstance(fields, dict) else {}).items():
        told = [str(field.get(key, "")) for key in ("type", "description")]
        yield f"  {name}: {_line(' '.join(filter(None, told)))}"


def _line(text: str) -> str:
    """On one line, without what a terminal would take for a command."""
    return "".join(c if c.isprintable() else " " for c in text)[:500]
