"""Which installation a repository belongs to, in Redis.  Keys and their lives: `redis_keys`."""

from collections.abc import Collection

from redis.asyncio import Redis

from reactor.adapters import redis_keys
from reactor.adapters.redis_client import run_all


class RedisInstallations:
    """Fits `reactor.adapters.github.installations.InstallationStore`."""

    def __init__(self, client: Redis, *, prefix: str = "reactor") -> None:
        self._client, self._prefix = client, prefix

    async def read(self, host: str, repository_id: int) -> int | None:
        """One field of the host's hash."""
        key = redis_keys.installations(self._prefix, host)
        (found,) = await run_all(self._client, ("HGET", key, repository_id))
        return int(found) if found else None

    async def write(self, host: str, repository_id: int, installation: int | None) -> None:
        """One field of the host's hash."""
        key = redis_keys.installations(self._prefix, host)
        if installation is None:
            await run_all(self._client, ("HDEL", key, repository_id))
        else:
            await run_all(self._client, ("HSET", key, repository_id, installation))

    async def repositories(self, host: str, installation: int) -> list[int]:
        """From the whole hash of the host: it is asked for seldom."""
        key = redis_keys.installations(self._prefix, host)
        (found,) = await run_all(self._client, ("HGETALL", key))
        return [int(each) for each, of in found.items() if int(of) == installation]

    async def forget(self, host: str, repository_ids: Collection[int]) -> None:
        """Those fields of the host's hash."""
        if repository_ids:
            key = redis_keys.installations(self._prefix, host)
            await run_all(self._client, ("HDEL", key, *repository_ids))
