"""The door on a real socket: bodies that come in pieces, too slowly, or never end."""

import asyncio
import http.client
import socket
import tracemalloc
from collections.abc import AsyncIterator, Iterator, Mapping
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass

import pytest
import uvicorn

from reactor.web.body import BodyLimits
from tests.web.site import ISSUE, Site, headers

KIB, MIB = 1024, 1024 * 1024
PIECE = b"10000\r\n" + b" " * 64 * KIB + b"\r\n"  # one chunk of 64 KiB


@asynccontextmanager
async def serving(site: Site) -> AsyncIterator[int]:
    """The port of a server that runs while the context is open."""
    server = uvicorn.Server(uvicorn.Config(site.app(), log_config=None, lifespan="off"))
    with socket.create_server(("127.0.0.1", 0)) as listening:  # queues until it has started
        async with asyncio.TaskGroup() as group:
            group.create_task(server.serve(sockets=[listening]))
            try:
                yield listening.getsockname()[1]
            finally:
                server.should_exit = True


@dataclass
class Wire:
    """A connection on which a test writes what it likes."""

    reader: asyncio.StreamReader
    writer: asyncio.StreamWriter

    async def send_head(self, **more: str) -> None:
        sent = headers() | {"host": "gateway"} | {n.replace("_", "-"): v for n, v in more.items()}
        lines = "".join(f"{name}: {value}\r\n" for name, value in sent.items())
        await self.send(f"POST /webhook HTTP/1.1\r\n{lines}\r\n".encode())

    async def send(self, data: bytes) -> None:
        self.writer.write(data)
        await self.writer.drain()

    async def answer(self) -> tuple[int, Mapping[str, str]]:
        """The status and the headers of the next answer; its body is passed over."""
        head = (await self.reader.readuntil(b"\r\n\r\n")).decode()
        first, *lines = head.strip().split("\r\n")
        found = {n.lower(): v for n, _, v in (line.partition(": ") for line in lines)}
        await self.reader.readexactly(int(found.get("content-length", 0)))
        return int(first.split()[1]), found

    async def is_closed(self) -> bool:
        """Wait until the other side has hung up; what still comes is no answer."""
        with suppress(ConnectionError):
            assert await self.reader.read() == b""
        return True


@asynccontextmanager
async def connected(port: int) -> AsyncIterator[Wire]:
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    try:
        yield Wire(reader, writer)
    finally:
        writer.close()
        with suppress(ConnectionError):
            await writer.wait_closed()


async def send_until_cut_off(wire: Wire, *, at_most: int) -> int:
    """Send chunks whatever is answered; how many bytes went out before the other side hung up."""
    sent = 0
    with suppress(ConnectionError):
        while sent < at_most:
            await wire.send(PIECE)
            sent += len(PIECE)
    return sent


def pieces(body: bytes, size: int) -> Iterator[bytes]:
    for start in range(0, len(body), size):
        piece = body[start : start + size]
        yield b"%x\r\n%b\r\n" % (len(piece), piece)
    yield b"0\r\n\r\n"


async def test_a_body_in_small_pieces_is_a_body(site: Site) -> None:
    async with serving(site) as port, connected(port) as wire:
        await wire.send_head(transfer_encoding="chunked")
        for piece in pieces(ISSUE, 7):
            await wire.send(piece)
        status, _ = await wire.answer()

    assert status == 202
    assert [delivery.body for delivery in site.log.deliveries] == [ISSUE]


async def test_after_a_refusal_the_connection_goes_on(site: Site) -> None:
    length = str(len(ISSUE))

    async with serving(site) as port, connected(port) as wire:
        await wire.send_head(content_length=length, x_hub_signature_256="sha256=" + "0" * 64)
        await wire.send(ISSUE)
        refused, _ = await wire.answer()
        await wire.send_head(content_length=length, content_type="text/plain")
        unread, _ = await wire.answer()  # it comes before the body
        await wire.send(ISSUE)
        await wire.send_head(content_length=length)
        await wire.send(ISSUE)
        accepted, _ = await wire.answer()

    assert (refused, unread, accepted) == (401, 415, 202)


