"""`reactor explain`: what was decided, and why."""

import asyncio
import json
from contextlib import suppress
from typing import TYPE_CHECKING, Annotated

import typer

from reactor.cli.place import DEFAULT_DATA, Data, asking_settings
from reactor.cli.serving import Config
from reactor.errors import ReactorError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from reactor.explain import ToldDelivery
    from reactor.settings import Settings
    from reactor.why_not import ToldWhyNot


def register(app: typer.Typer) -> None:
    """Add `explain`."""

    @app.command()
    def explain(
        name: Annotated[
            str,
            typer.Argument(
                metavar="DELIVERY|PROCESS",
                help="Id of a delivery (X-GitHub-Delivery), or of one process.",
            ),
        ],
        config: Config = None,
        data: Data = DEFAULT_DATA,
        why_not: Annotated[
            str, typer.Option("--why-not", help="Say only why this action did not run.")
        ] = "",
        all_of_it: Annotated[
            bool, typer.Option("--all", help="Every planning with all that was weighed.")
        ] = False,
        as_json: Annotated[bool, typer.Option("--json", help="One JSON document.")] = False,
    ) -> None:
        """Tell what came of a delivery in one screen: what ran and why, and why the rest did not.

        Example: `reactor explain 72d3162e-cc78-11e3-81ab-4c9367dc0958`
        """
        if "/" in name:  # as no id of either kind
            raise typer.BadParameter(f"that is no id; `reactor trace {name}` tells of a subject")
        settings = asking_settings(config, data)
        told = _told(settings, name)
        if why_not:
            _show_why_not(_why_not(settings, told, why_not), as_json=as_json)
        elif as_json:
            typer.echo(json.dumps(told, ensure_ascii=False))
        else:
            _show(told, settings, all_of_it=all_of_it)


def _told(settings: "Settings", name: str) -> "ToldDelivery":
    from reactor.wiring.looking_up import explain

    return asyncio.run(explain(settings, name))


def _why_not(settings: "Settings", told: "ToldDelivery", name: str) -> "ToldWhyNot":
    """What is installed is looked at only where the processes alone don't tell: it takes long."""
    from reactor.why_not import UnknownAction, named_action, weighed_action, why_not

    try:
        action = weighed_action(told, name)
        if all(action in process["actions"] for process in told["processes"]):
            return why_not(told, action)
    except UnknownAction:
        action = name
    from reactor.wiring.explaining import on_offer

    offer = asyncio.run(on_offer(settings, told))
    return why_not(told, named_action(told, action, offer), offer)


def _show_why_not(told: "ToldWhyNot", *, as_json: bool) -> None:
    from reactor.cli.terminal import harmless
    from reactor.why_not import why_not_lines

    if as_json:
        typer.echo(json.dumps(told, ensure_ascii=False))
        return
    for line in why_not_lines(told):
        typer.echo(harmless(line))


def _show(told: "ToldDelivery", settings: "Settings", *, all_of_it: bool) -> None:
    from reactor.cli.terminal import console

    if all_of_it:
        from reactor.cli.render import show

        show(told, console())
        return
    from reactor.briefly import brief
    from reactor.cli.brief import show_lines

    unstarted = {} if told["processes"] else _unstarted(settings, told)
    show_lines(brief(told, unstarted), console())


def _unstarted(settings: "Settings", told: "ToldDelivery") -> "Mapping[str, str]":
    """Why each reaction began nothing, as far as the settings of today tell."""
    from reactor.wiring.explaining import on_offer

    with suppress(ReactorError):  # what came can't be read, or a reaction is wrong by now
        return asyncio.run(on_offer(settings, told)).unstarted
    return {}
