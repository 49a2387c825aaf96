"""Effects that were given up, put together: the ledger in Redis, without any package.

Whoever drives one again needs none of its types: it is listed, and sent again, where a package is
broken too.
"""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from reactor.adapters.redis_ledger import RedisLedger
from reactor.catalog import TypeCatalog
from reactor.codec import Codec
from reactor.ledger import Ledger
from reactor.settings import Settings
from reactor.wiring.redis import redis_parts


@asynccontextmanager
async def open_ledger(settings: Settings) -> AsyncIterator[Ledger]:
    """Connected for as long as the context lasts.  Raises `NoServer`."""
    async with redis_parts(settings) as redis:
        yield RedisLedger(redis.client, Codec(TypeCatalog()), prefix=redis.prefix)
