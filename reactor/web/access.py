"""Who may read what is not public: everything but the webhook and the probes."""

import hmac
import ipaddress
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field

from starlette.requests import Request
from starlette.responses import Response

from reactor.refusal import Refused

Endpoint = Callable[[Request], Awaitable[Response]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Access:
    """A bearer token; on loopback there need not be one."""

    loopback: bool  # nobody but this machine can connect
    token: str | None = field(default=None, repr=False)

    def guarded(self, endpoint: Endpoint) -> Endpoint:
        """`endpoint`, for those who may.  The others get a `Refused` (401)."""

        async def guard(request: Request) -> Response:
            self.check(request)
            return await endpoint(request)

        return guard

    def changing(self, endpoint: Endpoint) -> Endpoint:
        """The same for an endpoint that changes something: `check_name` as well (403)."""

        async def guard(request: Request) -> Response:
            self.check(request)
            self.check_name(request)
            return await endpoint(request)

        return guard

    def check(self, request: Request) -> None:
        """Raise `Refused` (401) unless the request may read."""
        if self.token is None and self.loopback:
            return
        if self.token is None:
            raise _refused("this needs a token, and none is set", "set REACTOR_TOKEN and restart")
        given = request.headers.get("authorization", "")
        scheme, _, token = given.partition(" ")
        # as bytes: a header may hold any, and compare_digest takes no str beyond ASCII
        fits = hmac.compare_digest(token.strip().encode("latin-1"), self.token.encode())
        if scheme.lower() != "bearer" or not fits:
            raise _refused("this needs a token", "send `Authorization: Bearer <REACTOR_TOKEN>`")

    def check_name(self, request: Request) -> None:
        """Raise `Refused` (403) where there is no token and the name is not this machine's.

        A name of somebody else's that leads here would let his pages in a browser of ours speak
        to us as if they were ours (DNS rebinding).
        """
        if self.token is None and not is_loopback(request.url.hostname or ""):
            raise Refused(
                403,
                "host",
                "without a token this is for requests to this machine by its own name",
                where="header Host",
                fix="ask for 127.0.0.1 or localhost, or set REACTOR_TOKEN",
            )


def is_loopback(host: str) -> bool:
    """Whether only this machine can connect to the address."""
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def _refused(what: str, fix: str) -> Refused:
    return Refused(401, "token", what, where="header Authorization", fix=fix)
