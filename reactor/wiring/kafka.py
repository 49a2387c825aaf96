"""What lives on the broker: topics, and the logs that are written to them."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import timedelta
from typing import TYPE_CHECKING

from reactor.adapters.redis_bodies import RedisBodies
from reactor.payload import parse
from reactor.settings import Settings
from reactor.topic import Topics
from reactor.wiring.redis import NoServer, RedisParts
from streams.codec import DeliveryCodec
from streams.embedded import CLUSTER_ID
from streams.journal import JournalCodec
from streams.letters import LetterCodec
from streams.packing import BodyStore, Packing
from streams.producer import KafkaDeadLetters, KafkaDeliveryLog, KafkaJournalLog
from streams.topics import TopicSpec, cluster_id, ensure_topics
from streams.writer import KafkaWriter

if TYPE_CHECKING:
    from reactor.topic import DeadLetters, DeliveryLog, JournalLog


@dataclass(frozen=True, slots=True, kw_only=True)
class KafkaParts:
    """A writer, and what is written through it."""

    bootstrap: str
    topics: Topics
    writer: KafkaWriter
    codec: DeliveryCodec
    letters: LetterCodec
    deliveries: "DeliveryLog"
    signals: "DeliveryLog"
    dead: "DeadLetters"
    journal: "JournalLog"


def bootstrap_of(settings: Settings) -> str:
    """The broker's address.  Raises `NoServer`."""
    if settings.kafka.bootstrap_servers is None:
        raise NoServer("the broker", "KAFKA_BOOTSTRAP_SERVERS")
    return settings.kafka.bootstrap_servers


@dataclass(frozen=True, slots=True, kw_only=True)
class LargeBodies:
    """Where bodies are kept that are too large for the broker, as long as their topics are."""

    deliveries: BodyStore
    dead: BodyStore


@asynccontextmanager
async def kafka_parts(settings: Settings, bodies: LargeBodies) -> AsyncIterator[KafkaParts]:
    """Create the topics, connect, and disconnect at the end.

    Waits for a broker that is not up yet; raises `InfrastructureError` when it does not come.
    """
    bootstrap, topics = bootstrap_of(settings), Topics(settings.kafka.prefix)
    await ensure_topics(bootstrap, topic_specs(settings, topics))
    codec, letters = delivery_codec(bodies), LetterCodec(Packing(bodies.dead))
    records = JournalCodec(Packing(bodies.deliveries))
    is_embedded = await cluster_id(bootstrap) == CLUSTER_ID
    writer = KafkaWriter(
        bootstrap,
        timeout_s=settings.gateway.produce_timeout_s,
        idempotent=not is_embedded,  # it has no idempotent producers, and says so in an error
    )
    await writer.start()
    try:
        yield KafkaParts(
            bootstrap=bootstrap,
            topics=topics,
            writer=writer,
            codec=codec,
            letters=letters,
            deliveries=KafkaDeliveryLog(writer, codec, topic=topics.deliveries),
            signals=KafkaDeliveryLog(writer, codec, topic=topics.signals),
            dead=KafkaDeadLetters(writer, letters, topic=topics.dead),
            journal=KafkaJournalLog(writer, records, topic=topics.journal),
        )
    finally:
        await writer.stop()


def large_bodies(settings: Settings, redis: RedisParts) -> LargeBodies:
    """In Redis; what was given up stays for ever, as its topic does."""
    keep = timedelta(days=settings.kafka.retention_days * 2)
    return LargeBodies(
        deliveries=RedisBodies(redis.client, prefix=redis.prefix, keep=keep),
        dead=RedisBodies(redis.client, prefix=redis.prefix, keep=None),
    )


def delivery_codec(bodies: LargeBodies) -> DeliveryCodec:
    """Turns deliveries into records and back."""
    return DeliveryCodec(parse=parse, packing=Packing(bodies.deliveries))


def topic_specs(settings: Settings, topics: Topics) -> tuple[TopicSpec, ...]:
    """The topics as they must be.  What was given up stays for ever."""
    kafka = settings.kafka
    lives: dict[str, timedelta | None] = {
        topics.deliveries: timedelta(days=kafka.retention_days),
        topics.signals: timedelta(days=kafka.retention_days),
        topics.journal: timedelta(days=kafka.retention_days * 2),
        topics.dead: None,
    }
    return tuple(
        TopicSpec(
            name=name,
            partitions=kafka.partitions,
            retention=life,
            replication=kafka.replication,
        )
        for name, life in lives.items()
    )
