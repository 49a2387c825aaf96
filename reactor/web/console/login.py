"""Logging in with a token, and out: for people, whose browsers send no `Authorization`."""

import secrets
from dataclasses import dataclass
from datetime import timedelta
from urllib.parse import parse_qsl

import structlog
from starlette.requests import Request
from starlette.responses import HTMLResponse, RedirectResponse, Response

from reactor.ports import Clock
from reactor.refusal import Refused
from reactor.session import Session, session_key
from reactor.web.console.entrance import COOKIE, SECURE_COOKIE, Entrance
from reactor.web.console.origins import check_origin
from reactor.web.console.pages import Pages
from reactor.web.console.places import own_path
from reactor.web.console.sent import Sent, read_form

LONGEST_NAME = 64  # characters of who somebody says to be
_PATH = "/login"


@dataclass(frozen=True, slots=True, kw_only=True)
class Login:
    """The login page, and what its forms do."""

    entrance: Entrance
    pages: Pages
    clock: Clock
    lasts: timedelta

    async def page(self, request: Request) -> Response:
        """`GET /login?next=PATH`; who is in already goes there at once."""
        wanted = own_path(dict(parse_qsl(request.url.query)).get("next", "/"))
        try:
            await self.entrance.admit(request)
        except Refused as refused:
            if refused.status != 401:
                raise
            return self._asked(wanted)
        return RedirectResponse(wanted, 303)

    async def enter(self, request: Request) -> Response:
        """`POST /login`: a new session, whatever cookie the browser brought along."""
        check_origin(request, public_url=self.entrance.public_url)
        sent = await read_form(request)
        wanted, name = own_path(sent.text("next", longest=2_000)), sent.text("name")
        if not name or len(name) > LONGEST_NAME or not name.isprintable():
            fault = f"say who you are, in at most {LONGEST_NAME} characters"
            return self._asked(wanted, name=name[:LONGEST_NAME], fault=fault, status=422)
        try:
            role = self.entrance.role_of(_token(sent), request)
        except Refused as refused:
            address = self.entrance.client(request)
            structlog.get_logger("reactor.console").warning(
                "console_login_refused", by=name, reason=refused.reason, address=address
            )
            fault = "this is not the token" if refused.status == 401 else str(refused)
            return self._asked(wanted, name=name, fault=fault, status=refused.status)
        return await self._begun(request, wanted, name=name, may_change=role == "change")

    async def leave(self, request: Request) -> Response:
        """`POST /logout`: the session counts no more, wherever its cookie may be."""
        sessions, secret = self.entrance.sessions, self._secret(request)
        if sessions and secret:
            await sessions.end(session_key(secret))
        answer = RedirectResponse(_PATH, 303)
        self._forget(answer)
        return answer

    async def _begun(
        self, request: Request, wanted: str, *, name: str, may_change: bool
    ) -> Response:
        sessions, token = self.entrance.sessions, self.entrance.token_of(may_change=may_change)
        assert sessions is not None
        assert token is not None  # it was just given
        if earlier := self._secret(request):
            await sessions.end(session_key(earlier))
        secret = secrets.token_urlsafe(32)
        until = self.clock.now() + self.lasts
        session = Session(name=name, may_change=may_change, token=token, until=until)
        await sessions.begin(session_key(secret), session)
        structlog.get_logger("reactor.console").info(
            "console_login",
            by=name,
            may_change=may_change,
            address=self.entrance.client(request),
        )
        answer = RedirectResponse(wanted, 303)
        answer.set_cookie(
            self.entrance.cookie_of(request),
            secret,
            max_age=int(self.lasts.total_seconds()),
            path="/",
            secure=self.entrance.is_https(request),
            httponly=True,
            samesite="strict",
        )
        return answer

    def _secret(self, request: Request) -> str | None:
        return request.cookies.get(self.entrance.cookie_of(request))

    def _asked(
        self, wanted: str, *, name: str = "", fault: str = "", status: int = 200
    ) -> Response:
        told = {"next": wanted, "name": name, "fault": fault, "longest": LONGEST_NAME}
        return HTMLResponse(self.pages.render("login.html", told), status)

    def _forget(self, answer: Response) -> None:
        answer.delete_cookie(COOKIE, path="/", httponly=True, samesite="strict")
        answer.delete_cookie(SECURE_COOKIE, path="/", secure=True, httponly=True, samesite="strict")


def _token(sent: Sent) -> bytes:
    return sent.text("token", longest=10_000).encode()
