"""Bodies that are too large for the broker, in Redis, for as long as their topic keeps records.

    PREFIX:large:NAME    string    the time given, begun anew by every put    the bytes

A body that was written but whose record never was is gone with its time.  Redis must not evict
keys (`maxmemory-policy noeviction`): a body that is gone is a delivery that can't be settled.
"""

from datetime import timedelta

from redis.asyncio import Redis

from reactor.adapters.redis_client import infrastructure_errors


class RedisBodies:
    """Keeps bodies by name."""

    def __init__(self, client: Redis, *, prefix: str, keep: timedelta | None) -> None:
        """`client` must not decode answers; `keep` is the topic's retention, None: for ever."""
        self._client, self._prefix, self._keep = client, prefix, keep

    async def put(self, name: str, body: bytes) -> None:
        """Keep a body.  Raises `InfrastructureError`."""
        with infrastructure_errors():
            await self._client.set(self._key(name), body, ex=self._keep)

    async def get(self, name: str) -> bytes | None:
        """The body, or None where there is none (any more).  Raises `InfrastructureError`."""
        with infrastructure_errors():
            body = await self._client.get(self._key(name))
        if isinstance(body, str):
            raise TypeError("bodies are bytes: give a client with decode_responses=False")
        return body

    def _key(self, name: str) -> str:
        return f"{self._prefix}:large:{name}"
