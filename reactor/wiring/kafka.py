"""What lives on the broker: topics, the logs that are written to them, what is kept beside it."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import timedelta
from typing import TYPE_CHECKING

from reactor.adapters.redis_bodies import RedisBodies
from reactor.adapters.redis_shelf import RedisShelf
from reactor.dead import letter_id
from reactor.errors import InfrastructureError
from reactor.payload import parse
from reactor.settings import Settings
from reactor.topic import Topics
from reactor.wiring.redis import NoServer, RedisParts
from streams.broker import Broker
from streams.codec import DeliveryCodec
from streams.embedded import CLUSTER_ID
from streams.journal import JournalCodec
from streams.keeping import KeepingDeadLetters, KeepingWriter, Shelf, Writer
from streams.letters import LetterCodec
from streams.opening import Opening
from streams.packing import BodyStore, Packing
from streams.producer import KafkaDeliveryLog, KafkaJournalLog
from streams.topics import TopicSpec, cluster_id
from streams.writer import KafkaWriter

if TYPE_CHECKING:
    from reactor.topic import DeadLetters, DeliveryLog, JournalLog

_OPEN_S = 40.0  # a broker that is just being started has answered by then
_LOOK_S = 3.0  # for one that may be away


@dataclass(frozen=True, slots=True, kw_only=True)
class KafkaParts:
    """A writer, and what is written through it."""

    bootstrap: Broker
    topics: Topics
    writer: KafkaWriter
    keeping: KeepingWriter  # over that one: beside a broker that forgets, records go on the shelf
    codec: DeliveryCodec
    letters: LetterCodec
    deliveries: "DeliveryLog"
    signals: "DeliveryLog"
    dead: "DeadLetters"
    journal: "JournalLog"


def bootstrap_of(settings: Settings) -> Broker:
    """Where the broker is, and how we get in.  Raises `NoServer`."""
    kafka = settings.kafka
    if kafka.bootstrap_servers is None:
        raise NoServer("the broker", "KAFKA_BOOTSTRAP_SERVERS")
    security = kafka.security
    return Broker(
        servers=kafka.bootstrap_servers,
        protocol=security.protocol,
        mechanism=security.mechanism,
        username=security.username,
        password=security.password.get_secret_value() if security.password else None,
        ca_file=str(security.ca_file) if security.ca_file else None,
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class LargeBodies:
    """Where bodies are kept that are too large for the broker, as long as their topics are.

    And where all records are, should the broker keep nothing itself (`streams.keeping`).
    """

    deliveries: BodyStore
    dead: BodyStore
    shelf: Shelf


@asynccontextmanager
async def kafka_parts(
    settings: Settings, bodies: LargeBodies, *, waits: bool = True
) -> AsyncIterator[KafkaParts]:
    """Create the topics, connect, and disconnect at the end.

    Waits for a broker that is not up yet; raises `InfrastructureError` when it does not come,
    `AccessRefused` when it does not let us in.  Without `waits` it is opened later, when it is
    there, and all that is written to it before fails at once.
    """
    bootstrap, topics = bootstrap_of(settings), Topics(settings.kafka.prefix)
    opening = Opening(bootstrap, topic_specs(settings, topics))
    try:
        await opening.open(within_s=_OPEN_S if waits else _LOOK_S)
    except InfrastructureError:
        if waits:
            raise
    codec, letters = delivery_codec(bodies), LetterCodec(Packing(bodies.dead))
    records = JournalCodec(Packing(bodies.deliveries))
    writer = KafkaWriter(
        bootstrap,
        timeout_s=settings.gateway.produce_timeout_s,
        idempotent=not opening.is_embedded,  # it has no idempotent producers, and says so in an error
    )
    keeping = KeepingWriter(opening.gate(writer), bodies.shelf, forgets=opening.forgets)
    await writer.start()
    later = None if opening.is_open else asyncio.create_task(opening.open_at_last())
    try:
        yield KafkaParts(
            bootstrap=bootstrap,
            topics=topics,
            writer=writer,
            keeping=keeping,
            codec=codec,
            letters=letters,
            deliveries=KafkaDeliveryLog(keeping, codec, topic=topics.deliveries),
            signals=KafkaDeliveryLog(keeping, codec, topic=topics.signals),
            dead=KeepingDeadLetters(keeping, letters, topic=topics.dead, letter_id=letter_id),
            journal=KafkaJournalLog(writer, records, topic=topics.journal),
        )
    finally:
        if later:
            later.cancel()
            await asyncio.wait([later])
        await writer.stop()


def keeping_writer(settings: Settings, writer: Writer, shelf: Shelf) -> KeepingWriter:
    """`writer`, whose records are on the shelf as well where the broker is the embedded one."""
    bootstrap = bootstrap_of(settings)

    async def forgets() -> bool:
        return await cluster_id(bootstrap) == CLUSTER_ID

    return KeepingWriter(writer, shelf, forgets=forgets)


def large_bodies(settings: Settings, redis: RedisParts) -> LargeBodies:
    """In Redis; what was given up stays for ever, as its topic does."""
    keep = timedelta(days=settings.kafka.retention_days * 2)
    return LargeBodies(
        deliveries=RedisBodies(redis.client, prefix=redis.prefix, keep=keep),
        dead=RedisBodies(redis.client, prefix=redis.prefix, keep=None),
        shelf=RedisShelf(redis.client, prefix=redis.prefix),
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
