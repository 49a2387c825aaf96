"""What was done about dead letters, in Redis: one hash, kept as long as the letters are.

Keys and their lives: `redis_keys`.
"""

import json
from collections.abc import Mapping
from datetime import datetime

from redis.asyncio import Redis

from reactor.adapters import redis_keys
from reactor.adapters.redis_client import run_all
from reactor.dead import Done, Handling


class RedisHandlings:
    """Fits the port `Handlings`."""

    def __init__(self, client: Redis, *, prefix: str = "reactor") -> None:
        self._client, self._key = client, redis_keys.dead(prefix)

    async def note(self, letter: str, handling: Handling) -> None:
        """The newest one counts."""
        told = {"what": handling.what, "by": handling.by, "at": handling.at.isoformat()}
        await run_all(self._client, ("HSET", self._key, letter, json.dumps(told)))

    async def all(self) -> Mapping[str, Handling]:
        """As many as people have ever handled."""
        (found,) = await run_all(self._client, ("HGETALL", self._key))
        return {letter.decode(): _handling(json.loads(told)) for letter, told in _pairs(found)}


def _handling(told: Mapping[str, str]) -> Handling:
    what: Done = "dropped" if told["what"] == "dropped" else "retried"
    return Handling(what=what, by=told["by"], at=datetime.fromisoformat(told["at"]))


def _pairs(found: object) -> list[tuple[bytes, bytes]]:
    """A pipeline's answer: a mapping, or a flat list from a client that leaves it as it is."""
    if isinstance(found, dict):
        return list(found.items())
    flat = list(found) if isinstance(found, list) else []
    return list(zip(flat[::2], flat[1::2], strict=True))
