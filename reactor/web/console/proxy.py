"""A proxy in front of the console that knows who somebody is, and says so in a header.

What stands in a header counts only from the proxy's own addresses: anybody can send one.  It counts
only where the console is asked for by its own name, too: a page of anybody's whose name leads here
(DNS rebinding) sets what headers it likes, and comes from the proxy's address where a browser and
the proxy are on one machine.
"""

import ipaddress
from collections.abc import Iterable
from dataclasses import dataclass, field
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network

from starlette.requests import Request

from reactor.refusal import Refused

LONGEST_NAME = 128  # characters of who somebody is

# What proxies say of themselves, where they say anything.
_BETWEEN = (
    "forwarded",
    "via",
    "x-forwarded-for",
    "x-forwarded-host",
    "x-forwarded-proto",
    "x-forwarded-server",
    "x-real-ip",
)

Network = IPv4Network | IPv6Network
Address = IPv4Address | IPv6Address


@dataclass(frozen=True, slots=True)
class ProxyUser:
    """Who the proxy says it is."""

    name: str
    may_change: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class TrustedProxy:
    """Whom we believe, and where it says what."""

    networks: tuple[Network, ...]
    host: str  # the name that browsers ask it for, in lower case, without a port
    user_header: str
    role_header: str | None = None  # None: whoever is let in may change things
    operators: frozenset[str] = field(default_factory=frozenset)  # words in it that let change

    def is_from(self, request: Request) -> bool:
        """Whether the proxy itself has sent the request, for somebody who asked by our name."""
        return self._is_ours(peer_of(request)) and self._is_by_name(request)

    def user(self, request: Request) -> ProxyUser | None:
        """Who it is; None where the request is not the proxy's, or it names nobody.

        Raises `Refused`: 401 for a header that is there twice, as one of them may be somebody
        else's, let through beside the proxy's; 403 for another name of the console than its own.
        """
        if not self._is_ours(peer_of(request)):
            return None
        name = _only(request, self.user_header)
        if not name:
            return None
        if not self._is_by_name(request):
            raise Refused(
                403,
                "host",
                "the proxy's word counts for requests to the console's own name",
                where="header Host",
                fix=f"have the proxy hand on Host as browsers send it: {self.host}, as in"
                " console.public_url",
            )
        if self.role_header is None:
            return ProxyUser(name, may_change=True)
        roles = {word.strip() for word in _only(request, self.role_header).split(",")}
        return ProxyUser(name, may_change=not self.operators.isdisjoint(roles))

    def client(self, request: Request) -> str:
        """Where the request began: what the last of our own has seen, or who connects to us."""
        seen = [word.strip() for word in _every(request, "x-forwarded-for") if word.strip()]
        while self.is_from(request) and seen:
            address = seen.pop()
            if not self._is_ours(_address(address)):
                return address
        return _host(request)

    def _is_by_name(self, request: Request) -> bool:
        return request.url.hostname == self.host

    def _is_ours(self, address: Address | None) -> bool:
        return address is not None and any(address in network for network in self.networks)


def check_nobody_between(request: Request) -> None:
    """Raise `Refused` (403) for what came through a proxy that nobody told us of.

    Whoever comes through one is not on this machine, although it connects from here.  Those that
    say nothing of themselves can't be told from a browser here, but for the version of HTTP that
    nginx speaks to us where nobody asks for another.
    """
    told = next((name for name in _BETWEEN if name in request.headers), None)
    if told is None and request.scope.get("http_version") != "1.0":
        return
    raise Refused(
        403,
        "proxy",
        "a proxy is in front, so who comes here need not be on this machine",
        where=f"header {told}" if told else "HTTP/1.0",
        fix="set REACTOR_TOKEN and console.public_url, for people to log in, or name the proxy in"
        " console.proxy, if it knows them",
    )


def trusted_networks(addresses: Iterable[str]) -> tuple[Network, ...]:
    """Addresses and networks, as they are set."""
    return tuple(ipaddress.ip_network(address) for address in addresses)


def peer_of(request: Request) -> Address | None:
    """The address that connects to us; an IPv4 one in the clothes of an IPv6 one is itself."""
    return _address(_host(request))


def _host(request: Request) -> str:
    return request.client.host if request.client else ""


def _address(text: str) -> Address | None:
    try:
        address = ipaddress.ip_address(text.partition("%")[0])
    except ValueError:
        return None
    mapped = address.ipv4_mapped if isinstance(address, IPv6Address) else None
    return mapped or address


def _only(request: Request, name: str) -> str:
    """The value of a header that may be there once."""
    values = request.headers.getlist(name)
    if len(values) > 1:
        raise Refused(
            401,
            "proxy",
            "the proxy names two people",
            where=f"header {name}",
            fix="have the proxy remove the header from what it is sent before it sets its own",
        )
    value = values[0].strip() if values else ""
    # uvicorn gives headers as Latin-1; a name in them is UTF-8, where it is anything
    try:
        value = value.encode("latin-1").decode("utf-8")
    except UnicodeError:
        return ""
    return value if len(value) <= LONGEST_NAME and value.isprintable() else ""


def _every(request: Request, name: str) -> list[str]:
    """All values of a header that is a list."""
    return [part.strip() for value in request.headers.getlist(name) for part in value.split(",")]
