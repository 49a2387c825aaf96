"""Timers in Redis: a sorted set by the moment they are due, and what each of them tells.

Keys and their lives: `redis_keys`; what the scripts do: `lua/`.
"""

from datetime import datetime, timedelta
from typing import Any

from pydantic import TypeAdapter
from redis.asyncio import Redis

from reactor.adapters import redis_keys
from reactor.adapters.moments import micros, moment
from reactor.adapters.redis_client import Call, Script, run
from reactor.timer import Timer

_FOR_EVER = "+inf"


class RedisTimers:
    """Fits the port `Timers`."""

    def __init__(self, client: Redis, *, prefix: str = "reactor") -> None:
        self._client = client
        self._keys = redis_keys.timers(prefix)
        self._leader = redis_keys.timers_leader(prefix)
        self._lines = TypeAdapter(Timer)
        self._put = Script.named("put_timer")
        self._cancel = Script.named("cancel_timer")
        self._due = Script.named("due_timers")
        self._fired = Script.named("fired_timer")
        self._lead = Script.named("lead")
        self._resign = Script.named("resign")

    async def put(self, timer: Timer) -> None:
        """Keep it."""
        told = self._lines.dump_json(timer, exclude={"due_at"})
        stays = int(timer.repeats is not None)
        await self._run(self._put, timer.id, micros(timer.due_at), told, stays)

    async def cancel(self, timer_id: str) -> None:
        """Forget it."""
        await self._run(self._cancel, timer_id)

    async def due(self, now: datetime, *, limit: int = 100) -> list[Timer]:
        """Earliest first."""
        return await self._up_to(micros(now), limit)

    async def fired(self, timer: Timer, following: Timer | None) -> None:
        """Go on, if it is still the same moment."""
        after = micros(following.due_at) if following else ""
        await self._run(self._fired, timer.id, micros(timer.due_at), after)

    async def all(self) -> list[Timer]:
        """Earliest first."""
        return await self._up_to(_FOR_EVER, -1)

    async def lead(self, owner: str, *, lease: timedelta) -> bool:
        """One leader at a time, by the server's clock."""
        lease_ms = max(1, lease // timedelta(milliseconds=1))
        return bool(await run(self._client, Call(self._lead, [self._leader], [owner, lease_ms])))

    async def resign(self, owner: str) -> None:
        """Let the next one in at once."""
        await run(self._client, Call(self._resign, [self._leader], [owner]))

    async def _up_to(self, score: str | int, limit: int) -> list[Timer]:
        """The script gives id, moment and line of each in turn."""
        found = await self._run(self._due, score, limit)
        return [
            self._timer(found[at + 1], found[at + 2])
            for at in range(0, len(found), 3)
            if found[at + 2]
        ]

    def _timer(self, score: bytes, line: bytes) -> Timer:
        due_at = moment(int(float(score)))
        told: dict[str, Any] = TypeAdapter(dict[str, Any]).validate_json(line)
        return self._lines.validate_python(told | {"due_at": due_at})

    async def _run(self, script: Script, *arguments: str | bytes | int) -> Any:
        return await run(self._client, Call(script, self._keys, arguments))
