"""Who we are to a server: a token that somebody gave us, or an app with tokens that end.

An app signs a token of its own (JWT), and with it asks for one of an installation, which is good
for an hour.  Those are kept for each installation, and renewed before they end, by one thread at
a time; the others wait for it.

Source: GitHub docs, "Authenticating as a GitHub App installation".
"""

import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from github.Auth import AppAuth, Auth, Token

from reactor.adapters.github.answers import Answer, moment
from reactor.adapters.github.connection import Connection, Wire
from reactor.attempt import EffectGivenUp
from reactor.errors import ReactorError
from reactor.github.private_key import BadPrivateKey

RENEWED_BEFORE_S = 300.0  # before its end
_SHORTEST_LIFE_S = 30.0  # that is made of a token, whatever the clocks say
_USUAL_LIFE_S = 3600.0
# A clock may be a minute ahead of GitHub's.  GitHub takes ten minutes at most from one to the other.
_JWT_FROM_S, _JWT_TO_S = -60, 540


class InstallationGone(ReactorError):
    """The app was taken off, or installed anew under another id."""

    def __init__(self, installation: int) -> None:
        super().__init__(installation)
        self.installation = installation

    def __str__(self) -> str:
        return f"there is no installation {self.installation} of the app any more"


class _Known(NamedTuple):
    token: str
    until_s: float  # of the monotonic clock

    def __repr__(self) -> str:
        return f"a token until {self.until_s:g}"


@dataclass(slots=True)
class _Place:
    """The token of one installation."""

    renewing: threading.Lock = field(default_factory=threading.Lock)
    known: _Known | None = None


def app_connection(wire: Wire, app_id: int, private_key: str) -> Connection:
    """The app itself.  Raises `BadPrivateKey`."""
    auth = AppAuth(app_id, private_key, jwt_issued_at=_JWT_FROM_S, jwt_expiry=_JWT_TO_S)
    try:
        auth.create_jwt()
    except Exception as error:  # noqa: BLE001 - whatever is wrong with it; nothing of it is told
        raise BadPrivateKey(
            f"of {wire.host}", f"nothing can be signed with it ({type(error).__name__})"
        ) from None
    return Connection(wire, auth=auth, account=f"app {app_id}")


def token_connection(wire: Wire, token: str) -> Connection:
    """Whoever the token belongs to."""
    return Connection(wire, auth=Token(token), account="token")


class Tokens:
    """Tokens of the installations of one app on one server."""

    def __init__(self, app: Connection, monotonic_s: Callable[[], float]) -> None:
        self._app, self._monotonic_s = app, monotonic_s
        self._places: dict[int, _Place] = {}

    def of(self, installation: int) -> str:
        """One that is good for some minutes.

        Raises `InstallationGone`, and what `Connection.ask` does.
        """
        place = self._places.setdefault(installation, _Place())
        if (known := place.known) and self._monotonic_s() < known.until_s:
            return known.token
        with place.renewing:
            if (known := place.known) and self._monotonic_s() < known.until_s:
                return known.token
            place.known = self._renewed(installation)
            return place.known.token

    def forget(self, installation: int) -> None:
        """It was refused: the next one is a new one."""
        if place := self._places.get(installation):
            place.known = None

    def _renewed(self, installation: int) -> _Known:
        begun_s = self._monotonic_s()
        path = f"/app/installations/{installation}/access_tokens"
        answer = self._app.try_("POST", path)
        if answer.status == 404:
            raise InstallationGone(installation)
        self._app.check(answer, f"POST {path}")
        return _Known(str(answer.data["token"]), begun_s + _life_s(answer) - RENEWED_BEFORE_S)


class InstallationToken(Auth):
    """PyGithub's way to ask for a token with every request."""

    def __init__(self, tokens: Tokens, installation: int) -> None:
        self._tokens, self._installation = tokens, installation

    @property
    def token_type(self) -> str:
        """As in the header."""
        return "token"

    @property
    def token(self) -> str:
        """The one that is good now."""
        return self._tokens.of(self._installation)


def installation_connection(wire: Wire, tokens: Tokens, installation: int) -> Connection:
    """An installation of the app."""
    return Connection(
        wire,
        auth=InstallationToken(tokens, installation),
        account=f"installation {installation}",
        forget_token=lambda: tokens.forget(installation),
    )


def installation_of(app: Connection, repository: str) -> int | None:
    """Which one can reach the repository ("octo/hello"); None: the app isn't installed there."""
    found: Any = app.find(f"/repos/{repository}/installation")
    if found is None:
        return None
    if found.get("suspended_at"):
        raise EffectGivenUp(
            f"the installation of the app on {repository} is suspended; its owner can let it work"
            " again"
        )
    return int(found["id"])


def _life_s(answer: Answer) -> float:
    """By GitHub's clock from beginning to end, as ours may be wrong."""
    ends, begins_s = moment(answer.data.get("expires_at")), answer.asked_at_s
    if ends is None or begins_s is None:
        return _USUAL_LIFE_S
    return max(ends.timestamp() - begins_s, RENEWED_BEFORE_S + _SHORTEST_LIFE_S)
