"""Who may look, and what a page may do in a browser."""

from starlette.datastructures import MutableHeaders
from starlette.requests import Request
from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from reactor.web.access import Access, Endpoint

# Nothing but our own style sheet, script and icon: one that got through the escaping would not run.
_POLICY = (
    "default-src 'none'; script-src 'self'; connect-src 'self'; style-src 'self'; img-src 'self';"
    " form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
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


def guarded(access: Access, endpoint: Endpoint) -> Endpoint:
    """`endpoint`, for those who may.  The others get a `Refused` (401, 403).

    Pages are for browsers, which any stranger's page can send here: so the name is checked even
    for reading.
    """

    async def guard(request: Request) -> Response:
        access.check(request)
        access.check_name(request)
        return await endpoint(request)

    return guard
