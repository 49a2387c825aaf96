"""`reactor demo`: ten signed deliveries through the whole path, on servers that come along."""

import asyncio
import os
import secrets
import shutil
import sys
import tempfile
from collections import Counter
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from reactor.cli.sending import new_delivery_id, signed_headers

if TYPE_CHECKING:
    import httpx

    from reactor.explain import ToldDelivery
    from reactor.settings import Settings
    from reactor.wiring.servers import Place, Up

_SETTLE_S = 30.0  # for all deliveries together; they take well under one
_SERVERS = ("KAFKA_BOOTSTRAP_SERVERS", "REDIS_URL", "HOST", "PORT")


@dataclass(frozen=True, slots=True)
class Sample:
    """One delivery of the demo."""

    title: str
    event: str
    file: str
    delivery: str = ""
    is_forged: bool = False  # signed with another secret


@dataclass(frozen=True, slots=True)
class Sent:
    """A sample, and what the gateway answered."""

    sample: Sample
    http_status: int
    status: str  # "accepted", "duplicate", ...; "" where it was refused
    detail: str  # why it was refused


def samples() -> list[Sample]:
    """What is sent, in order; the payloads lie in `reactor/samples`."""
    made = [
        Sample("a new issue", "issues", "issues.opened.json"),
        Sample("an urgent issue", "issues", "issues.opened.urgent.json"),
        Sample("an issue without a body", "issues", "issues.opened.null_body.json"),
        Sample("a comment on a pull request", "issue_comment", _COMMENT),
        Sample("a large pull request", "pull_request", "pull_request.opened.json"),
        Sample("a star", "star", "star.created.json"),
        Sample("a push", "push", "push.json"),
        Sample("a ping", "ping", "ping.json"),
    ]
    made = [replace(sample, delivery=new_delivery_id()) for sample in made]
    again = replace(made[0], title="the first delivery once more, under the same id")
    forged = Sample("a forgery", "issues", "issues.opened.json", new_delivery_id(), is_forged=True)
    return [*made, again, forged]


_COMMENT = "issue_comment.created.pull_request.json"


def register(app: typer.Typer) -> None:
    """Add `demo`."""

    @app.command()
    def demo(
        data: Annotated[
            Path | None, typer.Option(help="Keep everything in this folder; default: nothing.")
        ] = None,
    ) -> None:
        """Send signed deliveries through the whole path, and print what was decided and why.

        Starts an embedded broker, Redis, a gateway and a worker on free ports; ends by itself.
        """
        folder = data or Path(tempfile.mkdtemp(prefix="reactor-demo-"))
        try:
            is_fine = asyncio.run(_demo(folder.absolute()))
        finally:
            if data is None:
                shutil.rmtree(folder, ignore_errors=True)
        if not is_fine:
            raise typer.Exit(1)


async def _demo(data: Path) -> bool:
    import httpx

    from reactor.wiring.servers import running

    secret = secrets.token_hex(16)
    up = _plan(data, secret)
    typer.echo("starting: an embedded Redis, a Kafka-protocol broker, a gateway, a worker")
    async with running(up) as (place, _), httpx.AsyncClient(timeout=15) as client:
        typer.echo(f"running: POST {place.gateway}/webhook\n")
        sent = [await _send(client, place, sample, secret) for sample in samples()]
        unsettled = await _settle(client, place, sent)
        told = await _explain(up, place, sent)
    for each in sent:
        _print(each, told.get(each.sample.delivery))
    typer.echo("to see such things in a browser: `reactor up`, then http://127.0.0.1:8081")
    typer.echo(_summary(sent, list(told.values()), lost=len(unsettled)))
    return not unsettled


