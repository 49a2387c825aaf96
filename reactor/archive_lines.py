"""A line of an archive: a delivery or a decision record as JSON, and back.

The first line of a file says what it is, and each other one has a single name that says what the
line holds:

    {"format": "reactor-archive", "version": 1}
    {"delivery": {"id", "host", "event", "action", "subject", "subject_name", "media_type",
                  "received_at", "digest", "source", "headers", "causation", "attempt",
                  "replayed", "unclaimed", "traceparent",
                  "body": text, or "body_base64" where the body is no UTF-8}}
    {"journal": {"process_id", "seq", "kind", "at", "data"}}

A reader passes over names that it does not know, within a line and of lines; what was called
otherwise before needs another version.  Bodies are kept to the byte: the digest tells.
"""

import json
from base64 import b64decode, b64encode
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any, cast, get_args

import orjson

from reactor.delivery import Delivery, Source, Subject, digest
from reactor.errors import ReactorError
from reactor.journal import JournalRecord, Kind
from reactor.payload import parse

FORMAT, VERSION = "reactor-archive", 1

Item = Delivery | JournalRecord
_KINDS = frozenset(get_args(Kind))
_SOURCES = frozenset(get_args(Source))


class UnreadableLine(ValueError):
    """A line that holds neither a delivery nor a decision record, though it says so."""


def line_of(item: Item) -> bytes:
    """An item as a line, its end included."""
    if isinstance(item, JournalRecord):
        return orjson.dumps({"journal": item}, option=orjson.OPT_APPEND_NEWLINE)
    # subjects and headers may hold bytes that are no text, as lone surrogates: orjson refuses those
    return json.dumps({"delivery": _told(item)}).encode() + b"\n"


def item_of(line: bytes) -> Item | None:
    """The item; None of a line of another kind.  Raises `UnreadableLine`."""
    match _json(line):
        case {"delivery": dict(told)}:
            return _delivery(told)
        case {"journal": dict(told)}:
            return _record(told)
        case {"delivery": _} | {"journal": _}:
            raise UnreadableLine("what it holds is no object")
        case dict():
            return None
    raise UnreadableLine("it is no object")


def _json(line: bytes) -> object:
    try:
        return orjson.loads(line)
    except ValueError:
        pass  # lone surrogates, perhaps
    try:
        return json.loads(line)
    except (ValueError, RecursionError) as error:
        raise UnreadableLine(f"it is no JSON ({error})") from None


def _told(delivery: Delivery) -> dict[str, object]:
    told: dict[str, object] = {
        "id": delivery.id,
        "host": delivery.host,
        "event": delivery.event,
        "action": delivery.action,
        "subject": delivery.subject.key,
        "subject_name": delivery.subject.name,
        "media_type": delivery.media_type,
        "received_at": delivery.received_at.isoformat(),
        "digest": delivery.digest,
        "source": delivery.source,
        "headers": dict(delivery.headers),
        "causation": list(delivery.causation),
        "attempt": delivery.attempt,
        "replayed": delivery.replayed,
        "unclaimed": delivery.unclaimed,
        "traceparent": delivery.traceparent,
    }
    try:
        told["body"] = delivery.body.decode()
    except UnicodeDecodeError:
        told["body_base64"] = b64encode(delivery.body).decode()
    return told


def _delivery(told: Mapping[str, Any]) -> Delivery:
    try:
        body = (
            told["body"].encode()
            if "body" in told
            else b64decode(told["body_base64"], validate=True)
        )
        if digest(body) != told["digest"]:
            raise UnreadableLine("the body is not the one that its digest was made of")
        if told["source"] not in _SOURCES:
            raise UnreadableLine("its source is none of ours")
        return Delivery(
            id=_str(told, "id"),
            event=_str(told, "event"),
            action=None if told.get("action") is None else _str(told, "action"),
            host=_str(told, "host"),
            subject=Subject(key=_str(told, "subject"), name=_str(told, "subject_name")),
            body=body,
            media_type=_str(told, "media_type"),
            payload=parse(body, _str(told, "media_type")),
            received_at=_moment(told["received_at"]),
            digest=_str(told, "digest"),
            source=told["source"],
            headers={str(name): str(value) for name, value in told.get("headers", {}).items()},
            causation=tuple(str(each) for each in told.get("causation", ())),
            attempt=int(told.get("attempt", 1)),
            replayed=bool(told.get("replayed")),
            unclaimed=bool(told.get("unclaimed")),
            traceparent=str(told.get("traceparent", "")),
        )
    except UnreadableLine:
        raise
    except KeyError as error:
        raise UnreadableLine(f"the delivery lacks {error}") from None
    except (ReactorError, AttributeError, TypeError, ValueError) as error:
        raise UnreadableLine(f"the delivery can't be read ({error})") from None


def _record(told: Mapping[str, Any]) -> JournalRecord:
    match told:
        case {
            "process_id": str(process_id),
            "seq": int(seq),
            "kind": str(kind),
            "at": str(at),
            "data": dict(data),
        } if kind in _KINDS and not isinstance(seq, bool) and 0 < seq < 2**63:
            return JournalRecord(
                process_id=process_id,
                seq=seq,
                kind=cast("Kind", kind),
                at=_moment(at),
                data=data,
            )
    raise UnreadableLine("the decision record lacks a field, or one is of another type")


def _str(told: Mapping[str, Any], name: str) -> str:
    value = told[name]
    if not isinstance(value, str):
        raise UnreadableLine(f"{name} is no text")
    return value


def _moment(text: object) -> datetime:
    try:
        moment = datetime.fromisoformat(text) if isinstance(text, str) else None
        if moment and moment.tzinfo:
            return moment.astimezone(UTC)
    except (ValueError, OverflowError):
        pass
    raise UnreadableLine("a moment in it is none with a time zone")


def head_line() -> bytes:
    """The first line of a file."""
    return orjson.dumps({"format": FORMAT, "version": VERSION}, option=orjson.OPT_APPEND_NEWLINE)


def why_no_head(line: bytes) -> str:
    """Why this is not the first line of a file that we can read; "" where it is."""
    try:
        head = _json(line)
    except UnreadableLine as error:
        return str(error)
    match head:
        case {"format": "reactor-archive", "version": int(version)} if version == VERSION:
            return ""
        case {"format": "reactor-archive", "version": version}:
            return f"its version is {version}"
    return "its first line does not say that it is one"
