"""`reactor explain`: what was decided, and why."""

import asyncio
import json
from typing import Annotated

import typer

from reactor.cli.place import DEFAULT_DATA, Data, asking_settings
from reactor.cli.serving import Config


def register(app: typer.Typer) -> None:
    """Add `explain`."""

    @app.command()
    def explain(
        delivery: Annotated[str, typer.Argument(help="A delivery id (X-GitHub-Delivery).")],
        config: Config = None,
        data: Data = DEFAULT_DATA,
        why_not: Annotated[
            str, typer.Option("--why-not", help="Say only why this action did not run.")
        ] = "",
        as_json: Annotated[bool, typer.Option("--json", help="One JSON document.")] = False,
    ) -> None:
        """Tell what came of a delivery: facts, candidates with net values, why the others not.

        Example: `reactor explain 72d3162e-cc78-11e3-81ab-4c9367dc0958`
        """
        from reactor.cli.render import show
        from reactor.cli.terminal import console
        from reactor.sentences import weighed_action
        from reactor.sentences import why_not as reasons
        from reactor.wiring.explaining import explain as told_of

        told = asyncio.run(told_of(asking_settings(config, data), delivery))
        if as_json:
            typer.echo(json.dumps(told, ensure_ascii=False))
            return
        if not why_not:
            show(told, console())
            return
        action = weighed_action(told, why_not)
        for process in told["processes"]:
            lines = reasons(process, action) or [f"{action} is not in its scope"]
            typer.echo("\n".join(f"[{process['reaction']}] {line}" for line in lines))
