"""Files of repositories, kept for all workers, in Redis.  Keys and their lives: `redis_keys`."""

from datetime import timedelta

from redis.asyncio import Redis

from reactor.adapters import redis_keys
from reactor.adapters.redis_client import run_all
from reactor.repository_files import KeptFile

KEEP = timedelta(days=30)
"""For so long the last good one counts while its host is away."""

_TEXTS = ("etag", "sha", "text", "good_sha", "good_text")


class RedisFiles:
    """Fits the port `FileStore`."""

    def __init__(self, client: Redis, *, prefix: str = "reactor", keep: timedelta = KEEP) -> None:
        self._client, self._prefix = client, prefix
        self._keep_ms = max(1, keep // timedelta(milliseconds=1))

    async def read(self, host: str, name: str) -> KeptFile:
        """The hash of the repository."""
        key = self._key(host, name)
        fields = ("checked", "seen", "told", "commit", *_TEXTS)
        (found,) = await run_all(self._client, ("HMGET", key, *fields))
        checked, seen, told, *texts = (value.decode() if value else "" for value in found)
        commit, etag, sha, text, good_sha, good_text = texts
        return KeptFile(
            checked_at_s=float(checked or 0),
            seen=int(seen or 0),
            told=int(told or 0),
            commit=commit,
            etag=etag,
            sha=sha,
            text=text,
            good_sha=good_sha,
            good_text=good_text,
        )

    async def keep(self, host: str, name: str, kept: KeptFile) -> None:
        """Its fields, but for those that `changed` counts on."""
        texts = [part for field in _TEXTS for part in (field, getattr(kept, field))]
        key = self._key(host, name)
        await run_all(
            self._client,
            ("HSET", key, "checked", repr(kept.checked_at_s), "seen", kept.seen, *texts),
            ("PEXPIRE", key, self._keep_ms),
        )

    async def changed(self, host: str, name: str, *, commit: str = "") -> None:
        """Counted, so that who asked the host before sees that it was too early."""
        key = self._key(host, name)
        await run_all(
            self._client,
            ("HINCRBY", key, "told", 1),
            ("HSET", key, "commit", commit),
            ("PEXPIRE", key, self._keep_ms),
        )

    async def tell_once(self, host: str, name: str, sha: str) -> bool:
        """A key of its own, which the first one sets."""
        key = redis_keys.file_told(self._prefix, host, name.lower(), sha)
        (first,) = await run_all(self._client, ("SET", key, "1", "NX", "PX", self._keep_ms))
        return first is not None

    def _key(self, host: str, name: str) -> str:
        return redis_keys.repository_file(self._prefix, host, name.lower())
