"""Which delivery ids were seen, and who saw what first, in Redis: one round trip each.

Keys and their lives: `redis_keys`; what the scripts do: `lua/`.
"""

import secrets
from datetime import timedelta
from itertools import count
from typing import Any

from redis.asyncio import Redis

from reactor.adapters import redis_keys
from reactor.adapters.redis_client import Call, Script, run, run_all
from reactor.ports import Claim
from reactor.topic import Position


class RedisClaims:
    """Fits the port `Claims`.

    A body is indexed by its digest in another slot than the claim, so it is looked up in the same
    round trip but not in the same atomic step: of two equal bodies that arrive under two ids
    at the same moment, exactly one is the first.
    """

    def __init__(
        self,
        client: Redis,
        *,
        prefix: str = "reactor",
        pending: timedelta = timedelta(seconds=60),
        keep: timedelta = timedelta(days=28),
    ) -> None:
        self._client, self._prefix = client, prefix
        self._pending_ms, self._keep_ms = _ms(pending), _ms(keep)
        self._tokens = map(f"{secrets.token_hex(8)}-{{}}".format, count())  # no two are alike
        self._claim = Script.named("claim")
        self._kept = Script.named("kept")
        self._produced = Script.named("produced")
        self._release = Script.named("release_claim")
        self._forget_body = Script.named("forget_body")

    async def claim(self, delivery: str, *, digest: str) -> Claim:
        """Claim the id."""
        token = next(self._tokens)  # ours alone, should the client send this claim twice
        body = redis_keys.body(self._prefix, digest)
        (status, *at), _, first = await run_all(
            self._client,
            Call(self._claim, [self._key(delivery)], [digest, token, self._pending_ms]),
            ("SET", body, delivery, "NX", "PX", self._keep_ms),
            ("GET", body),
        )
        if status == b"conflict":  # such a body is refused, so it must not count as seen
            await run(self._client, Call(self._forget_body, [body], [delivery]))
            return Claim("conflict")
        replayed = first is not None and first.decode() != delivery
        ours = token if status == b"new" else ""
        return Claim(status.decode(), _position(at), replayed, ours)

    async def kept(self, delivery: str, *, digest: str) -> None:
        """Keep the claim, or make it, without a position."""
        arguments = (digest, self._keep_ms)
        await run(self._client, Call(self._kept, [self._key(delivery)], arguments))

    async def produced(self, delivery: str, position: Position, *, digest: str) -> None:
        """Keep the claim, or make it."""
        where = (position.topic, position.partition, position.offset)
        arguments = (digest, *where, self._keep_ms)
        await run(self._client, Call(self._produced, [self._key(delivery)], arguments))

    async def release(self, delivery: str, token: str) -> None:
        """Forget our pending claim, and that its body was seen."""
        digest = await run(self._client, Call(self._release, [self._key(delivery)], [token]))
        if digest:
            body = redis_keys.body(self._prefix, digest.decode())
            await run(self._client, Call(self._forget_body, [body], [delivery]))

    async def position(self, delivery: str) -> Position | None:
        """Where it was written."""
        fields = ("topic", "partition", "offset")
        (at,) = await run_all(self._client, ("HMGET", self._key(delivery), *fields))
        return _position(at)

    async def is_kept(self, delivery: str) -> bool:
        """Without a position."""
        (kept,) = await run_all(self._client, ("HEXISTS", self._key(delivery), "kept"))
        return bool(kept)

    def _key(self, delivery: str) -> str:
        return redis_keys.claim(self._prefix, delivery)


class RedisFirsts:
    """Fits the port `Firsts`.  What was seen is remembered for `keep`, by default for ever."""

    def __init__(
        self, client: Redis, *, prefix: str = "reactor", keep: timedelta | None = None
    ) -> None:
        self._client, self._prefix = client, prefix
        self._keep_ms = _ms(keep) if keep else None

    async def claim_new(self, entity: str, *, purpose: str, process_id: str) -> bool:
        """True for the process that was first, always."""
        key = redis_keys.first(self._prefix, entity)
        expire = [("PEXPIRE", key, self._keep_ms)] if self._keep_ms else []
        _, holder, *_ = await run_all(
            self._client,
            ("HSETNX", key, purpose, process_id),
            ("HGET", key, purpose),
            *expire,
        )
        return bool(holder == process_id.encode())


def _position(at: list[Any]) -> Position | None:
    """From topic, partition and offset; none, or the first is None, where it is not known."""
    if not at or at[0] is None:
        return None
    topic, partition, offset = at
    return Position(topic.decode(), int(partition), int(offset))


def _ms(length: timedelta) -> int:
    return max(1, round(length / timedelta(milliseconds=1)))
