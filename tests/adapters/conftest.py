"""A Redis server that a test may break, and a wire that it may cut."""

from collections.abc import AsyncIterator, Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from redis.asyncio import Redis

from reactor.adapters import embedded_redis
from reactor.adapters.redis_client import connect
from reactor.children import free_port
from tests.adapters.proxy import Proxy
from tests.fixtures.redis_server import running_redis


@dataclass(frozen=True)
class OwnServer:
    """A Redis of one test."""

    port: int
    folder: Path

    @property
    def url(self) -> str:
        return embedded_redis.url(self.port)


@pytest.fixture
def own_server(tmp_path: Path) -> Iterator[OwnServer]:
    """Skipped where there is no server to start; `redis_url` is where that may be a failure."""
    try:
        embedded_redis.find_server()
    except embedded_redis.NoRedisServer as reason:
        pytest.skip(str(reason))
    server = OwnServer(free_port(), tmp_path)
    with running_redis(tmp_path, server.port):
        yield server


@pytest.fixture
async def own_client(own_server: OwnServer) -> AsyncIterator[Redis]:
    client = connect(own_server.url, timeout_s=1)
    yield client
    await client.aclose()


@pytest.fixture
async def proxy(redis_url: str) -> AsyncIterator[Proxy]:
    async with Proxy(redis_url) as wire:
        yield wire


@pytest.fixture
async def wired_client(proxy: Proxy) -> AsyncIterator[Redis]:
    """A client whose every byte goes over the wire; one connection, made before the test."""
    client = connect(proxy.url, max_connections=1)
    await client.ping()
    yield client
    await client.aclose()
