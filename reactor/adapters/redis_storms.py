"""How many events by bots each subject had lately, in Redis: one round trip each, by its clock.

Keys and their lives: `redis_keys`; what the script does: `lua/`.
"""

from datetime import timedelta

from redis.asyncio import Redis

from reactor.adapters import redis_keys
from reactor.adapters.redis_client import Call, Script, run


class RedisBotEvents:
    """Fits the port `reactor.storms.BotEvents`."""

    def __init__(
        self, client: Redis, *, prefix: str = "reactor", limit: int, window: timedelta
    ) -> None:
        self._client, self._prefix = client, prefix
        self._arguments = (limit, max(1, window // timedelta(milliseconds=1)))
        self._count = Script.named("count_bot_event")

    async def count(self, subject: str, delivery: str) -> bool:
        """Count it, if there is room."""
        key = redis_keys.storm(self._prefix, subject)
        call = Call(self._count, [key], [delivery, *self._arguments])
        return bool(await run(self._client, call))
