"""Who comes in to the console, and as whom.

this machine, where the console listens on loopback alone,   may do everything
    and nothing says that others come as well
a trusted proxy that names somebody                          as its header of roles says
`Authorization: Bearer` with a token, or the read token      programs
a session, begun with one of the two on the login page       people
"""

import hashlib
import hmac
import secrets
from dataclasses import dataclass, field, replace
from typing import Literal

from starlette.requests import Request

from reactor.refusal import Refused
from reactor.session import Session, Sessions, session_key
from reactor.web.access import Access
from reactor.web.console.attempts import Attempts
from reactor.web.console.origins import Seal
from reactor.web.console.proxy import TrustedProxy, check_nobody_between
from reactor.web.console.viewer import Viewer

COOKIE = "reactor-session"
SECURE_COOKIE = "__Host-reactor-session"  # browsers take that name by TLS alone, from us alone

Role = Literal["change", "look"]


def fresh_seal() -> Seal:
    """One of this console alone: its forms are out of date once it is started anew."""
    return Seal(secrets.token_bytes(32))


@dataclass(frozen=True, slots=True, kw_only=True)
class Entrance:
    """Every way in."""

    access: Access
    read_token: str | None = field(default=None, repr=False)
    is_read_only: bool = False  # nobody may change anything
    proxy: TrustedProxy | None = None
    sessions: Sessions | None = None  # None: nobody can log in
    attempts: Attempts | None = None  # None: guessing is not slowed
    seal: Seal = field(default_factory=fresh_seal)
    public_url: str | None = None
    here: str = ""  # who it is on this machine

    @property
    def is_open(self) -> bool:
        """Whether whoever can connect may come in: nobody but this machine can."""
        has_token = self.access.token is not None or self.read_token is not None
        return self.access.loopback and not has_token and self.proxy is None

    @property
    def can_log_in(self) -> bool:
        """Whether there is a login page."""
        return self.sessions is not None and any((self.access.token, self.read_token))

    async def admit(self, request: Request) -> Viewer:
        """Who it is.  Raises `Refused`: 401, 403 (name of the host), 429."""
        viewer = await self._found(request)
        if self.is_read_only:
            viewer = replace(viewer, may_change=False)
        return replace(viewer, csrf=self.seal.word(viewer.key))

    async def _found(self, request: Request) -> Viewer:
        if self.is_open:
            self.access.check_name(request)
            check_nobody_between(request)
            return Viewer(name=self.here, may_change=True, via="here", key="here")
        if self.proxy and (user := self.proxy.user(request)):
            return Viewer(
                name=user.name, may_change=user.may_change, via="proxy", key=f"proxy {user.name}"
            )
        if (token := bearer_of(request)) is not None:
            role = self.role_of(token, request)
            return Viewer(may_change=role == "change", via="bearer")
        if viewer := await self._by_session(request):
            return viewer
        raise self._unknown()

    def role_of(self, token: bytes, request: Request) -> Role:
        """What a token, as it was sent, lets do.  Raises `Refused`: 401, 429."""
        address = self.client(request)
        if self.attempts:
            self.attempts.check(address)
        # both are looked at whatever the first one says, so that no time tells which it was
        may_change, may_look = _fits(token, self.access.token), _fits(token, self.read_token)
        if may_change:
            return "change"
        if may_look:
            return "look"
        if self.attempts:
            self.attempts.was_wrong(address)
        raise self._unknown()

    def token_of(self, *, may_change: bool) -> str | None:
        """The digest of the token that lets do so now; None where there is no such token."""
        token = self.access.token if may_change else self.read_token
        return hashlib.sha256(token.encode()).hexdigest() if token else None

    def is_https(self, request: Request) -> bool:
        """Whether browsers come by TLS."""
        if self.public_url:
            return self.public_url.startswith("https:")
        return request.url.scheme == "https"

    def cookie_of(self, request: Request) -> str:
        """The name of the cookie that holds a session."""
        return SECURE_COOKIE if self.is_https(request) else COOKIE

    def client(self, request: Request) -> str:
        """The address that somebody comes from."""
        if self.proxy:
            return self.proxy.client(request)
        return request.client.host if request.client else ""

    async def _by_session(self, request: Request) -> Viewer | None:
        secret = request.cookies.get(self.cookie_of(request))
        if not secret or self.sessions is None:
            return None
        key = session_key(secret)
        session = await self.sessions.find(key)
        if session is None or not self._is_good(session):
            return None
        return Viewer(
            name=session.name,
            may_change=session.may_change,
            can_leave=True,
            via="session",
            key=f"session {key}",
        )

    def _is_good(self, session: Session) -> bool:
        """Whether the token that it was begun with still is one."""
        return session.token == self.token_of(may_change=session.may_change)

    def _unknown(self) -> Refused:
        if self.can_log_in:
            fix = "log in at /login, or send `Authorization: Bearer <REACTOR_TOKEN>`"
        elif self.proxy:
            fix = "come through the proxy that knows you (setting console.proxy)"
        else:
            fix = "send `Authorization: Bearer <REACTOR_TOKEN>`"
        return Refused(401, "token", "this needs a token", where="header Authorization", fix=fix)


def bearer_of(request: Request) -> bytes | None:
    """The token in the header; None where there is none.

    Another scheme is no try at ours: a proxy in front that has a password hands it on.
    """
    scheme, _, token = request.headers.get("authorization", "").partition(" ")
    return token.strip().encode("latin-1") if scheme.lower() == "bearer" else None


def _fits(given: bytes, token: str | None) -> bool:
    """In a time that says nothing about how much of it is right."""
    return token is not None and hmac.compare_digest(given, token.encode())
