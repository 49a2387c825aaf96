"""HTTP connections that may not dawdle: a request's head has to come soon, and to end somewhere.

uvicorn waits for the first line and the headers of a request without limit, in time and in size:
a few thousand connections that send nothing, or one that sends headers for ever, would be enough.
Bodies have limits of their own (`reactor.web.body`).
"""

import asyncio
from http import HTTPStatus
from typing import TYPE_CHECKING

from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

HEAD_WITHIN_S = 10.0  # GitHub gives up a delivery after as long
HEAD_UP_TO = 64 * 1024  # bytes

if TYPE_CHECKING:
    _Timer = asyncio.TimerHandle | None


class PromptProtocol(HttpToolsProtocol):
    """uvicorn's own, with a clock and a scale for heads."""

    head_within_s = HEAD_WITHIN_S
    head_up_to = HEAD_UP_TO

    _timer: "_Timer" = None  # one for many heads: a timer costs more than a look at the clock
    _began_s: float | None = None  # when the head that comes now began; None: it is complete
    _is_in_head = True  # nothing has come yet, or a part of a head has
    _head_bytes = 0

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """The first head may begin."""
        super().connection_made(transport)
        self._begin()

    def connection_lost(self, exc: Exception | None) -> None:
        """Nobody waits any more."""
        self._stop()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        """More of a head, or of a body."""
        super().data_received(data)
        if not self._is_in_head:
            return
        self._head_bytes += len(data)
        if self._head_bytes > self.head_up_to:
            self._refuse(HTTPStatus.REQUEST_HEADER_FIELDS_TOO_LARGE)

    def on_message_begin(self) -> None:
        """The next head begins; the time of the first one runs since the connection was made."""
        super().on_message_begin()
        self._is_in_head, self._head_bytes = True, 0
        if self._began_s is None:
            self._begin()

    def on_headers_complete(self) -> None:
        """The head was in time."""
        self._began_s = None
        self._is_in_head = False
        super().on_headers_complete()

    def _begin(self) -> None:
        self._began_s = self.loop.time()
        if self._timer is None:
            self._timer = self.loop.call_later(self.head_within_s, self._look)

    def _stop(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _look(self) -> None:
        self._timer = None
        if self._began_s is None:  # the next head sets it again
            return
        left_s = self._began_s + self.head_within_s - self.loop.time()
        if left_s > 0:
            self._timer = self.loop.call_later(left_s, self._look)
            return
        self._refuse(HTTPStatus.REQUEST_TIMEOUT)

    def _refuse(self, status: HTTPStatus) -> None:
        """Say so, where something was asked, and hang up."""
        self._stop()
        if self.transport.is_closing():
            return
        if self._head_bytes:
            head = f"HTTP/1.1 {status.value} {status.phrase}\r\n"
            self.transport.write(f"{head}content-length: 0\r\nconnection: close\r\n\r\n".encode())
        self.transport.close()
