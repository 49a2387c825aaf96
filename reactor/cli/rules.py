"""`reactor rules`: check the file in which a repository says what it wants."""

import json
import sys
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from difflib import get_close_matches
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from reactor.errors import ReactorError

if TYPE_CHECKING:
    from reactor.github.repository_file import RepositoryFile
    from reactor.github.repository_yaml import Fault
    from reactor.policy import Narrowing
    from reactor.repository_rules import RepositoryRules

_PATH = Path(".github/reactor.yml")


class UnreadableRules(ReactorError):
    """There is no such file, or we may not read it."""

    def __init__(self, path: Path, reason: str) -> None:
        super().__init__(path, reason)
        self.path, self.reason = path, reason

    def __str__(self) -> str:
        return f"{self.path} can't be read: {self.reason}; name another one, or - for stdin"


def register(app: typer.Typer) -> None:
    """Add `rules`."""

    @app.command()
    def rules(
        file: Annotated[
            Path,
            typer.Argument(help="The file as it is, or will be, in the repository; - for stdin."),
        ] = _PATH,
        as_json: Annotated[bool, typer.Option("--json", help="One JSON document.")] = False,
    ) -> None:
        """Check a repository's .github/reactor.yml, and say what it lets through.  No server.

        Exit code 1 with faults, each on a line as FILE:LINE:COLUMN: REASON.  What the file
        extends is not looked at.

        Example: `reactor rules`, `git show HEAD:.github/reactor.yml | reactor rules -`
        """
        from reactor.github.repository_yaml import BadRepositoryFile, read_repository_file

        try:
            found = read_repository_file(_text(file)).rules
        except BadRepositoryFile as bad:
            _show_faults(file, bad.faults, as_json=as_json)
            raise typer.Exit(1) from None
        _show(found, as_json=as_json)


def _show_faults(file: Path, faults: "Sequence[Fault]", *, as_json: bool) -> None:
    if as_json:
        told = [asdict(fault) for fault in faults]
        typer.echo(json.dumps({"faults": told}, ensure_ascii=False))
        return
    for fault in faults:
        typer.echo(f"{file}:{fault.line}:{fault.column}: {fault.reason}")


def _show(found: "RepositoryFile", *, as_json: bool) -> None:
    parts = (found, *found.components.values())
    notes = list(_notes({kind for part in parts for kind in part.allow or ()}))
    if as_json:
        said = found.model_dump(mode="json", by_alias=True, exclude_unset=True)
        typer.echo(json.dumps({"faults": [], "rules": said, "notes": notes}, ensure_ascii=False))
        return
    for line in lines_of(found.rules("it", version="")):
        typer.echo(line)
    if found.extends:
        typer.echo(f"extends     {found.extends}, which counts for the rest")
    for note in notes:
        typer.echo(f"note        {note}")


def lines_of(rules: "RepositoryRules") -> Iterator[str]:
    """A line for each thing that is said."""
    yield f"everywhere  {_said(rules.whole)}"
    for name, narrowing in sorted(rules.components.items()):
        off = name in rules.whole.muted
        yield f"{name:11} {'nothing' if off else _said(narrowing)}"
    commands = rules.commands
    if commands is not None:
        listed = ", ".join(f"/{name}" for name in sorted(commands))
        yield f"commands    {listed or 'none'}"


def _said(narrowing: "Narrowing") -> str:
    parts = [
        {
            "observe": "nothing is changed, only recorded",
            "approve": "once a person approves it",
            "live": "what the operator grants",
        }[narrowing.mode]
    ]
    if narrowing.kinds is not None:
        parts.append(f"only {', '.join(sorted(narrowing.kinds)) or 'no kinds of effects'}")
    if narrowing.labels is not None:
        parts.append(f"labels: {', '.join(sorted(narrowing.labels)) or 'none'}")
    return "; ".join(parts)


def _notes(kinds: set[str]) -> Iterator[str]:
    """Of kinds that are not GitHub's: they may be a team's own, or a slip."""
    from reactor.github.effects import EFFECT_TYPES

    known = sorted(kind.__name__ for kind in EFFECT_TYPES)
    for kind in sorted(kinds.difference(known)):
        near = get_close_matches(kind, known, n=1, cutoff=0.7)
        hint = f"; did you mean {near[0]}?" if near else ""
        yield f"{kind} is no kind of effect that comes with Reactor{hint}"


def _text(path: Path) -> str:
    try:
        body = sys.stdin.buffer.read() if str(path) == "-" else path.read_bytes()
    except OSError as error:
        raise UnreadableRules(path, error.strerror or "it is no file") from None
    return body.decode("utf-8-sig", "replace")
