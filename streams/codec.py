"""A delivery as a Kafka record, and back.

Schema 1.  The key is the subject's key; the value is the body as it was signed, in one of the
forms of `streams.packing`.  Headers, all of them UTF-8:

    schema      "1"; a reader refuses what it does not know
    host        "github.com"
    event       "issues"
    action      "opened"; absent for events without one
    delivery    X-GitHub-Delivery
    digest      SHA-256 of the body, 64 hex digits
    received    when the gateway had it: ISO 8601, UTC, microseconds
    media-type  "application/json"
    subject     the readable name, "octo/hello#7"
    source      "webhook", "cli", "timer", "signal" or "command"
    causation   JSON list of the ids that led to this one; absent when empty
    attempt     "2" and up where it was given up before and is driven again; absent for "1"
    replayed    "1"; absent otherwise
    unclaimed   "1"; absent otherwise
    traceparent the span that accepted it (W3C Trace Context); absent where nobody traces
    packing, size   see `streams.packing`; absent for a plain body
    h.<name>    one selected request header each, lower-case name

A header more needs no new schema: readers pass over names that they do not know.  Another
meaning of an old one does.
"""

import asyncio
import json
from collections.abc import Callable, Iterator, Mapping
from datetime import datetime
from typing import get_args

from reactor.delivery import Delivery, Source, Subject, digest
from reactor.errors import InfrastructureError, ReactorError
from reactor.topic import ATTEMPT, attempt_in
from streams.packing import Packing
from streams.record import Outgoing, PoisonRecord, Record, moment_of, raw, stamp, texts

SCHEMA = "1"
_REQUEST_HEADER = "h."
_INLINE_UP_TO = 65_536  # bytes; a larger body is checked and parsed in a thread
_SOURCES: Mapping[str, Source] = {source: source for source in get_args(Source)}

Parse = Callable[[bytes, str], Mapping[str, object]]  # body, media type; raises a `ReactorError`


class DeliveryCodec:
    """Turns deliveries into records and back; `parse` reads the payload out of a body."""

    def __init__(self, *, parse: Parse, packing: Packing) -> None:
        self._parse, self._packing = parse, packing

    async def encode(self, delivery: Delivery) -> Outgoing:
        """The record of a delivery.  Raises `NoBodyStore`, `InfrastructureError` (of the store)."""
        packed = await self._packing.pack(delivery.body)
        headers = dict(_headers(delivery)) | dict(packed.headers)
        return Outgoing(
            key=delivery.subject.key.encode("utf-8", "surrogateescape"),
            value=packed.value,
            headers=raw(headers),
        )

    async def decode(self, record: Record) -> Delivery:
        """The delivery of a record.

        Raises `PoisonRecord` where it never will be one, `InfrastructureError` where the body
        store is away.
        """
        headers = texts(record.headers)
        _check_schema(headers)
        body = await self._packing.unpack(record.value, headers)
        fields = _Fields(headers)
        media_type = fields.need("media-type")
        if len(body) <= _INLINE_UP_TO:
            payload = self._read(body, media_type, fields.need("digest"))
        else:
            payload = await asyncio.to_thread(self._read, body, media_type, fields.need("digest"))
        return Delivery(
            id=fields.need("delivery"),
            event=fields.need("event"),
            action=headers.get("action"),
            host=fields.need("host"),
            subject=Subject(key=_subject_key(record), name=fields.need("subject")),
            body=body,
            media_type=media_type,
            payload=payload,
            received_at=fields.moment("received"),
            digest=fields.need("digest"),
            source=fields.source(),
            headers=dict(_request_headers(headers)),
            causation=fields.names("causation"),
            attempt=fields.attempt(),
            replayed="replayed" in headers,
            unclaimed="unclaimed" in headers,
            traceparent=headers.get("traceparent", ""),
        )

    def _read(self, body: bytes, media_type: str, told: str) -> Mapping[str, object]:
        found = digest(body)
        if found != told:
            raise PoisonRecord(f"the body has the digest {found}, its header says {told[:64]!r}")
        try:
            return self._parse(body, media_type)
        except InfrastructureError:
            raise
        except ReactorError as error:
            raise PoisonRecord(f"the body can't be read: {error}") from error


def _headers(delivery: Delivery) -> Iterator[tuple[str, str]]:
    yield "schema", SCHEMA
    yield "host", delivery.host
    yield "event", delivery.event
    if delivery.action is not None:
        yield "action", delivery.action
    yield "delivery", delivery.id
    yield "digest", delivery.digest
    yield "received", stamp(delivery.received_at)
    yield "media-type", delivery.media_type
    yield "subject", delivery.subject.name
    yield "source", delivery.source
    if delivery.causation:
        yield "causation", json.dumps(delivery.causation)
    if delivery.attempt > 1:
        yield ATTEMPT, str(delivery.attempt)
    if delivery.replayed:
        yield "replayed", "1"
    if delivery.unclaimed:
        yield "unclaimed", "1"
    if delivery.traceparent:
        yield "traceparent", delivery.traceparent
    for name, value in delivery.headers.items():
        yield _REQUEST_HEADER + name, value


def _request_headers(headers: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    for name, value in headers.items():
        if name.startswith(_REQUEST_HEADER):
            yield name.removeprefix(_REQUEST_HEADER), value


def _check_schema(headers: Mapping[str, str]) -> None:
    schema = headers.get("schema")
    if schema is None:
        raise PoisonRecord(
            "the header schema is missing: it was not written by a gateway of ours"
            " (see who else writes to this topic)"
        )
    if schema != SCHEMA:
        said = ascii(schema[:16].encode("utf-8", "surrogateescape"))[1:]  # it may be no text
        raise PoisonRecord(f"schema {said} is unknown; this version reads {SCHEMA}")


def _subject_key(record: Record) -> str:
    if record.key is None:
        raise PoisonRecord("the record has no key, so it has no place in an order")
    return record.key.decode("utf-8", "surrogateescape")


class _Fields:
    """Headers, read strictly."""

    def __init__(self, headers: Mapping[str, str]) -> None:
        self._headers = headers

    def need(self, name: str) -> str:
        if name not in self._headers:
            raise PoisonRecord(f"the header {name} is missing")
        return self._headers[name]

    def moment(self, name: str) -> datetime:
        text = self.need(name)
        moment = moment_of(text)
        if moment is None:
            raise PoisonRecord(f"the header {name} is no time with a zone: {text[:40]!r}")
        return moment

    def source(self) -> Source:
        text = self.need("source")
        if text not in _SOURCES:
            raise PoisonRecord(f"the header source is {text[:40]!r}: not one of {sorted(_SOURCES)}")
        return _SOURCES[text]

    def attempt(self) -> int:
        text = self._headers.get(ATTEMPT, "1")
        number = attempt_in(self._headers)
        if str(number) != text:
            raise PoisonRecord(f"the header {ATTEMPT} is no number from 1 up: {text[:40]!r}")
        return number

    def names(self, name: str) -> tuple[str, ...]:
        text = self._headers.get(name, "[]")
        try:
            values = json.loads(text)
        except (ValueError, RecursionError):
            values = None
        if not isinstance(values, list) or not all(isinstance(value, str) for value in values):
            raise PoisonRecord(f"the header {name} is no JSON list of names: {text[:40]!r}")
        return tuple(values)
