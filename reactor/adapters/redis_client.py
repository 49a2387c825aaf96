"""The client of Redis, and the few ways in which the Redis adapters call it.

Every call here is one round trip, may be sent twice by the client after a broken connection
(so each must be safe to repeat), and raises `InfrastructureError` for whatever Redis says: a
server that is loading, read-only, full or misconfigured is never the fault of a delivery.

On a Redis Cluster a script's keys must lie in one slot; several calls in one round trip are split
among the nodes that hold their keys, and follow keys that move.
"""

import asyncio
import hashlib
from collections.abc import Awaitable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from importlib.resources import files
from typing import Any, TypeVar, cast
from urllib.parse import urlsplit

from redis.asyncio import BlockingConnectionPool, Redis, RedisCluster
from redis.asyncio.retry import Retry
from redis.backoff import NoBackoff
from redis.exceptions import NoScriptError, RedisClusterException, RedisError

from reactor.adapters.redis_batches import BatchingRedis
from reactor.adapters.redis_trouble import told
from reactor.errors import InfrastructureError

T = TypeVar("T")
Argument = str | bytes | int

_CLUSTER_CONNECTIONS = 1024  # to one node; its pools raise where that of one server waits


@dataclass(frozen=True, slots=True, kw_only=True)
class Endpoint:
    """Where Redis is, and how to get in; a URL alone will do on one machine."""

    url: str = field(repr=False)  # redis[s]://[user:password@]host:port/db
    is_cluster: bool = False  # the URL is of one of its nodes
    ca_file: str | None = None  # to check certificates with, in place of the system's
    timeout_s: float = 5.0  # for connecting, and for one answer
    max_connections: int = 32  # callers beyond wait for a free one, up to `timeout_s`

    @property
    def where(self) -> str:
        """Host and port, without anything secret."""
        parts = urlsplit(self.url)
        return f"{parts.hostname or 'localhost'}:{parts.port or 6379}"


def connect(url: str, *, max_connections: int = 32, timeout_s: float = 5.0) -> Redis:
    """A client for one server, which connects when it is first used; close it with `aclose()`."""
    return connect_to(Endpoint(url=url, max_connections=max_connections, timeout_s=timeout_s))


def connect_to(endpoint: Endpoint) -> Redis:
    """A client, which connects when it is first used; close it with `aclose()`.

    That of a cluster takes the same calls, and is typed as the other for them, though it does
    not inherit from it.
    """
    timeout_s = endpoint.timeout_s
    options: dict[str, Any] = {"socket_timeout": timeout_s, "socket_connect_timeout": timeout_s}
    if endpoint.ca_file and urlsplit(endpoint.url).scheme == "rediss":
        options["ssl_ca_certs"] = endpoint.ca_file
    # for a connection that went stale, or slots that moved; whoever calls waits out more
    retry = Retry(NoBackoff(), 1)
    if endpoint.is_cluster:
        cluster = RedisCluster.from_url(
            endpoint.url, max_connections=_CLUSTER_CONNECTIONS, retry=retry, **options
        )
        return cast("Redis", cluster)
    pool = BlockingConnectionPool.from_url(
        endpoint.url,
        max_connections=endpoint.max_connections,
        timeout=timeout_s,
        retry=retry,
        **options,
    )
    return BatchingRedis(connection_pool=pool, timeout_s=timeout_s)


@contextmanager
def infrastructure_errors() -> Iterator[None]:
    """Turn what a client raises into `InfrastructureError`."""
    try:
        yield
    except (RedisError, RedisClusterException, OSError) as error:
        raise InfrastructureError("redis", told(error)) from error


@dataclass(frozen=True, slots=True)
class Script:
    """A Lua script, known to the server by its digest once it has run there."""

    text: str
    sha: str

    @classmethod
    def named(cls, name: str) -> "Script":
        """The script of that name in the folder `lua` beside this file."""
        text = files("reactor.adapters").joinpath("lua", f"{name}.lua").read_text("utf-8")
        sha = hashlib.sha1(text.encode(), usedforsecurity=False).hexdigest()
        return cls(text, sha)


@dataclass(frozen=True, slots=True)
class Call:
    """One run of a script."""

    script: Script
    keys: Sequence[str]  # all in one slot of a cluster
    arguments: Sequence[Argument] = ()


Step = Call | tuple[Argument, ...]
"""A run of a script, or a plain command with its arguments."""


async def run(client: Redis, call: Call) -> Any:
    """Run one script."""
    return await run_beside(client, call)


async def run_beside(client: Redis, call: Call, *asides: tuple[Argument, ...]) -> Any:
    """Run one script, and in the same round trip commands whose failure does not matter."""
    with infrastructure_errors():
        answer, *_ = await _send(client, (call, *asides))
        if isinstance(answer, NoScriptError):
            (answer,) = await _send(client, (call,), in_full=True)
        if isinstance(answer, Exception):
            raise answer
        return answer


async def run_all(client: Redis, *steps: Step) -> list[Any]:
    """Send several at once; atomic each, but not together (their keys may lie in several slots)."""
    with infrastructure_errors():
        answers = await _send(client, steps)
        if any(isinstance(answer, NoScriptError) for answer in answers):
            answers = await _send(client, steps, in_full=True)
        for answer in answers:
            if isinstance(answer, Exception):
                raise answer
        return answers


async def _send(client: Redis, steps: Sequence[Step], *, in_full: bool = False) -> list[Any]:
    """`in_full`: with the text of the scripts, which the server then knows."""
    commands = [
        _command(step, in_full=in_full) if isinstance(step, Call) else step for step in steps
    ]
    if isinstance(client, BatchingRedis):  # one server: what many callers want goes out together
        return await client.send_all(commands)
    async with client.pipeline(transaction=False) as pipeline:
        for command in commands:
            pipeline.execute_command(*command)
        return await _cancellable(pipeline.execute(raise_on_error=False))


async def _cancellable(work: Awaitable[T]) -> T:
    """What comes of it; or cancelled, if that was asked for meanwhile.

    The client waits with `asyncio.wait_for`, which up to Python 3.11 takes a cancellation for
    itself when what it waits for is ready.  A task that renews a lease would then never end.
    """
    task = asyncio.current_task()
    before = task.cancelling() if task else 0
    result = await work
    if task and task.cancelling() > before:
        raise asyncio.CancelledError
    return result


def _command(call: Call, *, in_full: bool) -> tuple[Argument, ...]:
    word, script = ("EVAL", call.script.text) if in_full else ("EVALSHA", call.script.sha)
    return word, script, *_operands(call)


def _operands(call: Call) -> tuple[Any, ...]:
    return len(call.keys), *call.keys, *call.arguments
