"""What is changed: an issue, a pull request or a repository, as somebody may write to it."""

import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, Self
from urllib.parse import parse_qs, quote, urlsplit

from reactor.adapters.github.answers import Answer, moment
from reactor.adapters.github.connection import Connection, Verb, links_of
from reactor.attempt import Attempt, EffectRefused
from reactor.github.marker import Marker, marked, marker_in

_SLACK = timedelta(seconds=5)  # two things of one moment bear times that differ a little
_MOST_PAGES = 5  # of events, from the newest back
_FULL_NAME = re.compile(r"[A-Za-z0-9_-]+/(?!\.{1,2}$)[A-Za-z0-9._-]+")
_REFUSED = "a person changed it since"


@dataclass(frozen=True, slots=True, kw_only=True)
class Us:
    """As whom we write."""

    app_id: int | None = None
    login: str | None = None  # where it is known

    def wrote(self, thing: Mapping[str, Any]) -> bool:
        """Whether a comment or issue is ours; a marker alone proves nothing, it can be copied."""
        user = thing.get("user") or {}
        if self.login is not None and str(user.get("login", "")).lower() == self.login.lower():
            return True
        app = thing.get("performed_via_github_app")
        if self.app_id is not None and isinstance(app, Mapping):
            return app.get("id") == self.app_id
        return self.login is None and user.get("type") == "Bot"

    def is_person(self, user: object) -> bool:
        """Whether the account is a person's, and not ours."""
        if not isinstance(user, Mapping) or user.get("type") != "User":
            return False
        return self.login is None or str(user.get("login", "")).lower() != self.login.lower()


@dataclass(frozen=True, slots=True, kw_only=True)
class Target:
    """What an attempt is about, by name and number."""

    repository: str  # "octo/hello"
    repository_id: int
    number: int | None  # of an issue, pull request or discussion

    @classmethod
    def of(cls, attempt: Attempt) -> Self:
        """Raises `EffectRefused` for a subject that is no part of a repository."""
        name, _, _ = attempt.subject_name.partition("#")
        key, _, number = attempt.subject.partition("#")
        repository_id = key.rpartition("/")[2]
        if not _FULL_NAME.fullmatch(name) or name == key or not repository_id.isdigit():
            raise EffectRefused(f"{attempt.subject_name} is no repository, and no part of one")
        return cls(
            repository=name,
            repository_id=int(repository_id),
            number=int(number) if number.isdigit() else None,
        )

    def path(self, *parts: str | int) -> str:
        """Below the repository.  Raises `EffectRefused` for a part that would lead out of it.

        Clients take `.` and `..` away, however they are quoted: less one label would be all labels.
        """
        if away := next((part for part in parts if part in (".", "..")), None):
            raise EffectRefused(f"GitHub has no address for what is called {away}")
        return "/".join(
            (f"/repos/{self.repository}", *(quote(str(part), safe="") for part in parts))
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """Where one attempt writes."""

    target: Target
    connection: Connection
    attempt: Attempt
    us: Us

    @property
    def repository(self) -> str:
        """Its full name."""
        return self.target.repository

    @property
    def number(self) -> int | None:
        """Of the issue or pull request, if it is about one."""
        return self.target.number

    def path(self, *parts: str | int) -> str:
        """Below the repository."""
        return self.target.path(*parts)

    def issue_path(self, *parts: str | int) -> str:
        """Below the issue or pull request, as an issue.  Raises `EffectRefused` without one."""
        return self.path("issues", self._number(), *parts)

    def pull_path(self, *parts: str | int) -> str:
        """Below the pull request.  Raises `EffectRefused` without one."""
        return self.path("pulls", self._number(), *parts)

    def _number(self) -> int:
        if self.number is None:
            raise EffectRefused(
                f"what happened was about no issue or pull request of {self.repository}"
            )
        return self.number

    def issue(self) -> Any:
        """As it is now."""
        return self.connection.get(self.issue_path())

    def send(self, verb: Verb, path: str, body: Mapping[str, Any] | None = None) -> Answer:
        """A change."""
        return self.connection.ask(verb, path, body)

    # Ours, and other people's ------------------------------------------------------------------

    def marked(self, text: str, *, slot: str = "") -> str:
        """The text with the marker of this attempt."""
        return marked(text, key=self.attempt.key, delivery=self.attempt.delivery, slot=slot)

    def our_marker(self, thing: Mapping[str, Any]) -> Marker | None:
        """What we have hidden in something that is ours."""
        marker = marker_in(thing.get("body"))
        return marker if marker is not None and self.us.wrote(thing) else None

    def wrote_it(self, thing: Mapping[str, Any]) -> bool:
        """Whether this very effect has brought it about."""
        marker = self.our_marker(thing)
        return marker is not None and marker.key == self.attempt.key

    @property
    def since(self) -> str:
        """From when on to look for what an earlier try may have written; "" where nobody knows."""
        happened_at = self.attempt.happened_at
        return f"{happened_at - timedelta(hours=1):%Y-%m-%dT%H:%M:%SZ}" if happened_at else ""

    def refuse_if_a_person_did(
        self,
        issue: Mapping[str, Any],
        events: Collection[str],
        *,
        to: Collection[str] | None = None,
    ) -> None:
        """Raises `EffectRefused` where a person did such a thing after what we react to.

        `to`: labels or logins in lower case; what was done to others does not count.
        """
        happened_at, changed_at = self.attempt.happened_at, moment(issue.get("updated_at"))
        if happened_at is None or changed_at is None or changed_at <= happened_at:
            return
        for event in self._events_since(happened_at):
            is_such = event.get("event") in events and (to is None or _what(event) in to)
            if is_such and self.us.is_person(event.get("actor")):
                refuse_for(event["actor"], str(event["event"]))

    def is_later(self, text: object) -> bool:
        """Whether a time is after what we react to."""
        happened_at, at = self.attempt.happened_at, moment(text)
        return happened_at is not None and at is not None and at > happened_at

    def _events_since(self, happened_at: datetime) -> list[Any]:
        """Of the issue; GitHub lists the oldest first, so from the last page back."""
        path = self.issue_path("events")
        first = self.connection.ask("GET", path, parameters={"per_page": 100})
        last = _last_page(first)
        found = list(first.data)
        for number in range(last, max(1, last - _MOST_PAGES), -1):
            page = self.connection.get(path, per_page=100, page=number)
            found += page
            if page and (moment(page[0].get("created_at")) or happened_at) < happened_at - _SLACK:
                break
        return [event for event in found if self.is_later(event.get("created_at"))]


def refuse_for(user: Mapping[str, Any], what: str) -> None:
    """Raises `EffectRefused`: what a person did later counts more than what we want."""
    raise EffectRefused(f"{_REFUSED}: {user.get('login')} ({what})")


def _what(event: Mapping[str, Any]) -> str:
    """The label or the login that an event is about, in lower case."""
    label, assignee = event.get("label") or {}, event.get("assignee") or {}
    return str(label.get("name") or assignee.get("login") or "").lower()


def _last_page(answer: Answer) -> int:
    query = parse_qs(urlsplit(links_of(answer).get("last", "")).query)
    number = query.get("page", ["1"])[0]
    return int(number) if number.isdigit() else 1
