"""`reactor new`: folders to begin from."""

import shlex
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from reactor.errors import ReactorError

if TYPE_CHECKING:
    from reactor.scaffold import ComponentName, Created


class CannotWrite(ReactorError):
    """The folder can't be made."""

    def __init__(self, folder: Path, reason: str) -> None:
        super().__init__(folder, reason)
        self.folder, self.reason = folder, reason

    def __str__(self) -> str:
        return f"nothing can be written to {self.folder}: {self.reason}; name another one: --into"


def register(app: typer.Typer) -> None:
    """Add `new`."""
    new = typer.Typer(
        help="Make a folder to begin from.", no_args_is_help=True, rich_markup_mode="markdown"
    )
    app.add_typer(new, name="new")

    @new.callback()
    def begin() -> None:
        """Make a folder to begin from."""

    @new.command()
    def component(
        name: Annotated[str, typer.Argument(help="What it is called: label-bugs.")],
        into: Annotated[
            Path | None,
            typer.Option(
                help="The folder to make it in; by default components/ of a checkout of Reactor,"
                " and the current folder elsewhere."
            ),
        ] = None,
    ) -> None:
        """Make a component package: an action, a setting, a text, tests that pass.

        Example: `reactor new component label-bugs`
        """
        from reactor.plugins import installed_entry_points
        from reactor.scaffold import create, named, place_of

        wanted = named(name, taken=[point.name for point in installed_entry_points()])
        parent, in_workspace = place_of(into, Path())
        try:
            made = create(wanted, parent, in_workspace=in_workspace)
        except OSError as error:
            raise CannotWrite(parent, error.strerror or str(error)) from None
        for line in _told(wanted, made):
            typer.echo(line)


def _told(name: "ComponentName", made: "Created") -> Iterator[str]:
    yield f"made {made.folder}: {len(made.files)} files"
    yield from (f"  {path}" for path in made.files)
    yield "now:"
    folder = shlex.quote(str(made.folder))
    if made.in_workspace:
        yield "  make install"
        yield f"  .venv/bin/pytest {folder}"
        yield f"  .venv/bin/reactor components check {name.name}"
        yield f"  .venv/bin/reactor receive -e issues -p {folder}/samples/issues.opened.json"
        return
    python = Path(sys.executable)
    yield f"  cd {folder}"
    yield f"  {shlex.quote(str(python))} -m pip install -e '.[test]'"
    yield f"  {shlex.quote(str(python))} -m pytest"
    reactor = shlex.quote(str(python.with_name("reactor")))
    yield f"  {reactor} components check {name.name}"
    yield f"  {reactor} receive -e issues -p samples/issues.opened.json"
