"""Tracing, where a collector is named: for as long as a process of ours runs."""

import asyncio
import os
import socket
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager

from reactor.delivery import Delivery
from reactor.errors import ReactorError
from reactor.settings import Settings
from reactor.topic import Position
from reactor.tracing import span, traced_by
from reactor.worker import Settled

Settle = Callable[[Delivery, Position], Awaitable[Settled]]


class NoOpenTelemetry(ReactorError):
    """A collector is named, and what would send to it is not installed."""

    def __init__(self, missing: str) -> None:
        super().__init__(missing)
        self.missing = missing

    def __str__(self) -> str:
        return (
            f"tracing.endpoint is set, and {self.missing} is not installed: install the extra"
            " `otel` (webhook-reactor[otel]), or take tracing.endpoint and"
            " OTEL_EXPORTER_OTLP_ENDPOINT away"
        )


def spanned(settle: Settle) -> Settle:
    """`settle` as a span, part of the one that accepted the delivery."""

    async def settling(delivery: Delivery, position: Position) -> Settled:
        parent, kind, subject = delivery.traceparent, delivery.kind, delivery.subject.name
        names = {"delivery_id": delivery.id, "subject": subject, "position": str(position)}
        with span("settle", parent=parent, event=kind, source=delivery.source, **names) as step:
            settled = await settle(delivery, position)
            step.note(outcome=settled.ignored or "settled", processes=len(settled.heads))
        return settled

    return settling


@asynccontextmanager
async def tracing(settings: Settings, *, service: str, instance: str = "") -> AsyncIterator[None]:
    """Have spans made in this block, if the settings name a collector.

    `service` is the part of the installation, as "gateway"; `instance` is told by host and
    process id where it has no name.  Raises `NoOpenTelemetry`.
    """
    endpoint = settings.tracing.endpoint
    if endpoint is None:
        yield
        return
    try:
        from reactor.adapters.otel import OtelTracer
    except ModuleNotFoundError as error:
        raise NoOpenTelemetry(error.name or "OpenTelemetry") from None
    tracer = OtelTracer(
        endpoint,
        service=f"{settings.name}-{service}",
        instance=instance or f"{socket.gethostname()}/{os.getpid()}",
    )
    try:
        with traced_by(tracer):
            yield
    finally:
        await asyncio.to_thread(tracer.close)
