"""Facts that outlive processes, in Redis: one hash for each context.

Keys and their lives: `redis_keys`.
"""

from collections.abc import Mapping
from datetime import timedelta

from redis.asyncio import Redis

from reactor.adapters import redis_keys
from reactor.adapters.redis_client import Argument, run_all
from reactor.encoded import Encoded


class RedisContexts:
    """Fits the port `Contexts`.  A context that nobody saves to for `keep` is gone."""

    def __init__(
        self, client: Redis, *, prefix: str = "reactor", keep: timedelta | None = None
    ) -> None:
        self._client, self._prefix, self._keep = client, prefix, keep

    async def load(self, context_id: str) -> Mapping[str, Encoded]:
        """All facts of it, in one round trip."""
        (found,) = await run_all(self._client, ("HGETALL", self._key(context_id)))
        return {name.decode(): _read(line) for name, line in found.items()}

    async def save(self, context_id: str, facts: Mapping[str, Encoded]) -> None:
        """Keep these, in one round trip."""
        if not facts:
            return
        key = self._key(context_id)
        lines: list[Argument] = []
        for name, fact in facts.items():
            lines += [name, b"%b\n%b" % (fact.type_name.encode(), fact.json)]
        keep_ms = self._keep // timedelta(milliseconds=1) if self._keep else None
        expire: list[tuple[Argument, ...]] = [("PEXPIRE", key, keep_ms)] if keep_ms else []
        await run_all(self._client, ("HSET", key, *lines), *expire)

    def _key(self, context_id: str) -> str:
        return redis_keys.context(self._prefix, context_id)


def _read(line: bytes) -> Encoded:
    type_name, _, json = line.partition(b"\n")
    return Encoded(type_name.decode(), json)
