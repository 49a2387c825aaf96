"""The pace in Redis: one for all workers, each question one round trip, by the server's clock.

Keys and their lives: `redis_keys`; what the script does: `lua/`.
"""

from typing import Any

from redis.asyncio import Redis

from reactor.adapters import redis_keys
from reactor.adapters.redis_client import Argument, Call, Script, run
from reactor.pace import (
    FORGIVEN_AFTER_S,
    KEPT_S,
    LONGEST_PROMISE_S,
    LONGEST_STOP_S,
    MOST_STRIKES,
    RESET_LAG_S,
    RUNS_AT_MOST,
    SAME_WINDOW_S,
    Ask,
    Rates,
    S,
    Told,
    Turn,
)


class RedisPace:
    """Fits the port `reactor.pace.Pace`."""

    def __init__(self, client: Redis, rates: Rates, *, prefix: str = "reactor") -> None:
        self._client, self._rates, self._prefix = client, rates, prefix
        self._script = Script.named("pace")

    async def turn(self, ask: Ask) -> Turn:
        """One step of the script."""
        rates, priority = self._rates, ask.priority
        arguments: list[Argument] = [
            "turn",
            int(priority > 0),
            rates.patience_us(ask),
            rates.open_at_once(priority),
            rates.us(1),
            repr(rates.kept(priority)),
            RUNS_AT_MOST,
            rates.us(LONGEST_PROMISE_S),
        ]
        for bucket in rates.buckets(ask.kind, priority):
            arguments += [bucket.name, bucket.need_us, bucket.slack_us]
        goes, wait_us, why = await self._run(ask, arguments)
        return Turn(goes=goes == 1, wait_s=wait_us / S, why=why.decode())

    async def told(self, ask: Ask, told: Told | None) -> float:
        """One step of the script."""
        heard = told or Told()
        reset_in_s, stop_s = heard.reset_in_s, heard.stop_s
        arguments: list[Argument] = [
            "told",
            *("" if n is None else n for n in (heard.limit, heard.remaining, heard.reset)),
            "" if reset_in_s is None else round((reset_in_s + RESET_LAG_S) * S),
            SAME_WINDOW_S,
            round(stop_s * S) if stop_s > 0 else "",
            round(LONGEST_STOP_S * S),
            self._rates.us(FORGIVEN_AFTER_S),
            MOST_STRIKES,
        ]
        stop_us: int = await self._run(ask, arguments)
        return stop_us / S

    async def _run(self, ask: Ask, arguments: list[Argument]) -> Any:
        keys = redis_keys.pace(self._prefix, ask.host, ask.account)
        return await run(
            self._client, Call(self._script, keys, [KEPT_S * 1000, ask.id, *arguments])
        )
