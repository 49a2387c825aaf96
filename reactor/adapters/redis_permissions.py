"""Roles that were asked for of late, in Redis.  Keys and their lives: `redis_keys`."""

from datetime import timedelta

from redis.asyncio import Redis

from reactor.adapters import redis_keys
from reactor.adapters.redis_client import run_all
from reactor.command import Role
from reactor.permissions import Permissions, RepositoryRef

KEEP = timedelta(minutes=1)
"""For so long somebody may do what they were just forbidden."""


class RedisPermissions:
    """Fits the port `Permissions`: asks another only where nobody did within `keep`."""

    def __init__(
        self,
        asked: Permissions,
        client: Redis,
        *,
        prefix: str = "reactor",
        keep: timedelta = KEEP,
    ) -> None:
        self._asked, self._client, self._prefix = asked, client, prefix
        self._keep_ms = max(1, keep // timedelta(milliseconds=1))

    async def role(self, repository: RepositoryRef, login: str) -> Role:
        """Their role, as it is or was a moment ago.  Raises what the one that is asked does."""
        key = redis_keys.role(self._prefix, repository.host, repository.id, login.lower())
        (found,) = await run_all(self._client, ("GET", key))
        if (known := _read(found)) is not None:
            return known
        role = await self._asked.role(repository, login)
        await run_all(self._client, ("SET", key, str(role), "PX", self._keep_ms))
        return role


def _read(found: bytes | None) -> Role | None:
    try:
        return Role[found.decode().upper()] if found else None
    except (KeyError, UnicodeDecodeError):  # of another version
        return None
