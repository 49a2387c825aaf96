"""A sender of signed deliveries that costs the machine little: HTTP/1.1 over kept connections.

A whole HTTP client would take more processor time than the server that is measured.
"""

import asyncio
from collections.abc import AsyncIterator, Iterable
from contextlib import asynccontextmanager
from dataclasses import dataclass

from reactor.cli.sending import signed_headers
from reactor.delivery import Delivery


@dataclass(frozen=True, slots=True)
class Connection:
    """One connection, one request at a time."""

    reader: asyncio.StreamReader
    writer: asyncio.StreamWriter

    async def post(self, request: bytes) -> None:
        """Send a request of `request_of`, and wait until it is accepted."""
        self.writer.write(request)
        head = await self.reader.readuntil(b"\r\n\r\n")
        fields = dict(
            line.lower().split(b": ", 1) for line in head.split(b"\r\n")[1:] if b": " in line
        )
        body = await self.reader.readexactly(int(fields[b"content-length"]))
        if b" 202 " not in head.partition(b"\r\n")[0]:
            raise RuntimeError(f"refused: {head!r} {body!r}")


def request_of(sent: Delivery, *, secret: str) -> bytes:
    """A delivery as GitHub would post it."""
    headers = signed_headers(sent.event, sent.body, secret=secret, delivery=sent.id)
    headers |= {"Host": "127.0.0.1", "Content-Length": str(len(sent.body))}
    lines = [f"{name}: {value}" for name, value in headers.items()]
    return "\r\n".join(["POST /webhook HTTP/1.1", *lines, "", ""]).encode() + sent.body


@asynccontextmanager
async def connected(port: int, *, count: int) -> AsyncIterator[list[Connection]]:
    """So many connections to a server on this machine."""
    opened = [await asyncio.open_connection("127.0.0.1", port) for _ in range(count)]
    try:
        yield [Connection(reader, writer) for reader, writer in opened]
    finally:
        for _, writer in opened:
            writer.close()


async def posted(connections: Iterable[Connection], requests: Iterable[bytes]) -> None:
    """All requests, one after the other on each connection."""
    left = iter(requests)

    async def send(connection: Connection) -> None:
        for request in left:
            await connection.post(request)

    async with asyncio.TaskGroup() as group:
        for connection in connections:
            group.create_task(send(connection))
