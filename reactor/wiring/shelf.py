"""Giving a broker that has just begun what it forgot: everything that is on the shelf."""

import asyncio
from dataclasses import dataclass, field

import structlog

from reactor.errors import InfrastructureError
from reactor.settings import Settings
from reactor.topic import Position, Topics, attempt_in
from reactor.wiring.kafka import bootstrap_of, large_bodies, topic_specs
from reactor.wiring.redis import RedisParts, redis_parts
from streams.keeping import put_back
from streams.record import Outgoing, texts
from streams.topics import ensure_topics
from streams.writer import KafkaWriter

_WRITE_S = 30.0  # for a few records; a broker that takes longer is started again
_FIRST_PAUSE_S, _LONGEST_PAUSE_S = 0.1, 2.0  # between tries; each is twice the one before


async def restore(settings: Settings) -> int:
    """Write what is on the shelf to the broker, and note where it lies; how much that was.

    Raises `NoServer`, `InfrastructureError`.
    """
    topics = Topics(settings.kafka.prefix)
    await ensure_topics(bootstrap_of(settings), topic_specs(settings, topics))
    writer = KafkaWriter(bootstrap_of(settings), timeout_s=_WRITE_S, idempotent=False)
    async with redis_parts(settings) as redis:

        async def told(record: Outgoing, position: Position) -> None:
            if position.topic == topics.deliveries:
                await _note(redis, record, position)

        try:
            count = await put_back(large_bodies(settings, redis).shelf, writer, told=told)
        finally:
            await writer.stop()
    if count:
        structlog.get_logger("reactor.shelf").info("shelf_put_back", records=count)
    return count


@dataclass(slots=True)
class Restoring:
    """The same for who asks again until it is done: less and less often while a server is away."""

    settings: Settings
    _in_vain: int = field(default=0, init=False)

    async def is_done(self) -> bool:
        """Try; False after a pause where a server is away, which is logged once."""
        log = structlog.get_logger("reactor.shelf")
        try:
            await restore(self.settings)
        except InfrastructureError as error:
            if not self._in_vain:
                log.warning("shelf_waits", error=str(error))
            pause_s = min(_FIRST_PAUSE_S * 2**self._in_vain, _LONGEST_PAUSE_S)
            self._in_vain += 1
            await asyncio.sleep(pause_s)
            return False
        if self._in_vain:
            log.info("shelf_waited", tries=self._in_vain)
        self._in_vain = 0  # the next broker that begins is restored as well
        return True


async def _note(redis: RedisParts, record: Outgoing, position: Position) -> None:
    headers = texts(record.headers)
    if attempt_in(headers) == 1 and headers.keys() >= {"host", "delivery", "digest"}:
        key = f"{headers['host']}/{headers['delivery']}"
        await redis.claims.produced(key, position, digest=headers["digest"])
