"""We on one host: as an app with its installations, or with a token, or not at all.

Connections are made when they are first needed, and let go at the end.
"""

import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from reactor.adapters.github.answers import GitHubTrouble
from reactor.adapters.github.connection import Connection, Wire
from reactor.adapters.github.installations import Installations
from reactor.adapters.github.place import Target, Us
from reactor.adapters.github.tokens import (
    InstallationGone,
    Tokens,
    app_connection,
    installation_connection,
    installation_of,
    token_connection,
)
from reactor.attempt import EffectGivenUp
from reactor.github.hosts import Login

MOST_CONNECTED = 200  # installations of one host whose connections are kept
_MISSING = "set GITHUB_APP_ID and GITHUB_PRIVATE_KEY, or GITHUB_TOKEN"


@dataclass(frozen=True, slots=True, kw_only=True)
class Greeting:
    """What a server says of us."""

    who: str
    granted: Mapping[str, str] | None = None  # of an app: permissions, as {"issues": "write"}
    events: frozenset[str] = frozenset()  # of an app: which it is told of


@dataclass(slots=True, kw_only=True)
class Account:
    """Safe to be used by many threads at once."""

    login: Login
    wire: Wire
    installations: Installations
    monotonic_s: Callable[[], float]
    _app: Connection | None = field(default=None, init=False)
    _tokens: Tokens | None = field(default=None, init=False)
    _by_token: Connection | None = field(default=None, init=False)
    _installed: dict[int, Connection] = field(default_factory=dict, init=False)
    _us: Us | None = field(default=None, init=False)
    _guard: threading.RLock = field(default_factory=threading.RLock, init=False)

    def call(self, target: Target, make: Callable[[Connection], object]) -> object:
        """Make something happen in a repository, as whoever of us may.

        Raises `EffectGivenUp` where nobody may, `BadPrivateKey`, and what `make` does.
        """
        if not self.login.is_anybody:
            raise EffectGivenUp(f"no credentials for {self.wire.host}: {_MISSING}")
        if not self.login.is_app:
            return make(self.by_token())
        try:
            return make(self._for(target))
        except InstallationGone:  # it may have been installed anew, under another id
            self.installations.forget(self.wire.host, target.repository_id)
        try:
            return make(self._for(target))
        except InstallationGone as gone:
            raise EffectGivenUp(f"{gone}; install it on {target.repository}") from None

    def _for(self, target: Target) -> Connection:
        """Of the installation which the repository belongs to, else of the token."""
        look_up = lambda: installation_of(self.app(), target.repository)  # noqa: E731 - one word
        found = self.installations.find(self.wire.host, target.repository_id, look_up)
        if found is not None:
            return self.by_installation(found)
        if self.login.token is not None:
            return self.by_token()
        raise EffectGivenUp(
            f"run without write access to {target.repository}: no installation of the app there, and"
            f" no token for {self.wire.host}; install the app on it, or set GITHUB_TOKEN"
        )

    def app(self) -> Connection:
        """The app itself.  Raises `BadPrivateKey`."""
        login = self.login
        assert login.app_id is not None
        assert login.private_key is not None
        with self._guard:
            if self._app is None:
                self._app = app_connection(self.wire, login.app_id, login.private_key)
            return self._app

    def by_installation(self, installation: int) -> Connection:
        """One of the app's installations."""
        app = self.app()
        with self._guard:
            if self._tokens is None:
                self._tokens = Tokens(app, self.monotonic_s)
            found = self._installed.pop(installation, None)
            if found is None:
                found = installation_connection(self.wire, self._tokens, installation)
            self._installed[installation] = found  # the one that was used last is let go last
            if len(self._installed) > MOST_CONNECTED:
                self._installed.pop(next(iter(self._installed))).close()
            return found

    def forget_token(self, installation: int) -> None:
        """What it was good for has changed: the next one is a new one."""
        with self._guard:
            tokens = self._tokens
        if tokens is not None:
            tokens.forget(installation)

    def by_token(self) -> Connection:
        """Whoever the token belongs to."""
        assert self.login.token is not None
        with self._guard:
            if self._by_token is None:
                self._by_token = token_connection(self.wire, self.login.token)
            return self._by_token

    def us(self) -> Us:
        """As whom we write; who a token belongs to is asked once."""
        with self._guard:
            if self._us is None:
                self._us = Us(app_id=self.login.app_id, login=self._name())
            return self._us

    def _name(self) -> str | None:
        if self.login.account is not None or self.login.is_app:
            return self.login.account
        found = self.by_token().try_("GET", "/user")  # not for tokens of a workflow
        return str(found.data["login"]) if found.status == 200 else None

    def greet(self) -> Greeting:
        """Ask who we are, for people.  Raises what a request does, and `BadPrivateKey`."""
        found: Any
        if self.login.is_app:
            found = self.app().get("/app")
            return Greeting(
                who=f"app {found.get('slug')} (id {found.get('id')})",
                granted=found.get("permissions"),
                events=frozenset(found.get("events") or ()),
            )
        found = self.by_token().get("/user")
        return Greeting(who=f"token of {found.get('login')}")

    @property
    def is_nameless(self) -> bool:
        """Whether we are an app whose login nobody has set."""
        return self.login.is_app and self.login.account is None

    def bot(self) -> str:
        """The login that the app writes as.  Raises what a request does."""
        found = self.app().get("/app")
        slug = found.get("slug") if isinstance(found, Mapping) else None
        if not slug:
            raise GitHubTrouble(self.wire.host, "did not say what our app is called")
        return f"{slug}[bot]"

    def close(self) -> None:
        """Let the connections go."""
        # without the guard: a thread that waits for an answer may hold it
        for connection in (self._app, self._by_token, *tuple(self._installed.values())):
            if connection is not None:
                connection.close()
