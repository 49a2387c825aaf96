"""Where the API of a GitHub server is, and who we are there.

An address is never taken from a payload: that would send our token to whoever wrote it.  It
follows from the name of a configured host, or is set.  Pure.

Source: GitHub docs, "Getting started with the REST API", for github.com, Enterprise Cloud with
data residency (GHE.com) and Enterprise Server.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from ipaddress import ip_address
from urllib.parse import urlsplit

from reactor.delivery import GITHUB_COM
from reactor.errors import ReactorError


class BadApiUrl(ReactorError):
    """An address of an API can't be one."""

    def __init__(self, host: str, why: str) -> None:
        super().__init__(host, why)
        self.host, self.why = host, why

    def __str__(self) -> str:
        return f"the address of the API of {self.host} can't be used: {self.why}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Login:
    """Who we are on a host: an app, or whoever a token belongs to, or nobody."""

    app_id: int | None = None
    private_key: str | None = field(default=None, repr=False)  # PEM
    token: str | None = field(default=None, repr=False)
    account: str | None = None  # the login that we write as, where it is known

    @property
    def is_app(self) -> bool:
        """Whether we can ask for tokens of installations."""
        return self.app_id is not None and self.private_key is not None

    @property
    def is_anybody(self) -> bool:
        """Whether anything can be written as it."""
        return self.is_app or self.token is not None


@dataclass(frozen=True, slots=True, kw_only=True)
class Host:
    """One GitHub server, as we use it."""

    name: str  # as in `Delivery.host`
    api_url: str  # without a slash at its end
    login: Login


def api_url_of(host: str) -> str:
    """Where the API of a host is, by its name.

    | host | API |
    |---|---|
    | `github.com` | `https://api.github.com` |
    | `TENANT.ghe.com` | `https://api.TENANT.ghe.com` |
    | any other: an Enterprise Server | `https://HOST/api/v3` |
    """
    if host == GITHUB_COM:
        return "https://api.github.com"
    if host.endswith(".ghe.com"):
        return f"https://api.{host}"
    return f"https://{host}/api/v3"


def checked_api_url(host: str, url: str) -> str:
    """The address as it is used; a bare name is that of a host.  Raises `BadApiUrl`."""
    text = url.strip()
    if "://" not in text:
        return api_url_of(text.rstrip("/").removeprefix("api."))
    parts = urlsplit(text)
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise BadApiUrl(host, "it has to begin with https:// and the name of a server")
    if parts.scheme == "http" and not _is_this_machine(parts.hostname):
        raise BadApiUrl(host, "over http:// everybody on the way reads the token; use https://")
    if parts.username or parts.password or parts.query or parts.fragment:
        raise BadApiUrl(host, "it holds more than a server and a path")
    return text.rstrip("/")


def hosts_of(
    common: Login, api_url: str | None, enterprise: Mapping[str, tuple[Login, str | None]]
) -> dict[str, Host]:
    """By name, every host that may be written to.

    `common` and `api_url` are of github.com; where the address is that of one of the `enterprise`
    hosts (each with who we are there, and its address where it is set), they are of that one, and
    nothing of it is ever sent to github.com.  Raises `BadApiUrl`.
    """
    url = checked_api_url(GITHUB_COM, api_url) if api_url else api_url_of(GITHUB_COM)
    home = next((name for name in enterprise if _is_at(url, name)), GITHUB_COM)
    found = {GITHUB_COM: Host(name=GITHUB_COM, api_url=api_url_of(GITHUB_COM), login=Login())}
    for name, (login, own_url) in enterprise.items():
        own = checked_api_url(name, own_url) if own_url else api_url_of(name)
        found[name] = Host(name=name, api_url=own, login=login)
    own_login = found[home].login
    login = own_login if own_login.is_anybody else common
    return {**found, home: Host(name=home, api_url=url, login=login)}


def _is_this_machine(name: str) -> bool:
    try:
        return name == "localhost" or ip_address(name).is_loopback
    except ValueError:
        return False


def _is_at(url: str, host: str) -> bool:
    """Whether the address is on the host of that name."""
    return urlsplit(url).hostname in (host, f"api.{host}")
