"""Who may come in to the console, by the settings."""

import hashlib
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from reactor.adapters.redis_sessions import RedisSessions
from reactor.errors import ReactorError
from reactor.settings import Settings
from reactor.web.access import Access, is_loopback
from reactor.web.console.attempts import Attempts
from reactor.web.console.entrance import Entrance, fresh_seal
from reactor.web.console.origins import Seal
from reactor.web.console.proxy import TrustedProxy, trusted_networks

if TYPE_CHECKING:
    from pydantic import SecretStr

    from reactor.ports import Clock
    from reactor.wiring.redis import RedisParts


class NoToken(ReactorError):
    """The console would show everything to everybody."""

    def __init__(self, host: str, url: str | None = None) -> None:
        super().__init__(host, url)
        self.host, self.url = host, url  # url: how others reach it, where it is on loopback

    def __str__(self) -> str:
        if self.url:
            return (
                f"others reach the console at {self.url} (setting console.public_url), and no"
                " token is set; set REACTOR_TOKEN to a long random word, or name a proxy that"
                " knows people (setting console.proxy)"
            )
        return (
            f"the console would listen on {self.host}, where others can connect, and no token is"
            " set; set REACTOR_TOKEN to a long random word, or listen on 127.0.0.1 (setting"
            " console.host, REACTOR_CONSOLE_HOST) and come through a tunnel, or name a proxy that"
            " knows people (setting console.proxy)"
        )


def console_access(settings: Settings) -> Access:
    """Who may look: on loopback whoever can connect, elsewhere who has the token.

    Loopback is elsewhere too once anything says that others come: a proxy, an address by which
    they do, a token of the console's own.  Raises `NoToken` where there is neither a token, nor one
    to look with, nor a proxy.
    """
    console, token = settings.console, _said(settings.gateway.token)
    is_here, read_token = is_loopback(console.host), _said(console.read_token)
    url = console.public_url
    others = url if url and not is_loopback(urlsplit(url).hostname or "") else None
    if is_here and not (console.proxy.addresses or read_token or others):
        return Access(loopback=True)
    if not (token or read_token or console.proxy.addresses):
        raise NoToken(console.host, others if is_here else None)
    return Access(loopback=is_here, token=token)


def make_entrance(settings: Settings, redis: "RedisParts", clock: "Clock", user: str) -> Entrance:
    """Every way in.  `user`: who it is that comes from this machine.  Raises `NoToken`."""
    access, read_token = console_access(settings), _said(settings.console.read_token)
    return Entrance(
        access=access,
        read_token=read_token,
        is_read_only=settings.console.read_only,
        proxy=_proxy(settings),
        sessions=RedisSessions(redis.client, clock, prefix=redis.prefix),
        attempts=Attempts(clock),
        seal=_seal(access.token or read_token),
        public_url=settings.console.public_url,
        here=user,
    )


def _proxy(settings: Settings) -> TrustedProxy | None:
    proxy, url = settings.console.proxy, settings.console.public_url
    if not proxy.addresses:
        return None
    return TrustedProxy(
        networks=trusted_networks(proxy.addresses),
        host=urlsplit(url or "").hostname or "",  # settings with a proxy have one
        user_header=proxy.user_header,
        role_header=proxy.role_header,
        operators=frozenset(proxy.operators),
    )


def _seal(token: str | None) -> Seal:
    """Of one token all consoles make the same words: a form may come back to another of them."""
    if token is None:
        return fresh_seal()
    # slowly, or who may only look could guess the token by the words in his own forms
    salt, cost = b"reactor console seal", 2**14
    return Seal(hashlib.scrypt(token.encode(), salt=salt, n=cost, r=8, p=1, dklen=32))


def _said(secret: "SecretStr | None") -> str | None:
    """A secret that is not empty."""
    return (secret.get_secret_value() or None) if secret else None
