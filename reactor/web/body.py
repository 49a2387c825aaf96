"""Reading the body of a request within bounds: of size, of time, and of memory over all requests.

A body can be refused before or while it arrives.  The answer then goes out at once, and what the
client still sends is thrown away for a while, so that it reads the answer and not a reset.
"""

import asyncio
from contextlib import suppress
from dataclasses import dataclass
from types import TracebackType
from typing import Self

from starlette.datastructures import Headers
from starlette.requests import ClientDisconnect
from starlette.types import Receive, Scope

from reactor.refusal import Refused

KIB, MIB = 1024, 1024 * 1024


@dataclass(frozen=True, slots=True, kw_only=True)
class BodyLimits:
    """Bounds of what is read.

    Memory stays below twice `large_at_once` times `largest_bytes` (they are joined once), and
    `small_bytes` for each other request.
    """

    largest_bytes: int = 25 * MIB  # what GitHub sends at most
    small_bytes: int = 256 * KIB  # beyond, a body is large; nearly all are far below
    large_at_once: int = 4  # others wait for their turn
    read_timeout_s: float = 10.0  # GitHub hangs up then
    discard_bytes: int = 32 * MIB  # of a refused body, so that common clients get to the answer
    discard_timeout_s: float = 5.0


class Bodies:
    """Makes the bodies of one gateway, which share the turns for large ones."""

    def __init__(self, limits: BodyLimits) -> None:
        self._limits = limits
        self._turns = asyncio.Semaphore(limits.large_at_once)

    def of(self, scope: Scope, receive: Receive) -> "Body":
        """The body of one request; use it in `async with`."""
        return Body(Headers(scope=scope), receive, self._limits, self._turns)


class Body:
    """The body of one request, not yet read."""

    def __init__(
        self, headers: Headers, receive: Receive, limits: BodyLimits, turns: asyncio.Semaphore
    ) -> None:
        self._declared = _declared(headers)
        self._awaits_word = headers.get("expect", "").lower() == "100-continue"
        self._receive, self._limits, self._turns = receive, limits, turns
        self._has_turn = self._waits_for_turn = False
        self._is_read = False  # to its end
        self._is_given_up = False  # it took too long

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._give_turn_back()

    @property
    def ends_connection(self) -> bool:
        """Whether the client would have to send too much more before the next request."""
        if self._is_given_up:
            return True
        if self._is_read:
            return False
        return self._declared is None or self._declared > self._limits.small_bytes

    async def read(self) -> bytes:
        """The whole body.

        Raises `Refused`: 413 as soon as it is known to be too large, 408 when it is too slow,
        503 when too many large ones are before it; and starlette's `ClientDisconnect`.
        """
        if self._declared and self._declared > self._limits.largest_bytes:
            raise self._too_large()
        try:
            async with asyncio.timeout(self._limits.read_timeout_s):
                return await self._read()
        except TimeoutError:
            self._is_given_up = True
            if self._waits_for_turn:
                raise _busy() from None
            raise Refused(
                408,
                "slow",
                f"the body did not arrive within {self._limits.read_timeout_s:g} s",
                where="body",
                fix="send it again; if it happens often, look at the network or a proxy",
            ) from None

    async def discard(self) -> None:
        """Throw away what still comes, within bounds."""
        if self._is_given_up or self._awaits_word:  # it had its time; nothing comes
            return
        self._give_turn_back()  # what was read is gone
        left = self._limits.discard_bytes
        with suppress(TimeoutError, ClientDisconnect):
            async with asyncio.timeout(self._limits.discard_timeout_s):
                while not self._is_read and left > 0:
                    left -= len(await self._next())

    async def _read(self) -> bytes:
        first = await self._next()
        if self._is_read and len(first) <= self._limits.small_bytes:
            return first  # nearly always: nothing is copied
        read = bytearray(first)
        while True:
            if len(read) > self._limits.largest_bytes:
                raise self._too_large()
            if len(read) > self._limits.small_bytes and not self._has_turn:
                self._waits_for_turn = True
                await self._turns.acquire()
                self._has_turn, self._waits_for_turn = True, False
            if self._is_read:
                return bytes(read)
            read += await self._next()

    def _give_turn_back(self) -> None:
        if self._has_turn:
            self._has_turn = False
            self._turns.release()

    async def _next(self) -> bytes:
        message = await self._receive()
        if message["type"] == "http.disconnect":
            raise ClientDisconnect
        self._is_read = not message.get("more_body", False)
        self._awaits_word = False
        chunk: bytes = message.get("body", b"")
        return chunk

    def _too_large(self) -> Refused:
        return Refused(
            413,
            "too_large",
            f"the body has more than {self._limits.largest_bytes:,} bytes",
            where="body",
            fix="nothing: GitHub sends no such bodies; other senders must send less",
        )


def _declared(headers: Headers) -> int | None:
    """The length in bytes, or None where it will be known at the end only."""
    length = headers.get("content-length")
    if length is None:
        return None if "transfer-encoding" in headers else 0
    return int(length) if length.isdecimal() and len(length) < 20 else None


def _busy() -> Refused:
    return Refused(
        503,
        "busy",
        "too many large bodies came at once",
        where="body",
        fix="send it again later",
    )
