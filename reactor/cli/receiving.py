"""`reactor receive`: one event through the in-memory engine, to see what would happen."""

import asyncio
import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated

import typer

from reactor.cli.sending import new_delivery_id, read_payload, signed_headers
from reactor.cli.serving import Config, ready_settings
from reactor.delivery import GITHUB_COM, Delivery
from reactor.errors import ReactorError
from reactor.refusal import Refused


class UnusablePayload(ReactorError):
    """The file is no payload of the event."""

    def __init__(self, path: Path, refused: Refused) -> None:
        super().__init__(path, refused)
        self.path, self.refused = path, refused

    def __str__(self) -> str:
        return f"{self.path}: {self.refused}"


def read_delivery(path: Path, event: str, delivery_id: str) -> Delivery:
    """The delivery that GitHub would make of the file.  Raises `UnusablePayload`."""
    from reactor.github.dialect import GitHubDialect

    body = read_payload(path)
    headers = signed_headers(event, body, secret="", delivery=delivery_id)
    dialect = GitHubDialect({GITHUB_COM: ()}, allow_unsigned=True)
    try:
        sealed = dialect.check({name.lower(): value for name, value in headers.items()})
        return sealed.open(body, received_at=datetime.now(UTC))
    except Refused as refused:
        raise UnusablePayload(path, refused) from None


def register(app: typer.Typer) -> None:
    """Add `receive`."""

    @app.command()
    def receive(
        event: Annotated[str, typer.Option("--event", "-e", help="Event name, e.g. issues.")],
        payload: Annotated[Path, typer.Option("--payload", "-p", help="JSON file; - for stdin.")],
        config: Config = None,
        delivery: Annotated[str, typer.Option(help="Delivery id; default: a new one.")] = "",
        as_json: Annotated[bool, typer.Option("--json", help="One JSON document.")] = False,
    ) -> None:
        """Run one event through the in-memory engine: what would happen, and why.  No server.

        Example: `reactor receive -e issues -p issue.json`
        """
        from reactor.sentences import six_lines
        from reactor.wiring.memory import receive as receive_in_memory

        read = read_delivery(payload, event, delivery or new_delivery_id())
        told, faults = asyncio.run(receive_in_memory(ready_settings(config), read))
        for fault in faults:
            typer.echo(f"left out: {fault}", err=True)
        typer.echo(json.dumps(told, ensure_ascii=False) if as_json else "\n".join(six_lines(told)))
