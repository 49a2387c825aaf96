"""A record: one line of a topic as plain data, whichever client read it.

Everything in `streams` speaks of `Outgoing` (to be written) and `Record` (as read); no type of
aiokafka or Faust goes further than the module that imports it.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime

from reactor.errors import ReactorError
from reactor.topic import GivenUp, Position

Headers = tuple[tuple[str, bytes], ...]  # Kafka allows a name twice; ours never are


@dataclass(frozen=True, slots=True, kw_only=True)
class Outgoing:
    """A record to be written."""

    key: bytes | None  # decides the partition; None: any
    value: bytes
    headers: Headers = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Record:
    """A record as it lies on a topic."""

    position: Position
    key: bytes | None
    value: bytes
    headers: Headers
    written_at: datetime  # aware, UTC: the record's own timestamp, to the millisecond

    @property
    def size(self) -> int:
        """Bytes that it holds in memory, roughly."""
        return len(self.value) + sum(len(name) + len(value) for name, value in self.headers)


class PoisonRecord(GivenUp):
    """A record that can never be settled: it goes to the dead-letter topic, and the rest goes on."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason

    def __str__(self) -> str:
        return self.reason


class RecordTooLarge(ReactorError):
    """The broker takes no record of this size."""

    def __init__(self, topic: str, size: int) -> None:
        super().__init__(topic, size)
        self.topic, self.size = topic, size

    def __str__(self) -> str:
        return (
            f"a record of {self.size:,} bytes is too large for {self.topic}; "
            "raise message.max.bytes, or give the codec a body store"
        )


_TOLD = {"delivery": "delivery_id", "subject": "subject"}
_LONGEST = 128  # characters of a header that nobody has checked, on a log line


def told_of(record: Record) -> Mapping[str, str]:
    """What log lines say of the record: its delivery's id and subject, as far as it has them."""
    return {
        _TOLD[name]: value.decode("utf-8", "replace")[:_LONGEST]
        for name, value in record.headers
        if name in _TOLD
    }


def texts(headers: Headers) -> Mapping[str, str]:
    """The headers as text; bytes that are no UTF-8 survive the way back through `raw`."""
    return {name: value.decode("utf-8", "surrogateescape") for name, value in headers}


def raw(headers: Mapping[str, str]) -> Headers:
    """The way back from `texts`."""
    return tuple(
        (name, value.encode("utf-8", "surrogateescape")) for name, value in headers.items()
    )


def stamp(moment: datetime) -> str:
    """A moment as it is written in headers: ISO 8601, UTC, microseconds."""
    return moment.astimezone(UTC).isoformat(timespec="microseconds")


def moment_of(text: str) -> datetime | None:
    """The way back from `stamp`; None for what is no moment with a time zone."""
    try:
        moment = datetime.fromisoformat(text)
        return moment.astimezone(UTC) if moment.tzinfo else None
    except (ValueError, OverflowError):
        return None
