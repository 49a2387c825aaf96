"""The gateway's one door: `POST /webhook`.

Each check is made as early as it can be, in a documented order: method, what the headers say
(`Dialect.check`), size, signature and document (`Sealed.open`), then the delivery is taken in.
Anything refused is answered with what is wrong, where, and what to do.
"""

import asyncio
from collections.abc import Mapping
from dataclasses import replace
from datetime import datetime
from typing import Protocol

from starlette.requests import ClientDisconnect
from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from reactor.delivery import Delivery
from reactor.errors import InfrastructureError
from reactor.log_context import bound
from reactor.ports import Clock
from reactor.refusal import Refused
from reactor.tracing import span
from reactor.web.answers import away, json_answer, problem, wrong_method
from reactor.web.body import Bodies, Body
from reactor.web.intake import Intake, Receipt
from reactor.web.observer import Observer

_SLOW_BYTES = 512 * 1024  # what takes longer than 5 ms to verify and read is done in a thread


class Sealed(Protocol):
    """A request whose headers are in order, and whose body nobody has read."""

    @property
    def id(self) -> str:
        """The delivery's."""
        ...

    @property
    def event(self) -> str:
        """The event's name."""
        ...

    def open(self, body: bytes, *, received_at: datetime) -> Delivery:
        """Verify and read the body.  Raises `Refused`."""
        ...


class Dialect(Protocol):
    """How one kind of server sends webhooks."""

    @property
    def hosts(self) -> tuple[str, ...]:
        """The hosts that may send."""
        ...

    def check(self, headers: Mapping[str, str]) -> Sealed:
        """Look at the headers: lower-case names, repeated ones joined.  Raises `Refused`."""
        ...


class Gateway:
    """An ASGI endpoint that accepts deliveries, and answers when they are durable."""

    def __init__(
        self,
        *,
        dialect: Dialect,
        intake: Intake,
        bodies: Bodies,
        clock: Clock,
        observer: Observer,
    ) -> None:
        self._dialect, self._intake, self._bodies = dialect, intake, bodies
        self._clock, self._observer = clock, observer

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        async with self._bodies.of(scope, receive) as body:
            try:
                response = await self._respond(scope, body)
            except ClientDisconnect:  # nothing was accepted, and nobody waits for an answer
                self._observer.gave_up(_joined(scope), scope)
                return
            if body.ends_connection:
                await _answer_and_hang_up(response, body, send)
                return
            await response(scope, receive, send)

    async def _respond(self, scope: Scope, body: Body) -> Response:
        headers = _joined(scope)
        try:
            if scope["method"] != "POST":
                raise wrong_method(scope["method"])
            sealed = self._dialect.check(headers)
            delivery = await self._open(sealed, await body.read())
            with bound(delivery_id=delivery.id, subject=delivery.subject.name):
                receipt = await self._accept(delivery)
        except Refused as refused:
            return self._refuse(refused, headers, scope)
        except InfrastructureError as error:
            return self._refuse(away(error), headers, scope)
        self._observer.accepted(delivery, receipt)
        answer = {"delivery": delivery.id, "status": receipt.status}
        return json_answer(answer, status=200 if receipt.status == "ignored" else 202)

    async def _accept(self, delivery: Delivery) -> Receipt:
        names = {"delivery_id": delivery.id, "subject": delivery.subject.name}
        with span("accept", event=delivery.kind, **names) as step:
            if step.traceparent:
                delivery = replace(delivery, traceparent=step.traceparent)
            receipt = await self._intake.accept(delivery)
            step.note(status=receipt.status)
        return receipt

    def _refuse(self, refused: Refused, headers: Mapping[str, str], scope: Scope) -> Response:
        self._observer.refused(refused, headers, scope)
        return problem(refused, headers={"Allow": "POST"} if refused.status == 405 else None)

    async def _open(self, sealed: Sealed, body: bytes) -> Delivery:
        received_at = self._clock.now()
        if len(body) < _SLOW_BYTES:
            return sealed.open(body, received_at=received_at)
        return await asyncio.to_thread(sealed.open, body, received_at=received_at)


async def _answer_and_hang_up(response: Response, body: Body, send: Send) -> None:
    """Answer at once, hang up only when the client has had a chance to read the answer.

    A connection that is closed while its client still sends is reset, and the answer is lost.
    """
    response.headers["Connection"] = "close"
    await send(
        {
            "type": "http.response.start",
            "status": response.status_code,
            "headers": response.raw_headers,
        }
    )
    await send({"type": "http.response.body", "body": response.body, "more_body": True})
    await body.discard()
    await send({"type": "http.response.body", "body": b"", "more_body": False})


def _joined(scope: Scope) -> dict[str, str]:
    """The headers; one that came more than once is joined by commas (RFC 9110, section 5.3)."""
    joined: dict[str, str] = {}
    for raw_name, raw_value in scope["headers"]:
        name, value = raw_name.decode("latin-1"), raw_value.decode("latin-1")
        joined[name] = f"{joined[name]}, {value}" if name in joined else value
    return joined
