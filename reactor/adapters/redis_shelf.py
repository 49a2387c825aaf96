"""A shelf in Redis: items by name, in the order in which they came, until they are removed.

For records of a broker that keeps nothing itself (`streams.keeping`).  It is as durable as Redis
is, and has no end but Redis's memory.  Keys and their lives: `redis_keys`.
"""

from collections.abc import AsyncIterator

from redis.asyncio import Redis

from reactor.adapters import redis_keys
from reactor.adapters.redis_client import Call, Script, run

_AT_ONCE = 32  # items of up to a megabyte


class RedisShelf:
    """Fits what `streams.keeping` asks of a shelf."""

    def __init__(self, client: Redis, *, prefix: str = "reactor") -> None:
        self._client, self._keys = client, redis_keys.shelf(prefix)
        self._put = Script.named("put_shelf")
        self._remove = Script.named("remove_shelf")
        self._read = Script.named("read_shelf")

    async def put(self, name: str, item: bytes) -> None:
        """The first one of a name stays."""
        await run(self._client, Call(self._put, self._keys, [name, item]))

    async def remove(self, *names: str) -> None:
        """Those that are there."""
        await run(self._client, Call(self._remove, self._keys, names))

    async def items(self) -> AsyncIterator[bytes]:
        """Those that are there now; what comes meanwhile may be among them."""
        last = b"0"
        while True:
            call = Call(self._read, self._keys, [last, _AT_ONCE])
            last, found = await run(self._client, call)
            for item in found:
                yield item
            if len(found) < _AT_ONCE:
                return
