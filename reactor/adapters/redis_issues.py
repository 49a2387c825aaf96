"""Issues of the index, in Redis: a hash for each repository, and a sorted set by when they changed.

Keys and their lives: `redis_keys`.
"""

from collections.abc import Sequence
from datetime import timedelta

from pydantic import ValidationError
from redis.asyncio import Redis

from reactor.adapters import redis_keys
from reactor.adapters.redis_client import run_all
from reactor.issue_index import MOST, IndexedIssue

KEEP = timedelta(days=400)  # after the last change of any


class RedisIssues:
    """Fits the port `IssueShelf`."""

    def __init__(self, client: Redis, *, prefix: str = "reactor", most: int = MOST) -> None:
        self._client, self._prefix, self._most = client, prefix, most

    async def put(self, repository: str, issue: IndexedIssue) -> None:
        """In two round trips where others have to make room, else in one.

        The two keys are not changed together.  What is cut off between them is mended by the next
        change of the issue: until then a number has no line, or a line never makes room.
        """
        lines, order = redis_keys.issues(self._prefix, repository)
        number, keep_ms = str(issue.number), KEEP // timedelta(milliseconds=1)
        changed = int(issue.changed_at.timestamp() * 1_000_000)
        *_, size = await run_all(
            self._client,
            ("HSET", lines, number, issue.model_dump_json()),
            ("ZADD", order, changed, number),
            ("PEXPIRE", lines, keep_ms),
            ("PEXPIRE", order, keep_ms),
            ("ZCARD", order),
        )
        if (beyond := int(size) - self._most) > 0:
            (oldest,) = await run_all(self._client, ("ZRANGE", order, 0, beyond - 1))
            if oldest:
                await run_all(self._client, ("HDEL", lines, *oldest), ("ZREM", order, *oldest))

    async def remove(self, repository: str, number: int) -> None:
        """It is there no longer."""
        lines, order = redis_keys.issues(self._prefix, repository)
        await run_all(self._client, ("HDEL", lines, str(number)), ("ZREM", order, str(number)))

    async def all(self, repository: str) -> Sequence[IndexedIssue]:
        """All there are; lines of another version are passed over."""
        lines, _ = redis_keys.issues(self._prefix, repository)
        (found,) = await run_all(self._client, ("HVALS", lines))
        return [issue for line in found if (issue := _read(line))]


def _read(line: bytes) -> IndexedIssue | None:
    try:
        return IndexedIssue.model_validate_json(line)
    except ValidationError:
        return None