async def test_a_body_that_stalls_is_given_up(site: Site) -> None:
    site.with_parts(limits=BodyLimits(read_timeout_s=0.05))

    async with serving(site) as port, connected(port) as wire:
        await wire.send_head(content_length=str(len(ISSUE)))
        await wire.send(ISSUE[:10])
        status, found = await wire.answer()
        closed = await wire.is_closed()

    assert (status, found["connection"], closed) == (408, "close", True)
    assert site.log.deliveries == []


async def test_a_length_over_the_cap_is_answered_before_any_of_the_body_comes(site: Site) -> None:
    async with serving(site) as port, connected(port) as wire:
        await wire.send_head(content_length=str(26 * MIB))
        status, found = await wire.answer()

    assert (status, found["connection"]) == (413, "close")


async def test_a_client_that_asks_first_is_not_told_to_go_on(site: Site) -> None:
    site.with_parts(limits=BodyLimits(discard_timeout_s=1_000))  # there is nothing to wait for

    async with serving(site) as port, connected(port) as wire:
        await wire.send_head(content_length=str(26 * MIB), expect="100-continue")
        status, _ = await wire.answer()
        closed = await wire.is_closed()

    assert (status, closed) == (413, True)


async def test_a_client_that_sends_everything_before_it_reads_gets_the_answer(site: Site) -> None:
    def send(port: int) -> int:
        connection = http.client.HTTPConnection("127.0.0.1", port, timeout=10)
        connection.request("POST", "/webhook", body=b" " * 26 * MIB, headers=headers())
        return connection.getresponse().status

    async with serving(site) as port:
        status = await asyncio.to_thread(send, port)

    assert status == 413


async def test_a_body_without_end_is_answered_at_the_cap_and_then_cut_off(site: Site) -> None:
    site.with_parts(limits=BodyLimits(largest_bytes=MIB, discard_bytes=MIB))

    async with serving(site) as port, connected(port) as wire:
        await wire.send_head(transfer_encoding="chunked")
        async with asyncio.TaskGroup() as group:
            sending = group.create_task(send_until_cut_off(wire, at_most=500 * MIB))
            status, _ = await wire.answer()

    assert status == 413
    assert sending.result() < 100 * MIB  # two, and what fits into the buffers of two sockets


async def test_large_bodies_at_once_do_not_add_up_in_memory(site: Site) -> None:
    largest, at_once, clients = 4 * MIB, 2, 20
    site.with_parts(
        limits=BodyLimits(largest_bytes=largest, small_bytes=64 * KIB, large_at_once=at_once)
    )

    async def send(port: int) -> int:
        async with connected(port) as wire:
            await wire.send_head(transfer_encoding="chunked")
            async with asyncio.TaskGroup() as group:
                sending = group.create_task(send_until_cut_off(wire, at_most=500 * MIB))
                status, _ = await wire.answer()
                sending.cancel()
            return status

    async with serving(site) as port:
        tracemalloc.start()
        try:
            async with asyncio.TaskGroup() as group:
                sent = [group.create_task(send(port)) for _ in range(clients)]
            _, peak = tracemalloc.get_traced_memory()
        finally:
            tracemalloc.stop()

    assert [each.result() for each in sent] == [413] * clients
    assert peak < 3 * at_once * largest  # a third of what all of them would take


@pytest.mark.parametrize("path", ["/healthz", "/webhook"])
async def test_a_request_without_a_body_leaves_the_connection_open(site: Site, path: str) -> None:
    async with serving(site) as port, connected(port) as wire:
        for _ in range(2):
            await wire.send(f"GET {path} HTTP/1.1\r\nhost: gateway\r\n\r\n".encode())
            status, found = await wire.answer()

    assert status == (200 if path == "/healthz" else 405)
    assert "connection" not in found
