"""A wire between a client and its server that counts round trips and can lose an answer."""

import asyncio
from contextlib import suppress
from typing import Self
from urllib.parse import urlsplit


class Proxy:
    """Passes bytes on; one per test, used by one client at a time."""

    def __init__(self, url: str) -> None:
        parts = urlsplit(url)
        self._host, self._port = parts.hostname or "127.0.0.1", parts.port or 6379
        self._path = parts.path
        self.round_trips = 0
        self.answers_to_lose = 0  # the server acts on as many requests, and nobody hears of it
        self._is_asking = False
        self._connections: set[asyncio.Task[None]] = set()

    @property
    def url(self) -> str:
        host, port = self._server.sockets[0].getsockname()
        return f"redis://{host}:{port}{self._path}"

    async def __aenter__(self) -> Self:
        self._server = await asyncio.start_server(self._serve, "127.0.0.1", 0)
        return self

    async def __aexit__(self, *_: object) -> None:
        self._server.close()
        for connection in self._connections:
            connection.cancel()
        await asyncio.gather(*self._connections, return_exceptions=True)

    async def _serve(self, near: asyncio.StreamReader, answer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        self._connections.add(task)
        try:
            far, ask = await asyncio.open_connection(self._host, self._port)
            try:
                await self._pass_on(near, answer, far, ask)
            finally:
                await closed(ask)
        finally:
            await closed(answer)
            self._connections.discard(task)

    async def _pass_on(
        self,
        near: asyncio.StreamReader,
        answer: asyncio.StreamWriter,
        far: asyncio.StreamReader,
        ask: asyncio.StreamWriter,
    ) -> None:
        async with asyncio.TaskGroup() as pumps:
            back = pumps.create_task(self._answers(far, answer))
            while request := await near.read(1 << 16):
                self.round_trips += not self._is_asking
                self._is_asking = True
                ask.write(request)
            back.cancel()

    async def _answers(self, far: asyncio.StreamReader, answer: asyncio.StreamWriter) -> None:
        while data := await far.read(1 << 16):
            self._is_asking = False
            if self.answers_to_lose:
                self.answers_to_lose -= 1
                answer.close()
                return
            answer.write(data)


async def closed(writer: asyncio.StreamWriter) -> None:
    writer.close()
    with suppress(OSError, asyncio.CancelledError):
        await writer.wait_closed()
