"""What prompts have listed, in Redis.  Keys and their lives: `redis_keys`."""

from datetime import timedelta

from pydantic import TypeAdapter, ValidationError
from redis.asyncio import Redis

from reactor.adapters.redis_client import run_all
from reactor.adapters.redis_keys import LedgerKeys
from reactor.prompt import MOST_KEPT, Prompt


class RedisPrompts:
    """Fits the port `Prompts`."""

    def __init__(
        self, client: Redis, *, prefix: str = "reactor", keep: timedelta = timedelta(days=7)
    ) -> None:
        """`keep`: after a subject's last prompt; as long as what it listed can be approved."""
        self._client, self._prefix = client, prefix
        self._keep_ms = max(1, keep // timedelta(milliseconds=1))
        self._prompts = TypeAdapter(Prompt)

    async def add(self, subject: str, prompt: Prompt) -> None:
        """In front of the others, in one round trip."""
        key, line = LedgerKeys(self._prefix, subject).prompts, self._prompts.dump_json(prompt)
        await run_all(
            self._client,
            ("LREM", key, 0, line),  # sent twice
            ("LPUSH", key, line),
            ("LTRIM", key, 0, MOST_KEPT - 1),
            ("PEXPIRE", key, self._keep_ms),
        )

    async def of(self, subject: str) -> list[Prompt]:
        """Newest first; what another version wrote that can't be read is left out."""
        key = LedgerKeys(self._prefix, subject).prompts
        (lines,) = await run_all(self._client, ("LRANGE", key, 0, -1))
        return [prompt for line in lines if (prompt := self._read(line)) is not None]

    def _read(self, line: bytes) -> Prompt | None:
        try:
            return self._prompts.validate_json(line)
        except ValidationError:
            return None
