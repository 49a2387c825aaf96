"""The address of a worker's probes: which one it is, and what is said where it can't be had."""

import asyncio
import socket
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import httpx
import pytest

from reactor.children import free_port
from reactor.settings import Settings, load
from reactor.wiring.redis import redis_parts
from reactor.wiring.worker import processor
from reactor.wiring.worker_http import CantServe

pytestmark = [pytest.mark.kafka, pytest.mark.redis, pytest.mark.timeout(60)]


@asynccontextmanager
async def told_address(settings: Settings) -> AsyncIterator[str]:
    """Of a worker that was put together, once its heartbeat says it."""
    async with processor(settings, owner="h/1/w"), redis_parts(settings) as redis:
        async with asyncio.timeout(20):
            while not (alive := await redis.heartbeats.alive()):  # noqa: ASYNC110 - of a server
                await asyncio.sleep(0.02)
        yield alive[0].http


async def test_the_port_is_the_one_that_is_set(environ: dict[str, str]) -> None:
    port = free_port()
    settings = load(None, {**environ, "REACTOR_WORKER_HTTP_PORT": str(port)})

    async with told_address(settings) as address, httpx.AsyncClient() as client:
        alive = await client.get(f"{address}/healthz")

    assert address == f"http://127.0.0.1:{port}"
    assert alive.status_code == 200


async def test_one_that_listens_everywhere_is_told_by_the_name_of_its_machine(
    environ: dict[str, str],
) -> None:
    everywhere = {"REACTOR_WORKER_HTTP_PORT": "0", "REACTOR_WORKER_HTTP_HOST": "0.0.0.0"}
    settings = load(None, {**environ, **everywhere})

    async with told_address(settings) as address, httpx.AsyncClient() as client:
        port = address.rpartition(":")[2]
        counts = await client.get(f"http://127.0.0.1:{port}/metrics")

    assert address == f"http://{socket.gethostname()}:{port}"
    assert counts.status_code == 401  # others can connect, and no token is set


async def test_a_worker_without_a_port_beats_all_the_same(environ: dict[str, str]) -> None:
    async with told_address(load(None, environ)) as address:
        assert address == ""


async def test_a_port_that_is_taken_is_told_with_what_to_set(environ: dict[str, str]) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        settings = load(None, {**environ, "REACTOR_WORKER_HTTP_PORT": str(port)})

        with pytest.raises(CantServe, match=f"127.0.0.1:{port} .*REACTOR_WORKER_HTTP_PORT"):
            async with processor(settings, owner="h/1/w"):
                pass
