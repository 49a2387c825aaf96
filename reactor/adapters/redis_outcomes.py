"""Why nothing came of deliveries, in Redis.  Keys and their lives: `redis_keys`."""

from datetime import timedelta

from redis.asyncio import Redis

from reactor.adapters import redis_keys
from reactor.adapters.redis_client import run_all


class RedisOutcomes:
    """Fits the port `Outcomes`."""

    def __init__(
        self, client: Redis, *, prefix: str = "reactor", keep: timedelta = timedelta(days=28)
    ) -> None:
        self._client, self._prefix = client, prefix
        self._keep_ms = max(1, keep // timedelta(milliseconds=1))

    async def ignore(self, delivery: str, why: str) -> None:
        """The newest word counts."""
        key = redis_keys.outcome(self._prefix, delivery)
        await run_all(self._client, ("SET", key, why, "PX", self._keep_ms))

    async def ignored(self, delivery: str) -> str:
        """The word."""
        key = redis_keys.outcome(self._prefix, delivery)
        (found,) = await run_all(self._client, ("GET", key))
        return found.decode() if found else ""
