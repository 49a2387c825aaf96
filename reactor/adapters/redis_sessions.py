"""Sessions of people who logged in, in Redis, so that any console knows them.

Keys and their lives: `redis_keys`.
"""

import json
from datetime import datetime
from typing import Any

from redis.asyncio import Redis

from reactor.adapters import redis_keys
from reactor.adapters.redis_client import run_all
from reactor.ports import Clock
from reactor.session import Session


class RedisSessions:
    """Fits the port `Sessions`."""

    def __init__(self, client: Redis, clock: Clock, *, prefix: str = "reactor") -> None:
        self._client, self._clock, self._prefix = client, clock, prefix

    async def begin(self, key: str, session: Session) -> None:
        """Keep it until its time is over."""
        left_s = (session.until - self._clock.now()).total_seconds()
        if left_s <= 0:
            return
        name, told = redis_keys.session(self._prefix, key), _written(session)
        await run_all(self._client, ("SET", name, told, "PX", max(1, int(left_s * 1000))))

    async def find(self, key: str) -> Session | None:
        """None where there is none (any more)."""
        (found,) = await run_all(self._client, ("GET", redis_keys.session(self._prefix, key)))
        session = _read(found) if found else None
        return session if session and session.until > self._clock.now() else None

    async def end(self, key: str) -> None:
        """It counts no more, on whichever console."""
        await run_all(self._client, ("DEL", redis_keys.session(self._prefix, key)))


def _written(session: Session) -> str:
    return json.dumps(
        {
            "name": session.name,
            "may_change": session.may_change,
            "token": session.token,
            "until": session.until.isoformat(),
        }
    )


def _read(found: bytes) -> Session | None:
    """None for what was written by a version that kept something else: they log in again."""
    try:
        told: dict[str, Any] = json.loads(found)
        return Session(
            name=str(told["name"]),
            may_change=told["may_change"] is True,
            token=str(told["token"]),
            until=datetime.fromisoformat(told["until"]),
        )
    except (ValueError, TypeError, KeyError):
        return None
