"""The client of Redis, and the few ways in which the Redis adapters call it.

Every call here is one round trip, may be sent twice by the client after a broken connection
(so each must be safe to repeat), and raises `InfrastructureError` for whatever Redis says: a
server that is loading, read-only, full or misconfigured is never the fault of a delivery.
"""

import hashlib
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from importlib.resources import files
from typing import Any

from redis.asyncio import BlockingConnectionPool, Redis
from redis.asyncio.retry import Retry
from redis.backoff import NoBackoff
from redis.exceptions import NoScriptError, RedisError

from reactor.errors import InfrastructureError

Argument = str | bytes | int


def connect(url: str, *, max_connections: int = 32, timeout_s: float = 5.0) -> Redis:
    """A client for `url`, which connects when it is first used; close it with `aclose()`.

    Callers beyond `max_connections` wait for a free one, up to `timeout_s`.
    """
    pool = BlockingConnectionPool.from_url(
        url,
        max_connections=max_connections,
        timeout=timeout_s,
        socket_timeout=timeout_s,
        socket_connect_timeout=timeout_s,
        retry=Retry(NoBackoff(), 1),  # a connection that went stale; whoever calls waits out more
    )
    return Redis.from_pool(pool)


@contextmanager
def infrastructure_errors() -> Iterator[None]:
    """Turn what a client raises into `InfrastructureError`."""
    try:
        yield
    except (RedisError, OSError) as error:
        said = str(error).partition("\n")[0]
        raise InfrastructureError("redis", f"{type(error).__name__}: {said}") from error


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
    keys, arguments = call.keys, call.arguments
    with infrastructure_errors():
        try:
            return await client.evalsha(call.script.sha, len(keys), *keys, *arguments)
        except NoScriptError:
            return await client.eval(call.script.text, len(keys), *keys, *arguments)


async def run_beside(client: Redis, call: Call, *asides: tuple[Argument, ...]) -> Any:
    """Run one script, and in the same round trip commands whose failure does not matter."""
    with infrastructure_errors():
        answer, *_ = await _send(client, (call, *asides))
        if isinstance(answer, NoScriptError):
            keys, arguments = call.keys, call.arguments
            return await client.eval(call.script.text, len(keys), *keys, *arguments)
        if isinstance(answer, Exception):
            raise answer
        return answer


async def run_all(client: Redis, *steps: Step) -> list[Any]:
    """Send several at once; atomic each, but not together (their keys may lie in several slots)."""
    with infrastructure_errors():
        answers = await _send(client, steps)
        if any(isinstance(answer, NoScriptError) for answer in answers):
            for call in (step for step in steps if isinstance(step, Call)):
                await client.script_load(call.script.text)
            answers = await _send(client, steps)
        for answer in answers:
            if isinstance(answer, Exception):
                raise answer
        return answers


async def _send(client: Redis, steps: Sequence[Step]) -> list[Any]:
    async with client.pipeline(transaction=False) as pipeline:
        for step in steps:
            if isinstance(step, Call):
                step = ("EVALSHA", step.script.sha, len(step.keys), *step.keys, *step.arguments)
            pipeline.execute_command(*step)
        return await pipeline.execute(raise_on_error=False)
