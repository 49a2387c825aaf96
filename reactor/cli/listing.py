"""`reactor components`: what is installed, and what feeds what."""

import json
from enum import StrEnum
from typing import TYPE_CHECKING, Annotated

import typer

from reactor.cli import checking
from reactor.cli.serving import Config, ready_settings

if TYPE_CHECKING:
    from pathlib import Path

    from reactor.inventory import ToldComponents
    from reactor.wiring.platform import Installed


class Format(StrEnum):
    """How a graph is written."""

    TEXT = "text"
    DOT = "dot"
    SVG = "svg"


def register(app: typer.Typer) -> None:
    """Add `components`, with `graph`, `check` and `docs`."""
    components = typer.Typer(rich_markup_mode="markdown")
    app.add_typer(components, name="components")
    checking.register(components)

    @components.callback(invoke_without_command=True)
    def list_them(
        context: typer.Context,
        config: Config = None,
        as_json: Annotated[bool, typer.Option("--json", help="One JSON document.")] = False,
    ) -> None:
        """List the installed component packages, their actions and goals, and what is wrong.

        Example: `reactor components`, `reactor components graph --format svg > graph.svg`
        """
        if context.invoked_subcommand is not None:
            return
        from reactor.inventory import told_components

        installed = _install(config)
        told = told_components(installed.platform, installed.faults, installed.disabled)
        if as_json:
            typer.echo(json.dumps(told, ensure_ascii=False))
        else:
            show(told)
        if installed.faults:
            raise typer.Exit(1)

    @components.command()
    def graph(
        config: Config = None,
        format_: Annotated[
            Format, typer.Option("--format", "-f", help="Lines, Graphviz's DOT, or a drawing.")
        ] = Format.TEXT,
        package: Annotated[
            list[str] | None, typer.Option(help="Only of this package; may be repeated.")
        ] = None,
        agent: Annotated[
            list[str] | None, typer.Option(help="Only of this agent; may be repeated.")
        ] = None,
    ) -> None:
        """Show which actions, conditions and goals feed which.

        Example: `reactor components graph --format svg --package triage > triage.svg`
        """
        from reactor.graph import dot_of, graph_of, svg_of, text_of
        from reactor.scope import Scope

        installed = _install(config)
        for fault in installed.faults:
            typer.echo(f"left out: {fault}", err=True)
        scope = None
        if package or agent:
            scope = Scope.from_packages(*package or ()) | Scope.from_agents(*agent or ())
        drawn = graph_of(installed.platform, scope)
        write = {Format.TEXT: text_of, Format.DOT: dot_of, Format.SVG: svg_of}[format_]
        typer.echo(write(drawn))


def _install(config: "Path | None") -> "Installed":
    from reactor.adapters.clock import SystemClock
    from reactor.adapters.memory import MemoryFirsts
    from reactor.wiring.platform import install

    settings = ready_settings(config)
    return install(settings, firsts=MemoryFirsts(), clock=SystemClock())


def show(told: "ToldComponents") -> None:
    """One package after the other, each action with what it is worth and what it needs."""
    for package in told["packages"]:
        typer.secho(
            f"{package['name']}  ({package['distribution']} {package['version']})", bold=True
        )
        for agent in package["agents"]:
            typer.echo(f"  agent {agent['name']}  planner {agent['planner']}")
            typer.echo(f"      {agent['description']}")
        for action in package["actions"]:
            typer.echo(f"  {action['name']}  value {action['value']}, cost {action['cost']}")
            typer.echo(f"      {action['description']}")
            for need in action["needs"]:
                typer.echo(f"      needs {need}")
        for executor in package["executors"]:
            said = f"\n      {executor['description']}" if executor["description"] else ""
            typer.echo(f"  {executor['name']}  sends {executor['sends']}{said}")
        for command in package["commands"]:
            typer.echo(f"  {command['usage']}  for {command['who']}")
            typer.echo(f"      {command['description']}")
        for goal in package["goals"]:
            typer.echo(f"  goal {goal['name']}  value {goal['value']}")
            typer.echo(f"      {goal['description']}")
    _show_left_out(told)


def _show_left_out(told: "ToldComponents") -> None:
    for name in told["disabled"]:
        typer.echo(f"{name}  disabled (components.{name}.disabled)")
    for fault in told["faults"]:
        typer.secho(f"fault: {fault}", fg="red", err=True)
