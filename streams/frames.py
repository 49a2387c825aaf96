"""A record that waits off its topic, as bytes: in the spool of a gateway, or on the shelf.

Version 1, numbers unsigned and big-endian:

    1 byte    version
    2, n      length and name of the topic (UTF-8)
    1, 4, n   1 where there is a key (else 0 and nothing more of it), its length, the key
    2         number of headers, each: 2, n  its name (UTF-8);  4, n  its value
    rest      value of the record

Who keeps a frame sees to it that it is read back whole; what can't be read here was written by
another version.
"""

import hashlib
import struct
from collections.abc import Mapping
from dataclasses import dataclass

from reactor.delivery import Delivery
from reactor.errors import ReactorError
from reactor.topic import attempt_in
from streams.record import Outgoing, texts

_VERSION = 1


@dataclass(frozen=True, slots=True)
class Frame:
    """A record, and the topic that it belongs on."""

    topic: str
    record: Outgoing


class BadFrame(ReactorError):
    """Bytes that are no frame of this version."""

    def __init__(self, why: str) -> None:
        super().__init__(why)
        self.why = why

    def __str__(self) -> str:
        return f"no record of version {_VERSION} ({self.why}): read it with the version that did"


def pack(frame: Frame) -> bytes:
    """The bytes of a frame."""
    record = frame.record
    parts = [bytes([_VERSION]), _short(frame.topic.encode())]
    parts += [b"\0"] if record.key is None else [b"\1", _long(record.key)]
    parts.append(struct.pack(">H", len(record.headers)))
    for name, value in record.headers:
        parts += [_short(name.encode("utf-8", "surrogateescape")), _long(value)]
    return b"".join([*parts, record.value])


def unpack(packed: bytes) -> Frame:
    """The way back.  Raises `BadFrame`."""
    rest = _Rest(packed)
    version = rest.number(1)
    if version != _VERSION:
        raise BadFrame(f"its version is {version}")
    try:
        topic = rest.take(rest.number(2)).decode()
        key = rest.take(rest.number(4)) if rest.number(1) else None
        headers = tuple(
            (
                rest.take(rest.number(2)).decode("utf-8", "surrogateescape"),
                rest.take(rest.number(4)),
            )
            for _ in range(rest.number(2))
        )
    except UnicodeDecodeError as error:
        raise BadFrame("a name in it is no UTF-8") from error
    return Frame(topic, Outgoing(key=key, value=rest.all(), headers=headers))


def name_of(topic: str, record: Outgoing) -> str:
    """What a record is called while it is kept: the same for the same delivery and attempt.

    A record without the headers of a delivery is called by what is in it.
    """
    told = texts(record.headers)
    if told.keys() >= {"host", "delivery", "digest"}:
        return _name(topic, f"{told['host']}/{told['delivery']}", told["digest"], attempt_in(told))
    return f"{topic}|{_digest(record, told)}"


def name_of_delivery(topic: str, delivery: Delivery) -> str:
    """The same for what the record was made of, or was read as."""
    return _name(topic, delivery.key, delivery.digest, delivery.attempt)


def _name(topic: str, key: str, digest: str, attempt: int) -> str:
    """With the digest: of two bodies under one id, both count."""
    return f"{topic}|{key}|{digest[:16]}|{attempt}"


def _digest(record: Outgoing, told: Mapping[str, str]) -> str:
    what = repr((record.key, record.value, sorted(told.items())))
    return hashlib.sha256(what.encode("utf-8", "surrogateescape")).hexdigest()[:32]


def _short(data: bytes) -> bytes:
    return struct.pack(">H", len(data)) + data


def _long(data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + data


class _Rest:
    """What is still to be read."""

    def __init__(self, packed: bytes) -> None:
        self._packed, self._at = packed, 0

    def number(self, size: int) -> int:
        return int.from_bytes(self.take(size), "big")

    def take(self, size: int) -> bytes:
        end = self._at + size
        if end > len(self._packed):
            raise BadFrame("it ends too early")
        taken, self._at = self._packed[self._at : end], end
        return taken

    def all(self) -> bytes:
        return self.take(len(self._packed) - self._at)
