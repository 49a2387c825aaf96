"""The installed components, for the terminal."""

import typer

from reactor.inventory import ToldComponents


def show(told: ToldComponents) -> None:
    """One package after the other, each action with what it is worth and what it needs."""
    for package in told["packages"]:
        typer.secho(
            f"{package['name']}  ({package['distribution']} {package['version']})", bold=True
        )
        for action in package["actions"]:
            typer.echo(f"  {action['name']}  value {action['value']}, cost {action['cost']}")
            typer.echo(f"      {action['description']}")
            for need in action["needs"]:
                typer.echo(f"      needs {need}")
    for fault in told["faults"]:
        typer.secho(f"fault: {fault}", fg="red", err=True)
