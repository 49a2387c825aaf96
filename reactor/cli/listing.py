"""The installed components, for the terminal and as a document."""

from collections.abc import Mapping
from typing import Any

import typer

from reactor.installed import Action, Worth
from reactor.truth import Truth
from reactor.wiring.platform import Installed


def as_document(installed: Installed) -> dict[str, Any]:
    """Packages with their actions, and faults."""
    platform = installed.platform
    return {
        "packages": [
            {
                "name": package.name,
                "distribution": package.distribution,
                "version": package.version,
                "actions": [
                    _action(action)
                    for action in platform.actions.values()
                    if action.component.package is package
                ],
            }
            for package in platform.packages
        ],
        "faults": [str(fault) for fault in installed.faults],
    }


def show(installed: Installed) -> None:
    """One package after the other, each action with what it is worth and what it needs."""
    for package in as_document(installed)["packages"]:
        typer.secho(
            f"{package['name']}  ({package['distribution']} {package['version']})", bold=True
        )
        for action in package["actions"]:
            typer.echo(f"  {action['name']}  value {action['value']}, cost {action['cost']}")
            typer.echo(f"      {action['description']}")
            for need in action["needs"]:
                typer.echo(f"      needs {need}")
    for fault in installed.faults:
        typer.secho(f"fault: {fault}", fg="red", err=True)


def _action(action: Action) -> dict[str, Any]:
    return {
        "name": action.name,
        "description": _first_line(action),
        "value": _worth(action.value),
        "cost": _worth(action.cost),
        "needs": _needs(action.pre),
        "effects": sorted(kind.__name__ for kind in action.component.mark.effects),
    }


def _needs(pre: Mapping[str, Truth]) -> list[str]:
    return [f"{key} = {truth.value}" for key, truth in sorted(pre.items())]


def _worth(worth: Worth) -> str:
    return f"{worth.amount:g}" if worth.call is None else f"about {worth.amount:g}"


def _first_line(action: Action) -> str:
    text = action.mark.description or action.call.__doc__ or ""
    return text.strip().partition("\n")[0]
