"""Topics: where deliveries wait, in order per subject, and what else is kept on the broker.

The names and the three ports through which the rest of Reactor speaks to a broker; `streams`
fits them over Kafka, `adapters.memory` in memory.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import TYPE_CHECKING, Protocol

from reactor.delivery import Delivery
from reactor.errors import ReactorError

if TYPE_CHECKING:
    from reactor.journal import JournalRecord


@dataclass(frozen=True, slots=True)
class Topics:
    """Names of the topics of one installation."""

    prefix: str = "reactor"

    @property
    def deliveries(self) -> str:
        """Accepted deliveries, keyed by subject; the only topic that is ever replayed."""
        return f"{self.prefix}.deliveries"

    @property
    def signals(self) -> str:
        """Answers to forms, approvals, kill and resume; keyed by process id."""
        return f"{self.prefix}.signals"

    @property
    def dead(self) -> str:
        """What was given up, with the original bytes and the reason; keyed by subject."""
        return f"{self.prefix}.dead"

    @property
    def journal(self) -> str:
        """Decision records, keyed by process id."""
        return f"{self.prefix}.journal"


@dataclass(frozen=True, slots=True)
class Position:
    """Where a record lies."""

    topic: str
    partition: int
    offset: int

    def __str__(self) -> str:
        return f"{self.topic}[{self.partition}]@{self.offset}"


ATTEMPT = "attempt"
"""The header of a record that was given up before and is driven again: "2" and up."""

_DIGITS = 7  # nobody drives a record again a million times


def attempt_in(headers: Mapping[str, str]) -> int:
    """Which attempt a record is; 1 as well where the header tells nothing that can be meant."""
    text = headers.get(ATTEMPT, "")
    is_number = text.isascii() and text.isdigit() and len(text) < _DIGITS
    return max(1, int(text)) if is_number else 1


@dataclass(frozen=True, slots=True, kw_only=True)
class DeadLetter:
    """A record given up on: the original bytes and headers, and why."""

    reason: str  # one constant word: "poison", "failed", "refused", "conflict"
    detail: str  # a sentence for the operator; never a secret, never a whole payload
    key: bytes | None  # of the original record
    body: bytes  # of the original record, untouched
    headers: Mapping[str, str] = field(default_factory=dict)  # of the original record
    origin: Position | None = None  # None: it never reached a topic (a conflict at the gateway)
    traceback_digest: str = ""  # 16 hex digits; equal for equal causes
    attempts: int = 1  # how often it was tried before it was given up, in this attempt
    first_seen: datetime | None = None
    about: Mapping[str, str] = field(default_factory=dict)  # see `GivenUp.about`

    @property
    def attempt(self) -> int:
        """Which attempt at the record ended here; driven again, it is the next one."""
        return attempt_in(self.headers)


def conflict_letter(delivery: Delivery, origin: Position | None = None) -> DeadLetter:
    """The letter of a delivery whose id was that of another body before: a request, whole.

    It has the headers of the request, not of a record, so that it can be accepted under an id of
    its own.  `origin`: where it lies, if it was accepted before anybody could tell.
    """
    return DeadLetter(
        reason="conflict",
        detail=(
            f"delivery {delivery.key} came before with another body; "
            "a relay may reuse ids, or somebody replays them"
        ),
        key=delivery.subject.key.encode("utf-8", "surrogateescape"),
        body=delivery.body,
        headers={**delivery.headers, "x-github-delivery": delivery.id},
        origin=origin,
        first_seen=delivery.received_at,
    )


class GivenUp(ReactorError):
    """Trying again would not help: the record belongs on the dead-letter topic.

    Raised by whoever settles a record; `dead_reason` is the reason of its `DeadLetter`.
    """

    dead_reason = "poison"

    @property
    def about(self) -> Mapping[str, str]:
        """What a person looks for, where the record itself does not tell.

        "delivery" (a `Delivery.key`), "event", "subject", "process" and its "attempt".
        """
        return {}


class DeliveryLog(Protocol):
    """Where accepted deliveries and signals are put."""

    async def append(self, delivery: Delivery) -> Position | None:
        """Return once the delivery is durable; None: kept, but not on the topic yet.

        With a position every in-sync replica of the topic has the record (acks=all).  Raises
        `InfrastructureError` where it could not be kept; it may have been written all the same.
        """
        ...


class DeadLetters(Protocol):
    """Where what was given up is kept."""

    async def bury(self, letter: DeadLetter) -> Position:
        """Return once the letter is durable.  Raises `InfrastructureError`."""
        ...


class JournalLog(Protocol):
    """Where decision records go for good."""

    async def publish(self, records: "Sequence[JournalRecord]") -> None:
        """Return once all are durable.  Raises `InfrastructureError`; a repeat does no harm."""
        ...
