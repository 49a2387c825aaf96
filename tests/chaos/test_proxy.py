"""The wire does what its modes say: the suite is worth nothing if faults do not happen."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import suppress

import pytest

from tests.chaos.proxy import Wire
from tests.fixtures.site import until

SHORT_S = 0.3  # in which an answer over loopback would have come


class Echo:
    """A server that answers what it was sent, and keeps it."""

    def __init__(self) -> None:
        self.heard = b""
        self.clients = 0
        self.gone = asyncio.Event()  # while nobody is connected

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.clients += 1
        self.gone.clear()
        try:
            while data := await reader.read(65_536):
                self.heard += data
                writer.write(data)
        except ConnectionError:
            pass
        writer.close()
        with suppress(ConnectionError):
            await writer.wait_closed()
        self.clients -= 1
        if not self.clients:
            self.gone.set()


@pytest.fixture
async def echo() -> AsyncIterator[tuple[Echo, Wire]]:
    server = Echo()
    async with (
        await asyncio.start_server(server.serve, "127.0.0.1", 0) as listening,
        Wire("test", port=0, target=listening.sockets[0].getsockname()[1]) as wire,
    ):
        yield server, wire
    await server.gone.wait()


async def connect(wire: Wire) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
    return await asyncio.open_connection("127.0.0.1", wire.port)


async def hang_up(writer: asyncio.StreamWriter) -> None:
    writer.close()
    with suppress(ConnectionError):
        await writer.wait_closed()


async def ask(wire: Wire, data: bytes) -> bytes:
    reader, writer = await connect(wire)
    writer.write(data)
    try:
        return await reader.readexactly(len(data))
    finally:
        await hang_up(writer)


async def test_bytes_pass_in_order_however_many(echo: tuple[Echo, Wire]) -> None:
    _, wire = echo
    data = bytes(range(256)) * 20_000

    assert await ask(wire, data) == data


async def test_delayed_bytes_keep_their_order_when_the_wire_is_quick_again(
    echo: tuple[Echo, Wire],
) -> None:
    server, wire = echo
    reader, writer = await connect(wire)
    wire.turn("delay", delay_s=0.2)
    writer.write(b"first ")
    await asyncio.sleep(0.05)
    wire.turn("pass")
    writer.write(b"second")

    assert await reader.readexactly(12) == b"first second"
    assert server.heard == b"first second"
    await hang_up(writer)


async def test_a_dropping_wire_loses_bytes_tells_nobody_and_is_gone_when_mended(
    echo: tuple[Echo, Wire],
) -> None:
    server, wire = echo
    reader, writer = await connect(wire)
    writer.write(b"before")
    assert await reader.readexactly(6) == b"before"

    wire.turn("drop")
    writer.write(b"lost")
    with pytest.raises(TimeoutError):
        await asyncio.wait_for(reader.read(4), SHORT_S)
    wire.turn("pass")

    with pytest.raises((ConnectionError, asyncio.IncompleteReadError)):
        await reader.readexactly(4)
    assert server.heard == b"before"
    assert await ask(wire, b"again") == b"again"
    await hang_up(writer)


async def test_a_resetting_wire_tears_down_old_and_new_connections(
    echo: tuple[Echo, Wire],
) -> None:
    _, wire = echo
    reader, writer = await connect(wire)
    writer.write(b"before")
    assert await reader.readexactly(6) == b"before"

    wire.turn("reset")

    with pytest.raises((ConnectionError, asyncio.IncompleteReadError)):
        await reader.readexactly(1)
    with pytest.raises((ConnectionError, asyncio.IncompleteReadError)):
        await ask(wire, b"new")
    wire.turn("pass")
    assert await ask(wire, b"again") == b"again"
    await hang_up(writer)


async def test_who_hangs_up_is_hung_up_on(echo: tuple[Echo, Wire]) -> None:
    server, wire = echo
    _, writer = await connect(wire)
    writer.write(b"short")
    await hang_up(writer)

    await until(lambda: server.heard and server.gone.is_set())

    assert server.heard == b"short"
