"""`reactor components check` and `docs`: lint of what is installed, and its reference pages."""

import asyncio
import json
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from reactor.cli.place import DEFAULT_DATA, Data, asking_settings
from reactor.cli.serving import Config, ready_settings
from reactor.errors import ReactorError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from reactor.settings import Settings
    from reactor.troubles import Trouble
    from reactor.wiring.checking import Checked

_COLOURS = {"error": "red", "warning": "yellow", "note": None}


def register(components: typer.Typer) -> None:
    """Add `check` and `docs`."""

    @components.command()
    def check(
        package: Annotated[
            list[str] | None, typer.Argument(help="Only these packages; none named: all.")
        ] = None,
        strict: Annotated[
            bool, typer.Option("--strict", help="Exit code 1 for warnings as well.")
        ] = False,
        notes: Annotated[
            bool, typer.Option("--notes", help="Notes on all packages, too, where none is named.")
        ] = False,
        as_json: Annotated[bool, typer.Option("--json", help="One JSON document.")] = False,
        data: Data = DEFAULT_DATA,
        config: Config = None,
    ) -> None:
        """Check packages: faults, what can never happen, ties, calls that block; with places.

        Where a Reactor runs, also what its workers had with them in the last day.  Exit code 1
        where there is a fault.  Example: `reactor components check triage`
        """
        from reactor.wiring.checking import check as check_packages

        settings = ready_settings(config)
        checked = check_packages(settings, package or ())
        running = asking_settings(config, data)
        if running.redis.url is not None:
            checked = checked.and_seen(asyncio.run(_seen(running)), package or ())
        if as_json:
            told = [{**asdict(each), "text": str(each)} for each in checked.findings]
            typer.echo(json.dumps({"packages": checked.packages, "findings": told}))
        else:
            _show(checked, notes=notes or bool(package))
        if checked.count("error") or (strict and checked.count("warning")):
            raise typer.Exit(1)

    _register_docs(components)


def _register_docs(components: typer.Typer) -> None:
    @components.command()
    def docs(
        package: Annotated[
            list[str] | None, typer.Argument(help="Only these packages; none named: all.")
        ] = None,
        out: Annotated[
            Path | None, typer.Option(help="A folder for the pages; left out: they are printed.")
        ] = None,
        config: Config = None,
    ) -> None:
        """Write a reference page for each package, in Markdown, from what is installed.

        Example: `reactor components docs --out docs/components`
        """
        from reactor.manual import INDEX

        pages = _pages(ready_settings(config))
        if package:
            pages = {f"{name}.md": _page_of(pages, name) for name in package}
        if out is None:
            typer.echo("\n".join(text for name, text in pages.items() if name != INDEX), nl=False)
            return
        out.mkdir(parents=True, exist_ok=True)
        for name, text in pages.items():
            (out / name).write_text(text, encoding="utf-8")
            typer.echo(out / name)


class UnknownPackage(ReactorError):
    """No package of this name works here."""

    def __init__(self, name: str, known: tuple[str, ...]) -> None:
        super().__init__(name, known)
        self.name, self.known = name, known

    def __str__(self) -> str:
        there = ", ".join(self.known)
        return (
            f"no package {self.name!r} works here (there are: {there}); `reactor components check`"
            " tells what is left out, and why"
        )


async def _seen(settings: "Settings") -> "Sequence[Trouble]":
    """What workers had with components of late; where that can't be told, it is said."""
    from reactor.errors import InfrastructureError
    from reactor.wiring.redis import redis_parts

    async with redis_parts(settings) as redis:
        try:
            return await redis.troubles.known()
        except InfrastructureError as error:
            typer.echo(f"what workers had with components is not known: {error}", err=True)
            return ()


def _pages(settings: "Settings") -> dict[str, str]:
    from reactor.adapters.clock import SystemClock
    from reactor.adapters.memory import MemoryFirsts
    from reactor.manual import manual
    from reactor.wiring.platform import install

    installed = install(settings, firsts=MemoryFirsts(), clock=SystemClock())
    for fault in installed.faults:
        typer.echo(f"left out: {fault}", err=True)
    return manual(installed.platform)


def _page_of(pages: "Mapping[str, str]", name: str) -> str:
    if f"{name}.md" not in pages:
        known = tuple(each.removesuffix(".md") for each in pages if each != "index.md")
        raise UnknownPackage(name, known)
    return pages[f"{name}.md"]


def _show(checked: "Checked", *, notes: bool) -> None:
    from reactor.cli.terminal import harmless

    for finding in checked.findings:
        if notes or finding.severity != "note":
            typer.secho(harmless(str(finding)), fg=_COLOURS[finding.severity])
    hidden = "" if notes or not checked.count("note") else " (--notes shows them)"
    typer.echo(
        f"components check: packages={checked.packages} errors={checked.count('error')}"
        f" warnings={checked.count('warning')} notes={checked.count('note')}{hidden}"
    )
