"""What was spent on models and what they answered, in Redis; fits `Purses` and `Answers`.

Keys and their lives: `redis_keys`; what the script does: `lua/`.
"""

import secrets
from collections.abc import Mapping
from contextlib import suppress
from datetime import timedelta

from redis.asyncio import Redis

from reactor.adapters import redis_keys
from reactor.adapters.redis_client import Argument, Call, Script, run, run_all
from reactor.ai.budget import Taken
from reactor.ai.exchange import Request
from reactor.errors import InfrastructureError
from reactor.ports import Clock

_KEEP_MS = 2 * 86_400_000  # a day can begin late somewhere
_ONCE_MS = 60_000  # longer than the client tries to send one call


class RedisPurses:
    """One round trip each; all purses of a day lie together, so that one script sees them."""

    def __init__(self, client: Redis, clock: Clock, *, prefix: str = "reactor") -> None:
        self._client, self._clock, self._prefix = client, clock, prefix
        self._spend = Script.named("spend")

    async def take(self, amount_usd: float, limits: Mapping[str, float]) -> Taken:
        """Add the amount to each, unless one is spent."""
        pairs = [(purse, repr(limit)) for purse, limit in limits.items()]
        day = self._today()
        return Taken(day, await self._add(amount_usd, pairs, day))

    async def correct(self, by_usd: float, purses: tuple[str, ...], *, day: str) -> None:
        """Add the difference."""
        await self._add(by_usd, [(purse, "") for purse in purses], day)

    async def spent(self, purse: str) -> float:
        """What was spent of it today."""
        (found,) = await run_all(self._client, ("HGET", self._key(self._today()), purse))
        return float(found or 0.0)

    async def _add(self, amount_usd: float, purses: list[tuple[str, str]], day: str) -> str:
        once = redis_keys.spent_once(self._prefix, secrets.token_hex(8))
        operands: list[Argument] = [f"{amount_usd:.9f}", _KEEP_MS, _ONCE_MS]
        operands += [part for pair in purses for part in pair]
        answer = await run(self._client, Call(self._spend, [self._key(day), once], operands))
        return bytes(answer).decode()

    def _today(self) -> str:
        return f"{self._clock.now():%Y%m%d}"

    def _key(self, day: str) -> str:
        return redis_keys.spent(self._prefix, day)


class RedisAnswers:
    """One string for each answer; what Redis does not give is asked again."""

    def __init__(self, client: Redis, *, keep: timedelta, prefix: str = "reactor") -> None:
        self._client, self._keep, self._prefix = client, keep, prefix

    async def find(self, request: Request) -> str | None:
        """The text that was kept for the same request."""
        try:
            (found,) = await run_all(self._client, ("GET", self._key(request)))
        except InfrastructureError:
            return None
        return None if found is None else bytes(found).decode()

    async def keep(self, request: Request, text: str) -> None:
        """Keep a text."""
        keep_ms = self._keep // timedelta(milliseconds=1)
        written = text.encode("utf-8", "replace")
        with suppress(InfrastructureError):
            await run_all(self._client, ("SET", self._key(request), written, "PX", keep_ms))

    def _key(self, request: Request) -> str:
        return redis_keys.answer(self._prefix, request.answer_digest)
