"""`reactor components check`: lint of the packages that are installed, with places."""

import json
from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated

import typer

from reactor.cli.serving import Config, ready_settings

if TYPE_CHECKING:
    from reactor.wiring.checking import Checked

_COLOURS = {"error": "red", "warning": "yellow", "note": None}


def register(components: typer.Typer) -> None:
    """Add `check`."""

    @components.command()
    def check(
        package: Annotated[
            list[str] | None, typer.Argument(help="Only these packages; none named: all.")
        ] = None,
        strict: Annotated[
            bool, typer.Option("--strict", help="Exit code 1 for warnings as well.")
        ] = False,
        as_json: Annotated[bool, typer.Option("--json", help="One JSON document.")] = False,
        config: Config = None,
    ) -> None:
        """Check packages: faults, what can never happen, ties, calls that block; with places.

        Exit code 1 where there is a fault.  Example: `reactor components check triage`
        """
        from reactor.wiring.checking import check as check_packages

        checked = check_packages(ready_settings(config), package or ())
        if as_json:
            told = [{**asdict(each), "text": str(each)} for each in checked.findings]
            typer.echo(json.dumps({"packages": checked.packages, "findings": told}))
        else:
            _show(checked)
        if checked.count("error") or (strict and checked.count("warning")):
            raise typer.Exit(1)


def _show(checked: "Checked") -> None:
    from reactor.cli.terminal import harmless

    for finding in checked.findings:
        typer.secho(harmless(str(finding)), fg=_COLOURS[finding.severity])
    typer.echo(
        f"components check: packages={checked.packages} errors={checked.count('error')}"
        f" warnings={checked.count('warning')} notes={checked.count('note')}"
    )
