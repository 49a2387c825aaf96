"""What a delivery puts on the blackboard, and the digest of what happened.

Takes an event, gives named facts; what is null or absent is not there at all.
"""

import hashlib
from datetime import datetime

from reactor.blackboard import DEFAULT_NAME
from reactor.github.event import Event
from reactor.github.events import TYPED, GenericEvent
from reactor.github.models import (
    Account,
    Comment,
    Installation,
    Issue,
    PullRequest,
    Repository,
)

FACT_TYPES: tuple[type, ...] = (
    *dict.fromkeys(TYPED.values()),
    GenericEvent,
    Issue,
    PullRequest,
    Comment,
    Repository,
    Account,
    Installation,
)
"""Every type that a delivery may put on the board: what a store must be able to read back."""


def facts_of(event: Event) -> tuple[tuple[str, object], ...]:
    """Names and values: the event (bound `event`), what it is about, who (bound `sender`).

    An `Issue` or a `PullRequest` or neither; `Comment`, `Repository` and `Installation` where
    they are there.  What has no name of its own is known by its type.
    """
    known = (
        ("event", event),
        (DEFAULT_NAME, event.subject),
        (DEFAULT_NAME, getattr(event, "comment", None)),
        (DEFAULT_NAME, event.repository),
        ("sender", event.sender),
        (DEFAULT_NAME, event.installation),
    )
    return tuple((name, value) for name, value in known if value is not None)


def cause_of(event: Event) -> str:
    """A digest of what happened, 32 hex digits; part of every effect's idempotency key.

    Equal for a redelivery and for a second hook on the same event; different when the same is
    done again later, for the object's own time has moved on.
    """
    parts = (event.host, event.kind, *event.identity())
    return hashlib.sha256("\x1f".join(map(str, parts)).encode()).hexdigest()[:32]


def happened_at(event: Event) -> datetime | None:
    """When it happened, by GitHub's clock: the newest time of what it is about, or when it came.

    Whatever bears a later time was changed after it.
    """
    things = (event.subject, getattr(event, "comment", None))
    times = (getattr(thing, "updated_at", None) for thing in things if thing is not None)
    return max((time for time in times if time is not None), default=event.received_at)
