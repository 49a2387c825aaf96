"""Which worker is in the middle of a process, and whether somebody else has it by now.

So that a worker is put to sleep when it has something to lose, and for as long as it takes until
that is lost: a pause that hits nothing tests nothing.
"""

import json
import time
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from redis.asyncio import Redis
from redis.exceptions import RedisError

from reactor.adapters.redis_keys import ProcessKeys
from reactor.status import process_id
from reactor.topic import Topics

_LONG_S = 0.5  # of thinking; so that it is still at it when the signal comes
_TAIL_BYTES = 20_000


@dataclass(frozen=True, slots=True)
class Held:
    """A process that somebody is running."""

    process_id: str
    fence: str


class Thinking:
    """Looks at the notes of beginnings, and at leases in Redis."""

    def __init__(self, begun: Path, redis: Redis) -> None:
        self._begun, self._redis = begun, redis
        self._prefix = Topics().prefix  # the one of keys is the same by default

    async def of(self, worker: str) -> Held | None:
        """What the worker is thinking about, if it has begun just now and takes its time."""
        now = time.monotonic()
        for line in self._newest():
            is_at_it = line["at"] <= now < line["at"] + line["takes_s"] / 2
            if line["worker"] != worker or line["takes_s"] < _LONG_S or not is_at_it:
                continue
            id = process_id(delivery=line["delivery"], reaction=line["reaction"])
            if fence := await self._fence(id):
                return Held(id, fence)
        return None

    async def is_taken_over(self, held: Held) -> bool:
        """Whether somebody has opened it since."""
        fence = await self._fence(held.process_id)
        return bool(fence) and fence != held.fence

    async def _fence(self, process_id: str) -> str:
        with suppress(RedisError, OSError):
            key = ProcessKeys(self._prefix, process_id).process
            (fence,) = await self._redis.hmget(key, "fence")
            return str(fence or "")
        return ""

    def _newest(self) -> list[Any]:
        if not self._begun.exists():
            return []
        with self._begun.open("rb") as file:
            file.seek(max(0, self._begun.stat().st_size - _TAIL_BYTES))
            lines = file.read().split(b"\n")[1:-1]
        return [json.loads(line) for line in lines]
