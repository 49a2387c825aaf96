"""What a delivery puts on the blackboard, and the digest of what happened.

Takes an event, gives named facts; what is null or absent is not there at all.
"""

import hashlib
from dataclasses import dataclass

from reactor.blackboard import DEFAULT_NAME
from reactor.github.event import Event


@dataclass(frozen=True, slots=True)
class Fact:
    """A value for the blackboard, and the name to bind it to."""

    value: object
    name: str = DEFAULT_NAME


def facts_of(event: Event) -> tuple[Fact, ...]:
    """The event (bound `event`), what it is about, the comment, where, who (bound `sender`).

    An `Issue` or a `PullRequest` or neither; `Comment`, `Repository`, `Account` and
    `Installation` where they are there.
    """
    known = (
        Fact(event, "event"),
        Fact(event.subject),
        Fact(getattr(event, "comment", None)),
        Fact(event.repository),
        Fact(event.sender, "sender"),
        Fact(event.installation),
    )
    return tuple(fact for fact in known if fact.value is not None)


def cause_of(event: Event) -> str:
    """A digest of what happened, 32 hex digits; part of every effect's idempotency key.

    Equal for a redelivery and for a second hook on the same event; different when the same is
    done again later, for the object's own time has moved on.
    """
    parts = (event.host, event.kind, *event.identity())
    return hashlib.sha256("\x1f".join(map(str, parts)).encode()).hexdigest()[:32]
