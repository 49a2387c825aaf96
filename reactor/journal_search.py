"""Searching the journal: what words ask for, and the answer as a document.

The command line and the console's `/api/journal` ask here; pure, but for the index that is asked.
"""

from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from typing import Any, NotRequired, TypedDict, get_args

from reactor.errors import ReactorError
from reactor.records import (
    MOST,
    PAGE,
    Cursor,
    Found,
    FoundRecord,
    JournalQuery,
    action_of,
    effects_of,
    outcome_of,
    status_of,
)
from reactor.status import RunOutcome, Status

WORDS = ("delivery", "subject", "component", "action", "effect", "outcome")
_UNITS = {"m": "minutes", "h": "hours", "d": "days"}
_OUTCOMES = (*get_args(RunOutcome), *(str(status) for status in Status))
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MICROSECOND = timedelta(microseconds=1)


class BadQuery(ReactorError):
    """A word of a query can't be understood."""

    def __init__(self, name: str, expected: str) -> None:
        super().__init__(name, expected)
        self.name, self.expected = name, expected

    def __str__(self) -> str:
        return f"{self.name} can't be understood; leave it out, or give {self.expected}"


class ToldRecord(TypedDict):
    """A decision record in short."""

    process: str
    seq: int
    kind: str  # as of `reactor.journal.Kind`
    at: str  # ISO 8601, UTC
    reaction: str
    event: str
    subject: str  # "octo/hello#7", as it was called then
    delivery: str  # the id, without its host
    status: str  # where the process came to rest last; "" until it does
    action: str  # that was chosen, or that an answer is for
    outcome: str  # of the action; of a record "ended", the status that it tells
    effects: list[str]  # kinds, as they were asked for
    data: NotRequired[Mapping[str, Any]]  # all of the record, where it was asked for


class ToldFound(TypedDict):
    """One page of decision records, newest first."""

    records: list[ToldRecord]
    next: str | None  # `before` of the next page; None: there are no more
    search: dict[str, str]  # what was asked for, but for the page


def query_of(words: Mapping[str, str], *, now: datetime) -> JournalQuery:
    """Read `WORDS`, "since", "until" (as `moment_of`), "limit" and "before".

    Raises `BadQuery`; other words are passed over.
    """
    said = {name: words.get(name, "").strip() for name in WORDS}
    if said["outcome"] and said["outcome"] not in _OUTCOMES:
        raise BadQuery("outcome", f"one of {', '.join(_OUTCOMES)}")
    before = words.get("before", "").strip()
    return JournalQuery(
        **said,
        since=moment_of(words.get("since", ""), now=now, name="since"),
        until=moment_of(words.get("until", ""), now=now, name="until"),
        limit=_limit(words.get("limit", "").strip()),
        before=_cursor(before) if before else None,
    )


def moment_of(text: str, *, now: datetime, name: str) -> datetime | None:
    """What "90m", "2h", "3d" (ago) or an ISO 8601 moment means, in UTC where it has no zone.

    None for nothing.  Raises `BadQuery`.
    """
    text = text.strip()
    if not text:
        return None
    try:
        if unit := _UNITS.get(text[-1]):
            return now - timedelta(**{unit: float(text[:-1])})
        found = datetime.fromisoformat(text)
        return (found if found.tzinfo else found.replace(tzinfo=UTC)).astimezone(UTC)
    except (ValueError, OverflowError):
        raise BadQuery(name, "90m, 2h or 3d, or 2026-03-14T15:00") from None


def told_found(found: Found, words: Mapping[str, str], *, with_data: bool = False) -> ToldFound:
    """The answer as a document; `words`: those of the query."""
    asked = {name: words.get(name, "").strip() for name in (*WORDS, "since", "until")}
    return ToldFound(
        records=[_told(each, with_data=with_data) for each in found.records],
        next=_name(found.next) if found.next else None,
        search=asked,
    )


def _told(found: FoundRecord, *, with_data: bool) -> ToldRecord:
    record, process = found.record, found.process
    told = ToldRecord(
        process=record.process_id,
        seq=record.seq,
        kind=record.kind,
        at=record.at.isoformat(),
        reaction=process.reaction,
        event=process.event,
        subject=process.subject_name,
        delivery=process.delivery.rpartition("/")[2],
        status=process.status,
        action=action_of(record),
        outcome=outcome_of(record) or status_of(record),
        effects=[kind for kind, _ in effects_of(record)],
    )
    if with_data:
        told["data"] = record.data
    return told


def _limit(text: str) -> int:
    if not text:
        return PAGE
    if text.isascii() and text.isdigit() and len(text) <= len(str(MOST)) and 0 < int(text) <= MOST:
        return int(text)
    raise BadQuery("limit", f"a number from 1 to {MOST}")


def _name(cursor: Cursor) -> str:
    return f"{(cursor.at - _EPOCH) // _MICROSECOND}.{cursor.seq}.{cursor.process_id}"


def _cursor(name: str) -> Cursor:
    micros, _, rest = name.partition(".")
    seq, _, process = rest.partition(".")
    try:
        if len(micros) > 20 or len(seq) > 18:
            raise ValueError
        return Cursor(_EPOCH + int(micros) * _MICROSECOND, process, int(seq))
    except (ValueError, OverflowError):
        raise BadQuery("before", "the `next` of another page") from None
