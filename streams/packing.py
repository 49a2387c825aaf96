"""Packing: how a body that is too large for the broker travels all the same.

    up to 512 kB        as it is                               no header
    larger, if it fits  compressed                             packing: zstd, size: N
    larger still        in a body store, the record names it   packing: claim, size: N

`size` is the length of the body in bytes.  The value of a "claim" record is the name of the body
in the store: its SHA-256 as 64 hex digits, so that a body is kept once and can be checked.
"""

import asyncio
import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Protocol

from reactor.errors import ReactorError
from streams.record import PoisonRecord

PACKING, SIZE = "packing", "size"

# Apache Kafka takes 1,048,588 bytes per record by default, key, headers and framing included.
_PLAIN_UP_TO = 512_000
_PACKED_UP_TO = 900_000
_INLINE_UP_TO = 65_536  # more than this is (un)packed in a thread, so that the loop goes on
_LEVEL = 3  # of zstd: its default


class BodyStore(Protocol):
    """Where large bodies lie.  Must keep them at least as long as the topic keeps its records."""

    async def put(self, name: str, body: bytes) -> None:
        """Keep the body durably; a repeat starts its time anew.  Raises `InfrastructureError`."""
        ...

    async def get(self, name: str) -> bytes | None:
        """The body, or None where it is not (any more).  Raises `InfrastructureError`."""
        ...


class NoBodyStore(ReactorError):
    """A body fits the broker in no form, and there is no store for it."""

    def __init__(self, size: int) -> None:
        super().__init__(size)
        self.size = size

    def __str__(self) -> str:
        return f"a body of {self.size:,} bytes does not fit a record; configure a body store"


@dataclass(frozen=True, slots=True, kw_only=True)
class Packed:
    """A body in the form in which it travels."""

    value: bytes
    headers: Mapping[str, str]


@dataclass(frozen=True, slots=True, kw_only=True)
class Sizes:
    """Limits in bytes."""

    plain_up_to: int = _PLAIN_UP_TO  # larger bodies are compressed
    packed_up_to: int = _PACKED_UP_TO  # what the broker takes, less room for key and headers
    body_up_to: int = 32 * 1024 * 1024  # GitHub sends 25 MiB at most; guards against zip bombs


class Packing:
    """Packs bodies for the broker and unpacks them again."""

    def __init__(self, store: BodyStore | None, sizes: Sizes | None = None) -> None:
        self._store, self._sizes = store, sizes or Sizes()

    async def pack(self, body: bytes) -> Packed:
        """Make a body fit.  Raises `NoBodyStore`, `InfrastructureError` (of the store)."""
        if len(body) <= self._sizes.plain_up_to:
            return Packed(value=body, headers={})
        size = str(len(body))
        smaller = await asyncio.to_thread(_compress, body)
        if len(smaller) <= self._sizes.packed_up_to:
            return Packed(value=smaller, headers={PACKING: "zstd", SIZE: size})
        if self._store is None:
            raise NoBodyStore(len(body))
        name = await asyncio.to_thread(_digest, body)
        await self._store.put(name, body)
        return Packed(value=name.encode(), headers={PACKING: "claim", SIZE: size})

    async def unpack(self, value: bytes, headers: Mapping[str, str]) -> bytes:
        """The body again.  Raises `PoisonRecord`, `InfrastructureError` (of the store)."""
        packing = headers.get(PACKING)
        if packing is None:
            return value
        size = self._size(headers)
        if packing == "zstd":
            return await _decompress(value, size)
        if packing == "claim":
            return await self._claim(value, size)
        raise PoisonRecord(f"the header {PACKING} is {packing!r}; this version knows zstd, claim")

    def _size(self, headers: Mapping[str, str]) -> int:
        text = headers.get(SIZE, "")
        is_number = text.isascii() and text.isdigit() and len(text) < 12
        if not is_number or int(text) > self._sizes.body_up_to:
            raise PoisonRecord(f"the header {SIZE} is no number up to {self._sizes.body_up_to}")
        return int(text)

    async def _claim(self, value: bytes, size: int) -> bytes:
        name = value.decode("ascii", "replace")
        if self._store is None:
            raise NoBodyStore(size)
        body = await self._store.get(name)
        if body is None:
            raise PoisonRecord(f"the body {name} is gone from the body store: kept too short?")
        if len(body) != size:
            raise PoisonRecord(f"the body {name} has {len(body)} bytes in the store, not {size}")
        return body


def _compress(body: bytes) -> bytes:
    from cramjam import zstd

    return bytes(zstd.compress(body, level=_LEVEL))


async def _decompress(value: bytes, size: int) -> bytes:
    if size <= _INLINE_UP_TO:
        return _expand(value, size)
    return await asyncio.to_thread(_expand, value, size)


def _expand(value: bytes, size: int) -> bytes:
    """Into a buffer of the size that was told, never more."""
    from cramjam import DecompressionError, zstd

    room = bytearray(size)
    try:
        written = zstd.decompress_into(value, room)
    except DecompressionError as error:
        raise PoisonRecord(f"the value is not zstd as its header says: {error}") from None
    if written != size:
        raise PoisonRecord(f"the value expands to {written} bytes, its header says {size}")
    return bytes(room)


def _digest(body: bytes) -> str:
    return hashlib.sha256(body).hexdigest()
