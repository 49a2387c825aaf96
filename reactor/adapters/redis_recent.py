"""The processes that changed last, in Redis: an index for people.

Written beside each commit, read a page at a time in two round trips: ids, then heads.  What it
promises and what not: `redis_keys`.
"""

from typing import Any

from redis.asyncio import Redis

from reactor.adapters import redis_keys
from reactor.adapters.moments import micros, moment
from reactor.adapters.redis_client import Argument, infrastructure_errors, run_all
from reactor.adapters.redis_keys import ProcessKeys
from reactor.codec import Codec
from reactor.ports import Place, Recent

MOST_RECENT = 10_000  # ids that are kept
MOST_LATEST = 20  # of one subject


class RecentIndex:
    """A sorted set of process ids, scored by when each process last changed."""

    def __init__(
        self,
        client: Redis,
        codec: Codec,
        *,
        prefix: str,
        keep_ms: int,
        most: int = MOST_RECENT,
    ) -> None:
        self._client, self._codec, self._prefix = client, codec, prefix
        self._keep_ms, self._most = keep_ms, most

    def steps_to(self, place: Place) -> list[tuple[Argument, ...]]:
        """The commands that put a process there: never further back, and the oldest make room."""
        key = redis_keys.recent(self._prefix)
        return [
            ("ZADD", key, "GT", micros(place.at), place.process_id),
            ("ZREMRANGEBYRANK", key, 0, -self._most - 1),
            ("PEXPIRE", key, self._keep_ms),
        ]

    def steps_to_latest(self, place: Place, subject: str) -> list[tuple[Argument, ...]]:
        """The same in the index of one subject."""
        key = redis_keys.latest(self._prefix, subject)
        return [
            ("ZADD", key, "GT", micros(place.at), place.process_id),
            ("ZREMRANGEBYRANK", key, 0, -MOST_LATEST - 1),
            ("PEXPIRE", key, self._keep_ms),
        ]

    async def latest(self, subject: str, *, limit: int) -> list[str]:
        """Ids, newest first; some may be those of processes that are gone."""
        key = redis_keys.latest(self._prefix, subject)
        (found,) = await run_all(self._client, ("ZREVRANGE", key, 0, limit - 1))
        return [process_id.decode() for process_id in found]

    async def read(self, *, limit: int, before: Place | None) -> list[Recent]:
        """Those that are still there, newest first."""
        found: list[Recent] = []
        wanted = limit + 1  # the place itself comes along
        while len(found) < limit:
            places = await self._places(before, wanted)
            fresh = [place for place in places if before is None or place < before]
            found += await self._heads(fresh)
            if len(places) < wanted:
                break
            if fresh:
                before = fresh[-1]
            else:  # more of them at one moment than were asked for
                wanted *= 2
        return found[:limit]

    async def _places(self, before: Place | None, limit: int) -> list[Place]:
        newest = micros(before.at) if before else "+inf"
        key = redis_keys.recent(self._prefix)
        with infrastructure_errors():
            pairs: Any = await self._client.zrevrangebyscore(  # its types tell of many forms
                key, newest, "-inf", start=0, num=limit, withscores=True
            )
        return [Place(moment(int(score)), process_id.decode()) for process_id, score in pairs]

    async def _heads(self, places: list[Place]) -> list[Recent]:
        keys = [ProcessKeys(self._prefix, place.process_id).process for place in places]
        lines = await run_all(self._client, *(("HGET", key, "head") for key in keys))
        return [
            Recent(place, self._codec.decode_head(line))
            for place, line in zip(places, lines, strict=True)
            if line  # not expired
        ]
