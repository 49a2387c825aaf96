"""Troubles in Redis: one hash, which all workers add to.

Keys and their lives: `redis_keys`.
"""

from collections.abc import Sequence
from dataclasses import replace
from datetime import timedelta

from pydantic import TypeAdapter, ValidationError
from redis.asyncio import Redis

from reactor.adapters import redis_keys
from reactor.adapters.redis_client import Step, run_all
from reactor.troubles import Trouble, merged

_COUNT, _FIRST, _LAST = b"count ", b"first ", b"last "  # what names of fields begin with


class RedisTroubles:
    """Fits the port `Troubles`."""

    def __init__(self, client: Redis, *, prefix: str = "reactor") -> None:
        self._client, self._key = client, redis_keys.troubles(prefix)
        self._lines = TypeAdapter(Trouble)

    async def note(self, troubles: Sequence[Trouble], *, keep: timedelta) -> None:
        """Add them.  One hash, and each command stands for itself: nothing is read first."""
        if not troubles:
            return
        commands: list[Step] = []
        for key, trouble in merged(troubles).items():
            field, line = key.encode(), self._lines.dump_json(trouble)
            commands += [
                ("HINCRBY", self._key, _COUNT + field, trouble.count),
                ("HSETNX", self._key, _FIRST + field, line),
                ("HSET", self._key, _LAST + field, line),
            ]
        keep_ms = max(1, keep // timedelta(milliseconds=1))
        await run_all(self._client, *commands, ("PEXPIRE", self._key, keep_ms))

    async def known(self) -> list[Trouble]:
        """The newest first; lines of another version are passed over."""
        (found,) = await run_all(self._client, ("HGETALL", self._key))
        fields: dict[bytes, bytes] = (
            found if isinstance(found, dict) else dict(zip(found[::2], found[1::2], strict=True))
        )
        told = [
            self._read(fields, name.removeprefix(_LAST))
            for name in fields
            if name.startswith(_LAST)
        ]
        known = [trouble for trouble in told if trouble]
        return sorted(known, key=lambda each: (each.last_at, each.key), reverse=True)

    def _read(self, fields: dict[bytes, bytes], field: bytes) -> Trouble | None:
        try:
            last = self._lines.validate_json(fields[_LAST + field])
            first = self._lines.validate_json(fields[_FIRST + field])
            count = int(fields[_COUNT + field])
        except (KeyError, ValueError, ValidationError):
            return None
        return replace(last, count=count, first_at=first.first_at)
