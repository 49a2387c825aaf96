"""Giving a broker that has just begun what it forgot: everything that is on the shelf."""

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


async def is_restored(settings: Settings) -> bool:
    """The same for who asks again until it is done: False while a server is away."""
    try:
        await restore(settings)
    except InfrastructureError as error:
        structlog.get_logger("reactor.shelf").warning("shelf_waits", error=str(error))
        return False
    return True


async def _note(redis: RedisParts, record: Outgoing, position: Position) -> None:
    headers = texts(record.headers)
    if attempt_in(headers) == 1 and headers.keys() >= {"host", "delivery", "digest"}:
        key = f"{headers['host']}/{headers['delivery']}"
        await redis.claims.produced(key, position, digest=headers["digest"])
