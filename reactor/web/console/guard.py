"""Who may look, and what a page may do in a browser."""

from dataclasses import dataclass

from starlette.datastructures import Headers, MutableHeaders
from starlette.requests import Request
from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from reactor.refusal import Refused
from reactor.web.access import Access, Endpoint, is_loopback

# Nothing but our own style sheet and icon: a script that got through the escaping would not run.
_POLICY = (
    "default-src 'none'; style-src 'self'; img-src 'self'; form-action 'self'; base-uri 'none';"
    " frame-ancestors 'none'"
)
_HEADERS = {
    "Content-Security-Policy": _POLICY,
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
}


class SafeHeaders:
    """ASGI middleware: every answer, errors included, says what a browser may do with it."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer, with the headers."""

        async def send_safely(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                headers.update(_HEADERS)
                kept = "no-cache" if scope["path"].startswith("/static/") else "no-store"
                headers.setdefault("Cache-Control", kept)
            await send(message)

        await self._app(scope, receive, send_safely if scope["type"] == "http" else send)


@dataclass(frozen=True, slots=True)
class Guard:
    """Lets in who has the token; on loopback, without one, whoever uses a name of loopback.

    The name matters: a stranger's page could let its own name lead to 127.0.0.1 and so read from
    a visitor's browser what only this machine may see (DNS rebinding).
    """

    access: Access

    def guarded(self, endpoint: Endpoint) -> Endpoint:
        """`endpoint`, for those who may.  The others get a `Refused` (401, 403)."""
        inner = self.access.guarded(endpoint)

        async def guard(request: Request) -> Response:
            if self.access.token is None:
                _check_name(request.headers)
            return await inner(request)

        return guard


def _check_name(headers: Headers) -> None:
    name = headers.get("host", "")
    host = name.rpartition(":")[0] if name.rpartition(":")[2].isdecimal() else name
    if not is_loopback(host.strip("[]").lower()):
        raise Refused(
            403,
            "host",
            "without a token this answers under names of this machine only",
            where="header Host",
            fix="open it as http://127.0.0.1 or http://localhost, also through a tunnel",
        )
