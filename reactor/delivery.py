"""A delivery: one verified webhook request, the fact that every later step starts from.

Imports nothing of Reactor but errors.  Deliveries are made at two edges only: by the gateway's
dialect from an HTTP request, and by the codec from a record that the gateway wrote.
"""

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Literal

Source = Literal["webhook", "cli", "timer", "signal", "command"]

GITHUB_COM = "github.com"  # the host of what names no other
OWN_HOST = "reactor"  # of what no server has sent: timers and signals


@dataclass(frozen=True, slots=True, kw_only=True)
class Subject:
    """What a delivery is about, and so what it is kept in order with."""

    key: str  # "github.com/<repository id>#<number>"; falls back to repository, organisation, host
    name: str  # "octo/hello#7": for people only, it can change


@dataclass(frozen=True, slots=True, kw_only=True)
class Delivery:
    """One verified webhook request, as received."""

    id: str  # X-GitHub-Delivery: 1 to 64 characters of [0-9A-Za-z-]
    event: str  # X-GitHub-Event, e.g. "issues"
    action: str | None  # "opened"; some events have none
    host: str  # "github.com", or a configured enterprise host
    subject: Subject
    body: bytes  # the bytes that were signed, never re-serialised
    media_type: str  # "application/json" or "application/x-www-form-urlencoded"
    payload: Mapping[str, object] = field(compare=False, repr=False)  # the parsed view of `body`
    received_at: datetime  # aware, UTC
    digest: str  # SHA-256 of `body`, 64 hex digits
    source: Source = "webhook"
    headers: Mapping[str, str] = field(default_factory=dict)  # selected ones, lower-case names
    causation: tuple[str, ...] = ()  # ids of the deliveries that led to this one, oldest first
    attempt: int = 1  # greater where it was given up before, and somebody drives it again
    replayed: bool = False  # the same bytes were seen before under another id
    unclaimed: bool = False  # Redis was away, so nobody checked whether the id is new
    traceparent: str = ""  # of the span that accepted it; "" where nobody traces

    @property
    def kind(self) -> str:
        """`issues.opened`, or the bare event name where there is no action."""
        return f"{self.event}.{self.action}" if self.action else self.event

    @property
    def key(self) -> str:
        """The id with its host: unique across enterprise servers."""
        return f"{self.host}/{self.id}"


def digest(body: bytes) -> str:
    """SHA-256 of the body as 64 hex digits."""
    return hashlib.sha256(body).hexdigest()
