"""Heartbeats in Redis: one string for each worker, which runs out, and an index of the owners.

Keys and their lives: `redis_keys`.
"""

from datetime import timedelta

from pydantic import TypeAdapter, ValidationError
from redis.asyncio import Redis

from reactor.adapters import redis_keys
from reactor.adapters.redis_client import run_all
from reactor.heartbeat import Heartbeat

MOST_WORKERS = 1_000  # owners in the index; the oldest make room


class RedisHeartbeats:
    """Fits the port `Heartbeats`."""

    def __init__(self, client: Redis, *, prefix: str = "reactor") -> None:
        self._client, self._prefix = client, prefix
        self._index = redis_keys.workers(prefix)
        self._lines = TypeAdapter(Heartbeat)

    async def beat(self, heartbeat: Heartbeat, *, keep: timedelta) -> None:
        """Keep it.  Two slots of a cluster: an index without its string does no harm."""
        keep_ms = max(1, keep // timedelta(milliseconds=1))
        key = redis_keys.worker(self._prefix, heartbeat.owner)
        await run_all(
            self._client,
            ("SET", key, self._lines.dump_json(heartbeat), "PX", keep_ms),
            ("ZADD", self._index, int(heartbeat.at.timestamp() * 1000), heartbeat.owner),
            ("ZREMRANGEBYRANK", self._index, 0, -MOST_WORKERS - 1),
            ("PEXPIRE", self._index, 10 * keep_ms),
        )

    async def gone(self, owner: str) -> None:
        """Forget it."""
        await run_all(
            self._client,
            ("DEL", redis_keys.worker(self._prefix, owner)),
            ("ZREM", self._index, owner),
        )

    async def alive(self) -> list[Heartbeat]:
        """By owner; those that ran out leave the index."""
        (found,) = await run_all(self._client, ("ZRANGE", self._index, 0, -1))
        if not found:
            return []
        owners = sorted(owner.decode() for owner in found)
        keys = [redis_keys.worker(self._prefix, owner) for owner in owners]
        lines = await run_all(self._client, *(("GET", key) for key in keys))
        told = dict(zip(owners, lines, strict=True))
        if gone := [owner for owner, line in told.items() if line is None]:
            await run_all(self._client, ("ZREM", self._index, *gone))
        return [beat for line in lines if line and (beat := self._read(line))]

    def _read(self, line: bytes) -> Heartbeat | None:
        try:
            return self._lines.validate_json(line)
        except ValidationError:  # of another version: its next one comes in two seconds
            return None
