"""The mark of an installation in Redis, by which its processes see that Redis has lost its data.

Whatever empties Redis (FLUSHALL, a disk that was swapped, a failover to an empty replica) takes
the mark as well.  What was written last and is lost in a crash is not seen so.  Key and its life:
`redis_keys`.
"""

import secrets
from dataclasses import dataclass
from datetime import datetime

from pydantic import TypeAdapter, ValidationError
from redis.asyncio import Redis

from reactor.adapters import redis_keys
from reactor.adapters.redis_client import run_all


@dataclass(frozen=True, slots=True, kw_only=True)
class Mark:
    """Which data this is."""

    id: str
    since: datetime
    lost_at: datetime | None = None  # when the data before it was found gone


class RedisMark:
    """Reads and writes it.  Every method may raise `InfrastructureError`."""

    def __init__(self, client: Redis, *, prefix: str = "reactor") -> None:
        self._client, self._key = client, redis_keys.installation(prefix)
        self._lines = TypeAdapter(Mark)

    async def read(self) -> Mark | None:
        """The mark; None where there is none, or none that can be read."""
        (line,) = await run_all(self._client, ("GET", self._key))
        try:
            return self._lines.validate_json(line) if line else None
        except ValidationError:  # of another version, or somebody else's
            return None

    async def ensure(self, *, now: datetime, lost_at: datetime | None = None) -> Mark:
        """The mark that is there; one that is made now, where there was none."""
        new = Mark(id=secrets.token_hex(8), since=now, lost_at=lost_at)
        line = self._lines.dump_json(new)
        await run_all(self._client, ("SET", self._key, line, "NX"))
        return await self.read() or new
