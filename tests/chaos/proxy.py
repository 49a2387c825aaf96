"""A wire that can be cut: a TCP proxy on a port of its own, for clients that know no other way.

pass    bytes go through
drop    nothing goes through, nobody is told; what is sent meanwhile is lost, and when the
        wire is mended its connections are gone (a stream with a hole in it is none)
delay   bytes go through later, in order
reset   connections are torn down, and new ones as soon as they are made
"""

import asyncio
import socket
from collections import deque
from collections.abc import Callable
from typing import Literal, Self, cast

Mode = Literal["pass", "drop", "delay", "reset"]

_CONNECT_S = 5.0


class Wire:
    """A listening port, whose connections end at `target`.  Open it in a running loop."""

    def __init__(self, name: str, *, port: int, target: int) -> None:
        self.name, self.port, self.target = name, port, target
        self.mode: Mode = "pass"
        self.delay_s = 0.0
        self._links: set[_Link] = set()
        self._server: asyncio.Server | None = None

    async def __aenter__(self) -> Self:
        loop = asyncio.get_running_loop()
        listener = socket.create_server(("127.0.0.1", self.port), backlog=256)
        self.port = int(listener.getsockname()[1])
        self._server = await loop.create_server(lambda: _Near(self), sock=listener)
        return self

    async def __aexit__(self, *_: object) -> None:
        if self._server:
            self._server.close()
        links = tuple(self._links)
        self.turn("reset")
        await asyncio.gather(*(link.connecting for link in links), return_exceptions=True)
        for _turn in range(3):  # of the loop in which torn connections are closed
            await asyncio.sleep(0)

    def turn(self, mode: Mode, *, delay_s: float = 0.0) -> None:
        """Change what becomes of bytes from now on."""
        was, self.mode = self.mode, mode
        self.delay_s = delay_s
        if mode == "reset" or (was == "drop" and mode != "drop"):
            for link in tuple(self._links):
                link.end()

    def joined(self, link: "_Link") -> None:
        """A connection was made."""
        self._links.add(link)

    def left(self, link: "_Link") -> None:
        """A connection is gone."""
        self._links.discard(link)


class _Link:
    """One connection: the client's side, ours to the server, and the way of the bytes."""

    def __init__(self, wire: Wire, near: asyncio.Transport) -> None:
        self._wire, self._near = wire, near
        self._far: asyncio.Transport | None = None
        self._out, self._back = _Way(wire), _Way(wire)
        self._is_over = False
        self.connecting = asyncio.ensure_future(self._connect())  # owned: ended by `end`
        wire.joined(self)
        if wire.mode == "reset":
            self.end()

    async def _connect(self) -> None:
        loop = asyncio.get_running_loop()
        try:
            async with asyncio.timeout(_CONNECT_S):
                transport, _ = await loop.create_connection(
                    lambda: _Far(self), "127.0.0.1", self._wire.target
                )
        except OSError:  # a time-out is one, too
            self.end()
            return
        self._far = transport
        self._out.to, self._back.to = transport, self._near
        self._out.flush()

    def sent(self, data: bytes) -> None:
        """By the client."""
        self._out.carry(data)

    def answered(self, data: bytes) -> None:
        """By the server."""
        self._back.carry(data)

    def pause(self, *, near: bool, on: bool) -> None:
        """A side can't take more now, so the other one is not read meanwhile."""
        reader = self._far if near else self._near
        if reader is None or reader.is_closing():
            return
        if on:
            reader.pause_reading()
        else:
            reader.resume_reading()

    def end(self) -> None:
        """Tear both sides down."""
        for side in (self._near, self._far):
            if side is not None:
                side.abort()
        self._forget()

    def _forget(self) -> None:
        self._is_over = True
        self.connecting.cancel()
        for way in (self._out, self._back):
            way.end()
        self._wire.left(self)

    def hung_up(self) -> None:
        """One side has closed: what it sent still arrives, then the other is closed as well."""
        if self._wire.mode == "drop" or self._is_over:
            return  # nobody hears of it
        ways = (self._out, self._back)
        waiting = [way for way in ways if way.is_busy]
        if not waiting:
            self._close()
        for way in waiting:
            way.then(self._close)

    def _close(self) -> None:
        """End both sides, once what was handed to them is sent."""
        for side in (self._near, self._far):
            if side is not None:
                side.close()
        self._forget()


class _Way:
    """Bytes in one direction, in order."""

    def __init__(self, wire: Wire) -> None:
        self.to: asyncio.Transport | None = None
        self._wire = wire
        self._due: deque[tuple[float, bytes]] = deque()
        self._timer: asyncio.TimerHandle | None = None
        self._at_end: Callable[[], None] | None = None

    @property
    def is_busy(self) -> bool:
        return bool(self._due)

    def carry(self, data: bytes) -> None:
        if self._wire.mode == "drop":
            return
        loop = asyncio.get_running_loop()
        self._due.append((loop.time() + self._wire.delay_s, data))
        self.flush()

    def flush(self) -> None:
        """Send on what is due; look again when the next is."""
        loop = asyncio.get_running_loop()
        if self.to is None or self._timer is not None:
            return
        while self._due and self._due[0][0] <= loop.time():
            _, data = self._due.popleft()
            if self._wire.mode != "drop":
                self.to.write(data)
        if self._due:
            self._timer = loop.call_at(self._due[0][0], self._again)
        elif self._at_end:
            self._at_end()

    def then(self, act: Callable[[], None]) -> None:
        self._at_end = act

    def end(self) -> None:
        self._due.clear()
        self._at_end = None
        if self._timer:
            self._timer.cancel()

    def _again(self) -> None:
        self._timer = None
        self.flush()


class _Near(asyncio.Protocol):
    """The client's side."""

    def __init__(self, wire: Wire) -> None:
        self._wire = wire
        self._link: _Link | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._link = _Link(self._wire, cast("asyncio.Transport", transport))

    def data_received(self, data: bytes) -> None:
        if self._link:
            self._link.sent(data)

    def pause_writing(self) -> None:
        if self._link:
            self._link.pause(near=True, on=True)

    def resume_writing(self) -> None:
        if self._link:
            self._link.pause(near=True, on=False)

    def connection_lost(self, error: Exception | None) -> None:
        if self._link:
            self._link.hung_up()


class _Far(asyncio.Protocol):
    """Our own connection to the server."""

    def __init__(self, link: _Link) -> None:
        self._link = link

    def data_received(self, data: bytes) -> None:
        self._link.answered(data)

    def pause_writing(self) -> None:
        self._link.pause(near=False, on=True)

    def resume_writing(self) -> None:
        self._link.pause(near=False, on=False)

    def connection_lost(self, error: Exception | None) -> None:
        self._link.hung_up()
