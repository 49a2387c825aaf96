"""The server's own limits: a request's head comes soon and ends, or the connection does."""

import asyncio
import signal
import socket
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response, StreamingResponse
from starlette.routing import Route

from reactor.wiring.http import serve_http, serving_beside
from reactor.wiring.prompt_protocol import PromptProtocol
from tests.fixtures.site import until

Wire = tuple[asyncio.StreamReader, asyncio.StreamWriter]


async def hello(_: Request) -> Response:
    return PlainTextResponse("hello")


async def echo(request: Request) -> Response:
    return Response(await request.body())


class Impatient(PromptProtocol):
    """No test waits ten seconds."""

    head_within_s = 0.05


@asynccontextmanager
async def serving(http: type[PromptProtocol] = PromptProtocol) -> AsyncIterator[int]:
    app = Starlette(routes=[Route("/", hello), Route("/echo", echo, methods=["POST"])])
    listening = socket.create_server(("127.0.0.1", 0))
    async with serving_beside(app, listening, http=http):
        yield listening.getsockname()[1]


@asynccontextmanager
async def connected(port: int) -> AsyncIterator[Wire]:
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    try:
        yield reader, writer
    finally:
        writer.close()
        with suppress(ConnectionError):
            await writer.wait_closed()


async def said(wire: Wire, *parts: bytes) -> bytes:
    """All that comes until the other side hangs up."""
    reader, writer = wire
    with suppress(ConnectionError):
        for part in parts:
            writer.write(part)
            await writer.drain()
        return await reader.read()
    return b""


async def test_a_request_is_answered_and_the_connection_goes_on() -> None:
    async with serving() as port, connected(port) as (reader, writer):
        for _ in range(3):
            writer.write(b"GET / HTTP/1.1\r\nhost: x\r\n\r\n")
            head = await reader.readuntil(b"\r\n\r\n")
            body = await reader.readexactly(5)
            assert (head.split()[1], body) == (b"200", b"hello")


async def test_no_header_says_where_a_request_comes_from_or_that_it_came_by_tls() -> None:
    # whoever is on this machine could say so to come from a proxy that is trusted
    async def peer(request: Request) -> Response:
        assert request.client
        return PlainTextResponse(f"{request.client.host} {request.url.scheme}")

    listening = socket.create_server(("127.0.0.1", 0))
    async with (
        serving_beside(Starlette(routes=[Route("/", peer)]), listening),
        connected(listening.getsockname()[1]) as wire,
    ):
        answer = await said(
            wire,
            b"GET / HTTP/1.1\r\nhost: x\r\nconnection: close\r\n",
            b"x-forwarded-for: 10.1.2.3\r\nx-forwarded-proto: https\r\n\r\n",
        )

    assert answer.endswith(b"127.0.0.1 http")


async def test_a_connection_on_which_nothing_comes_is_closed() -> None:
    async with serving(Impatient) as port, connected(port) as wire, asyncio.timeout(10):
        assert await said(wire) == b""


async def test_a_head_that_does_not_end_in_time_is_refused() -> None:
    async with serving(Impatient) as port, connected(port) as wire, asyncio.timeout(10):
        answer = await said(wire, b"GET / HTTP/1.1\r\nhost: x\r\nx-sl")

    assert answer.startswith(b"HTTP/1.1 408 ")


async def test_the_second_head_on_a_connection_has_to_come_in_time_as_well() -> None:
    async with serving(Impatient) as port, connected(port) as wire, asyncio.timeout(10):
        answer = await said(wire, b"GET / HTTP/1.1\r\nhost: x\r\n\r\nGET / HT")

    assert b"hello" in answer
    assert b"408" in answer


async def test_a_head_without_end_is_cut_off() -> None:
    endless = [b"GET / HTTP/1.1\r\nhost: x\r\n", *[b"x-more: " + b"y" * 1000 + b"\r\n"] * 500]

    async with serving() as port, connected(port) as wire, asyncio.timeout(10):
        answer = await said(wire, *endless)

    assert answer == b"" or answer.startswith(b"HTTP/1.1 431 ")  # a reset may overtake it


async def test_a_body_may_take_longer_than_its_head() -> None:
    async with serving(Impatient) as port, connected(port) as (reader, writer), asyncio.timeout(10):
        writer.write(b"POST /echo HTTP/1.1\r\nhost: x\r\ncontent-length: 3\r\n\r\n")
        await asyncio.sleep(3 * Impatient.head_within_s)  # what is measured is that nothing ends
        writer.write(b"abc")
        head = await reader.readuntil(b"\r\n\r\n")
        body = await reader.readexactly(3)

    assert (head.split()[1], body) == (b"200", b"abc")


async def test_a_stream_without_end_is_told_when_the_server_is_to_end() -> None:
    stopping, port = asyncio.Event(), free_port()

    async def endless(_: Request) -> Response:
        async def text() -> AsyncIterator[str]:
            yield "here"
            await stopping.wait()
            yield "good bye"

        return StreamingResponse(text())

    app = Starlette(routes=[Route("/", endless)])
    async with asyncio.timeout(15), asyncio.TaskGroup() as group:
        group.create_task(serve_http(app, host="127.0.0.1", port=port, stopping=stopping.set))
        await until(lambda: answers(port), within_s=10)
        async with connected(port) as (reader, writer):
            writer.write(b"GET / HTTP/1.1\r\nHost: x\r\n\r\n")
            await reader.readuntil(b"here")
            signal.raise_signal(signal.SIGTERM)
            rest = await reader.read()

    assert b"good bye" in rest
    assert rest.endswith(b"0\r\n\r\n")  # to its end, not cut off


def free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as listening:
        port: int = listening.getsockname()[1]
        return port


async def answers(port: int) -> bool:
    try:
        async with connected(port):
            return True
    except OSError:
        return False
