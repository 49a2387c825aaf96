"""What GitHub answers, and what follows from it for an effect.

    401                      `TokenRefused`: with a new token it may go
    403, 429 with a limit    `EffectDelayed`, for as long as it says
    403 otherwise            `EffectGivenUp`: somebody has to grant it
    5xx, no answer at all    `GitHubTrouble`: it may have been done all the same
    any other from 300 on    `EffectRefused`, for good, with what GitHub says and what is likely wrong

Source: GitHub docs, "Troubleshooting the REST API", "Rate limits for the REST API".
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from email.utils import parsedate_to_datetime
from typing import Any

from reactor.attempt import EffectDelayed, EffectGivenUp, EffectRefused
from reactor.errors import ReactorError
from reactor.failure import PassingError

SECONDARY_PAUSE_S = 60.0  # GitHub: where nothing else is said, wait at least one minute
_LONGEST_PAUSE_S = 3700.0  # limits are by the hour
_LONGEST_SAID = 300  # characters of GitHub's message that are repeated
_CAUSES = {
    400: "it finds it wrong",
    404: "it is not there for us: deleted, moved, private, or the app is not installed",
    410: "it was deleted, or issues are switched off there",
    422: "it finds it wrong",
    451: "access to the repository is blocked",
}
_FOR_GOOD = {  # of what is forbidden, by a word of the message
    "archived": "the repository is archived, and nobody can write to it",
    "locked": "its conversation is locked, and we may not write in it",
}


class GitHubTrouble(PassingError):
    """GitHub did not answer, or not as it should; the change may have been made all the same."""

    def __init__(self, host: str, what: str) -> None:
        super().__init__(host, what)
        self.host, self.what = host, what

    def __str__(self) -> str:
        return f"{self.host} {self.what}"


class TokenRefused(ReactorError):
    """GitHub does not take a token."""

    def __init__(self, host: str, said: str) -> None:
        super().__init__(host, said)
        self.host, self.said = host, said

    def __str__(self) -> str:
        return f"{self.host} does not take our token: {self.said}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """What came back; header names are lower case."""

    status: int
    headers: Mapping[str, str]
    data: Any = field(repr=False)  # decoded JSON, maybe with a token; None where there is none

    @property
    def said(self) -> str:
        """GitHub's message, with what it says of single fields."""
        if not isinstance(self.data, dict):
            return ""
        parts = [str(self.data.get("message") or "")]
        errors = self.data.get("errors")
        parts += [_of_field(error) for error in errors] if isinstance(errors, list) else []
        return "; ".join(part for part in parts if part)[:_LONGEST_SAID]

    @property
    def asked_at_s(self) -> float | None:
        """When it was answered, by GitHub's clock: seconds since 1970."""
        try:
            return parsedate_to_datetime(self.headers["date"]).timestamp()
        except (KeyError, ValueError):
            return None

    @property
    def is_limit(self) -> bool:
        """Whether it was refused because of too many requests."""
        if self.status == 429:
            return True
        if self.status != 403:
            return False
        said = self.said.lower()
        is_said = "rate limit" in said or "abuse detection" in said  # the older word for it
        return is_said or self._is_used_up or "retry-after" in self.headers

    @property
    def is_secondary_limit(self) -> bool:
        """Whether it came too fast, though there is something left of the hour."""
        return self.is_limit and (not self._is_used_up or "retry-after" in self.headers)

    @property
    def _is_used_up(self) -> bool:
        return self.headers.get("x-ratelimit-remaining") == "0"

    @property
    def pause_s(self) -> float:
        """How long to wait, where a limit is reached."""
        if (said := _seconds(self.headers.get("retry-after"))) is not None:
            return min(max(said, 1.0), _LONGEST_PAUSE_S)
        reset, asked = _seconds(self.headers.get("x-ratelimit-reset")), self.asked_at_s
        if self._is_used_up and reset is not None and asked is not None:
            return min(max(reset - asked + 1.0, 1.0), _LONGEST_PAUSE_S)
        return SECONDARY_PAUSE_S


def check(answer: Answer, *, host: str, asked: str) -> None:
    """Raise what follows from an answer that is no success; `asked`: method and path."""
    status, said = answer.status, answer.said
    if status < 300:
        return
    if status == 401:
        raise TokenRefused(host, said or "401")
    if answer.is_limit:
        raise EffectDelayed(f"{host} lets us do no more for now: {said}", answer.pause_s)
    if status >= 500:
        raise GitHubTrouble(host, f"answered {asked} with {status} {said}".rstrip())
    refused = f"{host} refused it ({status} {said or asked})"
    if status == 403 and (missing := _missing(answer)):
        raise EffectGivenUp(f"{refused}: {missing}")
    raise EffectRefused(f"{refused}: {_cause(answer)}")


def moment(text: object) -> datetime | None:
    """A time of the API, aware; None where there is none."""
    if not isinstance(text, str):
        return None
    try:
        return datetime.fromisoformat(text)
    except ValueError:
        return None


def _cause(answer: Answer) -> str:
    if answer.status == 403:
        return next(why for word, why in _FOR_GOOD.items() if word in answer.said.lower())
    if answer.status < 400:
        return "it has moved, and nothing says where to"
    return _CAUSES.get(answer.status, "it says no more than that")


def _missing(answer: Answer) -> str:
    """What somebody has to grant; "" where nobody can."""
    said = answer.said.lower()
    if "suspended" in said:
        return "the installation of the app is suspended; its owner has to let it work again"
    if any(word in said for word in _FOR_GOOD):
        return ""
    if "saml" in said or "x-github-sso" in answer.headers:
        return "the organisation uses SAML; authorise the token for it in the token's settings"
    headers = answer.headers  # scopes are what classic tokens have
    needs = headers.get("x-accepted-github-permissions") or headers.get("x-accepted-oauth-scopes")
    wanted = f": {needs}" if needs else ""
    return f"the app or token lacks a permission{wanted}; grant it, and accept it there"


def _of_field(error: object) -> str:
    if not isinstance(error, dict):
        return str(error)
    words = (error.get("resource"), error.get("field"), error.get("message") or error.get("code"))
    return " ".join(str(word) for word in words if word)


def _seconds(text: str | None) -> float | None:
    try:
        seconds = float(text or "")
    except ValueError:
        return None
    return seconds if math.isfinite(seconds) else None
