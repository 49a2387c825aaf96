"""A dead letter as a Kafka record, and back.

Schema 1.  Key, value and headers are those of the original record, so that driving it again means
writing it again (`again`) without the headers below:

    dead.schema     "1"
    dead.reason     one constant word: "poison", "failed", "refused", "conflict"
    dead.detail     a sentence for the operator
    dead.origin     topic/partition/offset; absent for what never reached a topic
    dead.traceback  16 hex digits, equal for equal causes; absent where nothing was raised
    dead.attempts   how often it was tried, in this attempt at the record
    dead.about      JSON object: what it is about, where the original does not tell; or absent
    dead.first-seen ISO 8601, UTC; absent where it is not known
    dead.packing, dead.size   a value that had to be made smaller for this topic, in a form of
                              `streams.packing`; the original may be packed besides
"""

import json
from collections.abc import Iterator, Mapping

from reactor.topic import ATTEMPT, DeadLetter, Position
from streams.packing import PACKING, SIZE, Packing
from streams.record import Outgoing, PoisonRecord, Record, moment_of, raw, stamp, texts

SCHEMA = "1"
_DEAD = "dead."
_DETAIL_UP_TO = 1_000  # characters
_HEADERS_UP_TO = 32_768  # bytes of original headers that are kept: the record must fit the broker


class LetterCodec:
    """Turns dead letters into records and back."""

    def __init__(self, packing: Packing) -> None:
        self._packing = packing

    async def encode(self, letter: DeadLetter) -> Outgoing:
        """The record of a letter.  Raises `NoBodyStore`, `InfrastructureError` (of the store)."""
        packed = await self._packing.pack(letter.body)
        headers = dict(_original(letter.headers)) | dict(_dead(letter))
        headers |= {_DEAD + name: value for name, value in packed.headers.items()}
        return Outgoing(key=letter.key, value=packed.value, headers=raw(headers))

    async def decode(self, record: Record) -> DeadLetter:
        """The letter of a record.

        Raises `PoisonRecord` for what is no letter, `InfrastructureError` where the body store
        is away.
        """
        headers = texts(record.headers)
        dead = {name.removeprefix(_DEAD): headers[name] for name in headers if _is_dead(name)}
        if dead.get("schema") != SCHEMA:
            raise PoisonRecord(f"no dead letter of schema {SCHEMA}: {dead.get('schema')!r}")
        packing = {name: dead[name] for name in (PACKING, SIZE) if name in dead}
        return DeadLetter(
            reason=dead.get("reason", ""),
            detail=dead.get("detail", ""),
            key=record.key,
            body=await self._packing.unpack(record.value, packing),
            headers={name: value for name, value in headers.items() if not _is_dead(name)},
            origin=_position(dead.get("origin", "")),
            traceback_digest=dead.get("traceback", ""),
            attempts=_count(dead.get("attempts", "")),
            first_seen=moment_of(dead.get("first-seen", "")),
            about=_about(dead.get("about", "{}")),
        )


def again(letter: DeadLetter) -> Outgoing:
    """The original record as it is driven again: the same bytes, and the next attempt."""
    headers = {**letter.headers, ATTEMPT: str(letter.attempt + 1)}
    return Outgoing(key=letter.key, value=letter.body, headers=raw(headers))


def _dead(letter: DeadLetter) -> Iterator[tuple[str, str]]:
    yield _DEAD + "schema", SCHEMA
    yield _DEAD + "reason", letter.reason
    yield _DEAD + "detail", letter.detail[:_DETAIL_UP_TO].encode("utf-8", "replace").decode()
    if letter.origin:
        origin = letter.origin
        yield _DEAD + "origin", f"{origin.topic}/{origin.partition}/{origin.offset}"
    if letter.traceback_digest:
        yield _DEAD + "traceback", letter.traceback_digest
    yield _DEAD + "attempts", str(letter.attempts)
    if letter.first_seen:
        yield _DEAD + "first-seen", stamp(letter.first_seen)
    if letter.about:
        yield _DEAD + "about", json.dumps(dict(letter.about))


def _original(headers: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    """The original's headers, as many as fit; those of an earlier death are gone."""
    room = _HEADERS_UP_TO
    for name, value in sorted(headers.items(), key=lambda header: header[0] != ATTEMPT):
        room -= len(name) + len(value)
        if not _is_dead(name) and room >= 0:
            yield name, value


def _is_dead(name: str) -> bool:
    return name.startswith(_DEAD)


def _position(text: str) -> Position | None:
    match text.split("/"):  # a topic's name can't contain a slash
        case [topic, partition, offset] if _is_number(partition) and _is_number(offset):
            return Position(topic, int(partition), int(offset))
    return None


def _about(text: str) -> Mapping[str, str]:
    try:
        told = json.loads(text)
    except (ValueError, RecursionError):
        return {}
    return {str(k): str(told[k]) for k in told} if isinstance(told, dict) else {}


def _count(text: str) -> int:
    return int(text) if _is_number(text) else 1


def _is_number(text: str) -> bool:
    return text.isascii() and text.isdigit() and len(text) < 20
