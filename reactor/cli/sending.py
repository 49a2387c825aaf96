"""`reactor send`: sign a payload as GitHub does, and send it to a gateway."""

import hashlib
import hmac
import os
import sys
import uuid
from pathlib import Path
from typing import Annotated

import typer

from reactor.cli.place import DEFAULT_DATA, Data, gateway_of
from reactor.errors import ReactorError

_DEFAULT_GATEWAY = "http://127.0.0.1:8080"


class GatewayUnreachable(ReactorError):
    """Nothing answers at the address that was given."""

    def __init__(self, url: str, detail: str) -> None:
        super().__init__(url, detail)
        self.url, self.detail = url, detail

    def __str__(self) -> str:
        return f"no gateway answers at {self.url} ({self.detail}); start one with `reactor up`"


def signed_headers(event: str, body: bytes, *, secret: str, delivery: str) -> dict[str, str]:
    """The headers that GitHub would send with `body`."""
    headers = {
        "Content-Type": "application/json",
        "User-Agent": "GitHub-Hookshot/reactor",
        "X-GitHub-Event": event,
        "X-GitHub-Delivery": delivery,
    }
    if secret:
        digest = hmac.new(secret.encode(), body, hashlib.sha256).hexdigest()
        headers["X-Hub-Signature-256"] = f"sha256={digest}"
    return headers


def read_payload(path: Path) -> bytes:
    """The bytes of a payload file; `-` reads standard input.  Raises `typer.BadParameter`."""
    if str(path) == "-":
        return sys.stdin.buffer.read()
    try:
        return path.read_bytes()
    except OSError as error:
        raise typer.BadParameter(f"{path} can't be read: {error.strerror}") from None


def new_delivery_id() -> str:
    """A fresh id, as GitHub would give."""
    return str(uuid.uuid4())


def register(app: typer.Typer) -> None:
    """Add `send`."""

    @app.command()
    def send(
        event: Annotated[str, typer.Option("--event", "-e", help="Event name, e.g. issues.")],
        payload: Annotated[Path, typer.Option("--payload", "-p", help="JSON file; - for stdin.")],
        url: Annotated[
            str, typer.Option(help="Address of the gateway; default: that of `reactor up`.")
        ] = "",
        secret: Annotated[
            str, typer.Option(help="Default: the first of GITHUB_WEBHOOK_SECRET.")
        ] = "",
        delivery: Annotated[str, typer.Option(help="Delivery id; default: a new one.")] = "",
        data: Data = DEFAULT_DATA,
    ) -> None:
        """Sign a payload as GitHub does and send it to a running gateway.

        Example: `reactor send -e issues -p issue.json`
        """
        import httpx

        body = read_payload(payload)
        secrets = os.environ.get("GITHUB_WEBHOOK_SECRET", "")
        key = secret or secrets.replace("\n", ",").split(",")[0].strip()
        headers = signed_headers(event, body, secret=key, delivery=delivery or new_delivery_id())
        url = url or f"{gateway_of(data) or _DEFAULT_GATEWAY}/webhook"
        try:
            answer = httpx.post(url, content=body, headers=headers, timeout=15)
        except httpx.HTTPError as error:
            raise GatewayUnreachable(url, str(error) or type(error).__name__) from None
        typer.echo(f"{answer.status_code} {answer.text}")
        if answer.status_code >= 400:
            raise typer.Exit(1)