def _plan(data: Path, secret: str) -> "Up":
    from reactor.settings import load
    from reactor.wiring.servers import Up

    environ = {name: value for name, value in os.environ.items() if name not in _SERVERS}
    environ |= {"GITHUB_WEBHOOK_SECRET": secret, "LOG_LEVEL": "warning"}
    # its servers are its own, whatever the settings say of others
    environ |= {"KAFKA_SECURITY_PROTOCOL": "PLAINTEXT", "REACTOR_REDIS_CLUSTER": "false"}
    environ |= {"REACTOR_KAFKA_SESSION_TIMEOUT_S": "2"}  # the embedded broker joins in half of it
    settings = load(None, environ)
    return Up(
        settings=_embedded(settings),
        config=None,
        data=data,
        environ=environ,
        has_console=False,  # it is over before anybody could look
        quiet=True,
        on_event=_progress,
    )


def _embedded(settings: "Settings") -> "Settings":
    """The same settings on servers of our own."""
    return settings.model_copy(
        update={
            "kafka": settings.kafka.model_copy(update={"bootstrap_servers": None}),
            "redis": settings.redis.model_copy(update={"url": None}),
            "gateway": settings.gateway.model_copy(update={"host": "127.0.0.1", "port": 0}),
        }
    )


def _progress(name: str, what: str) -> None:
    typer.echo(f"  {name} {what}")


async def _send(client: "httpx.AsyncClient", place: "Place", sample: Sample, secret: str) -> Sent:
    body = files("reactor").joinpath("samples", sample.file).read_bytes()
    key = secret if not sample.is_forged else "somebody else's secret"
    headers = signed_headers(sample.event, body, secret=key, delivery=sample.delivery)
    answer = await client.post(f"{place.gateway}/webhook", content=body, headers=headers)
    said = answer.json()
    if answer.is_success:
        return Sent(sample, answer.status_code, said["status"], "")
    return Sent(sample, answer.status_code, "", said.get("title", ""))


async def _settle(client: "httpx.AsyncClient", place: "Place", sent: list[Sent]) -> set[str]:
    """Wait until every accepted delivery is settled; those that are not when time is up."""
    waiting = {each.sample.delivery for each in sent if each.status == "accepted"}
    try:
        async with asyncio.timeout(_SETTLE_S), _progress_bar(len(waiting)) as advance:
            while waiting:
                for delivery in sorted(waiting):
                    answer = await client.get(f"{place.gateway}/api/deliveries/{delivery}")
                    if answer.is_success and answer.json()["status"] == "settled":
                        waiting.discard(delivery)
                        advance()
                await asyncio.sleep(0.05)
    except TimeoutError:
        pass
    return waiting


@asynccontextmanager
async def _progress_bar(total: int) -> AsyncIterator[Callable[[], None]]:
    from rich.console import Console
    from rich.progress import Progress

    console = Console(file=sys.stderr)
    with Progress(console=console, transient=True, disable=not console.is_terminal) as progress:
        task = progress.add_task("settling deliveries", total=total)
        yield lambda: progress.advance(task)


async def _explain(up: "Up", place: "Place", sent: list[Sent]) -> dict[str, "ToldDelivery"]:
    from reactor.settings import load
    from reactor.wiring.looking_up import explain

    settings = load(None, {**up.environ, **place.environ})
    deliveries = [each.sample.delivery for each in sent if each.status == "accepted"]
    told = [await explain(settings, delivery) for delivery in deliveries]
    return dict(zip(deliveries, told, strict=True))


def _print(sent: Sent, told: "ToldDelivery | None") -> None:
    from reactor.sentences import path_lines

    answer = sent.status or f"refused: {sent.detail}"
    typer.secho(f"{sent.sample.title}: HTTP {sent.http_status} {answer}", bold=True)
    if told and sent.status == "accepted":
        for line in path_lines(told):
            typer.echo(f"  {line}")
    typer.echo("")


def _summary(sent: list[Sent], told: list["ToldDelivery"], *, lost: int) -> str:
    by_status = Counter(each.status for each in sent)
    processes = [process for each in told for process in each["processes"]]
    effects = sum(len(process["effects"]) for process in processes)
    return (
        f"demo: accepted={by_status['accepted']} duplicates={by_status['duplicate']}"
        f" refused={by_status['']} processes={len(processes)} effects={effects} lost={lost}"
    )
