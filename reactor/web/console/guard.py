"""Who may look, who may do something, and what a page may do in a browser."""

from collections.abc import Awaitable, Callable
from urllib.parse import quote

import structlog
from starlette.datastructures import MutableHeaders
from starlette.requests import Request
from starlette.responses import HTMLResponse, RedirectResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from reactor.refusal import Refused
from reactor.web.access import Endpoint
from reactor.web.console.entrance import Entrance, bearer_of
from reactor.web.console.origins import check_origin
from reactor.web.console.pages import Pages
from reactor.web.console.places import own_path
from reactor.web.console.sent import Sent, read_form, read_json
from reactor.web.console.viewer import Viewer, said_by, viewer_of

# Nothing but our own style sheet, script and icon: one that got through the escaping would not run.
_POLICY = (
    "default-src 'none'; script-src 'self'; connect-src 'self'; style-src 'self'; img-src 'self';"
    " form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
)
_HEADERS = {
    "Content-Security-Policy": _POLICY,
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",  # for browsers that know no frame-ancestors
    # not no-referrer: with that, browsers tell us of our own forms that they come from nowhere
    "Referrer-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": "camera=(), geolocation=(), microphone=()",
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


class Guard:
    """Lets in who may; the others get a `Refused`, or are shown where to log in."""

    def __init__(self, entrance: Entrance, pages: Pages) -> None:
        self._entrance, self._pages = entrance, pages
        self._log = structlog.get_logger("reactor.console")

    def looking(self, endpoint: Endpoint) -> Endpoint:
        """For those who may look: reading is guarded too, name of the host included.

        Any stranger's page can send a browser here.
        """

        async def guard(request: Request) -> Response:
            try:
                request.state.viewer = await self._entrance.admit(request)
            except Refused as refused:
                if refused.status == 401 and self._entrance.can_log_in and _is_visit(request):
                    return self._to_login(request)
                raise
            return await endpoint(request)

        return guard

    def posting(self, endpoint: Endpoint) -> Endpoint:
        """For those who may change things, from a form on a page of ours."""
        return self._changing(endpoint, self._own_form)

    def leaving(self, endpoint: Endpoint) -> Endpoint:
        """For whoever is in, those too who may only look: a form that ends their session."""

        async def guard(request: Request) -> Response:
            request.state.viewer = viewer = await self._entrance.admit(request)
            request.state.sent = await self._own_form(request, viewer)
            return await endpoint(request)

        return guard

    def programs(self, endpoint: Endpoint) -> Endpoint:
        """The same for programs, and for scripts of our own pages: they send JSON."""

        async def check(request: Request, viewer: Viewer) -> Sent:
            if viewer.via != "bearer" and _is_browser(request):
                check_origin(request, public_url=self._entrance.public_url)
            return await read_json(request)

        return self._changing(endpoint, check)

    async def _own_form(self, request: Request, viewer: Viewer) -> Sent:
        """What a page of ours has posted.  Raises `Refused`."""
        check_origin(request, public_url=self._entrance.public_url)
        sent = await read_form(request)
        self._entrance.seal.check(viewer.key, sent.text("csrf"))
        return sent

    def _changing(
        self, endpoint: Endpoint, check: Callable[[Request, Viewer], Awaitable[Sent]]
    ) -> Endpoint:
        async def guard(request: Request) -> Response:
            request.state.viewer = viewer = await self._entrance.admit(request)
            if not viewer.may_change:
                raise Refused(
                    403,
                    "read_only",
                    "you may look here, and change nothing",
                    where="your role",
                    fix="ask somebody who may; console.read_only, the token or the proxy's roles"
                    " decide it",
                )
            try:
                request.state.sent = await check(request, viewer)
            except Refused as refused:
                told = {"reason": refused.reason, "where": refused.where}
                self._log.warning("console_refused", **self._who(request), **told)
                raise
            answer = await endpoint(request)
            if answer.status_code < 400:
                self._log.info("console_change", by=said_by(request), **self._who(request))
            return answer

        return guard

    def _who(self, request: Request) -> dict[str, str]:
        """Who asked for what, for the log."""
        return {
            "path": request.url.path,
            "via": viewer_of(request).via,
            "address": self._entrance.client(request),
        }

    def _to_login(self, request: Request) -> Response:
        """Where to log in; whoever came by a link from elsewhere may be logged in already.

        A browser keeps our cookie to itself then, so it is sent here once more, from here.
        """
        query = f"?{request.url.query}" if request.url.query else ""
        wanted = own_path(request.url.path + query)
        if request.headers.get("sec-fetch-site") == "cross-site":
            return HTMLResponse(self._pages.render("again.html", {"path": wanted}))
        return RedirectResponse(f"/login?next={quote(wanted, safe='')}", 303)


def _is_visit(request: Request) -> bool:
    """Whether a person goes to a page: no program, no script of a page."""
    mode = request.headers.get("sec-fetch-mode", "navigate")
    accepts = request.headers.get("accept", "")
    is_page = not request.url.path.startswith("/api/")
    is_program = bearer_of(request) is not None
    return is_page and not is_program and mode == "navigate" and "text/html" in accepts


def _is_browser(request: Request) -> bool:
    """Whether it has said where it comes from, as every browser does that posts."""
    return "origin" in request.headers or "sec-fetch-site" in request.headers
