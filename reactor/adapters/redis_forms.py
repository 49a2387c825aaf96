"""Which forms wait for an answer, in Redis: a sorted set by the moment they were asked.

Keys and their lives: `redis_keys`.
"""

from datetime import datetime, timedelta

from redis.asyncio import Redis

from reactor.adapters import redis_keys
from reactor.adapters.moments import micros
from reactor.adapters.redis_client import run_all

MOST_FORMS = 10_000  # ids that are kept; whoever knows the id of an older one can still answer it


class RedisForms:
    """Fits the port `OpenForms`."""

    def __init__(
        self,
        client: Redis,
        *,
        prefix: str = "reactor",
        keep: timedelta = timedelta(days=90),
        most: int = MOST_FORMS,
    ) -> None:
        self._client, self._key, self._most = client, redis_keys.forms(prefix), most
        self._keep_ms = keep // timedelta(milliseconds=1)

    async def add(self, form_id: str, *, asked_at: datetime) -> None:
        """Somebody may answer it; the oldest make room."""
        await run_all(
            self._client,
            ("ZADD", self._key, micros(asked_at), form_id),
            ("ZREMRANGEBYRANK", self._key, 0, -self._most - 1),
            ("PEXPIRE", self._key, self._keep_ms),
        )

    async def remove(self, form_id: str) -> None:
        """Nobody need."""
        await run_all(self._client, ("ZREM", self._key, form_id))

    async def newest(self, *, limit: int) -> list[str]:
        """The last ones first; of one moment, by their ids."""
        if limit < 1:  # for Redis, -1 is the last one there is
            return []
        (found,) = await run_all(self._client, ("ZREVRANGE", self._key, 0, limit - 1))
        return [form_id.decode() for form_id in found]
