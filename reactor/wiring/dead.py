"""Dead letters, put together: read from their topic, driven again over the signals topic.

Nothing goes back onto the deliveries topic, which is what gets replayed; but a conflict never was
on it, and is accepted there for the first time, under an id of its own.
"""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from reactor.adapters.clock import SystemClock
from reactor.adapters.redis_dead import RedisHandlings
from reactor.dead import UNREADABLE, DeadDesk, Entry, Lying, NotDrivable
from reactor.delivery import GITHUB_COM, Delivery, digest
from reactor.refusal import Refused
from reactor.settings import Settings
from reactor.signal import as_delivery, retrying
from reactor.topic import DeadLetter, Topics
from reactor.wiring.kafka import bootstrap_of, delivery_codec, keeping_writer, large_bodies
from reactor.wiring.redis import RedisParts, redis_parts
from streams.broker import Broker
from streams.keeping import KeepingWriter, name_of_letter
from streams.letters import LetterCodec, again
from streams.packing import Packing
from streams.producer import KafkaDeliveryLog
from streams.reader import open_reader
from streams.record import PoisonRecord, Record, texts
from streams.writer import KafkaWriter

if TYPE_CHECKING:
    from reactor.ports import Claims
    from reactor.topic import DeliveryLog

_WRITE_S = 10.0  # for a connection of its own, and one record
_GUID_UP_TO = 50  # characters of an id that are kept in one that is made from it


@dataclass(frozen=True, slots=True, kw_only=True)
class KafkaLetters:
    """Fits the port `Letters`."""

    bootstrap: Broker
    topics: Topics
    codec: LetterCodec
    writer: KeepingWriter
    deliveries: "DeliveryLog"
    signals: "DeliveryLog"
    claims: "Claims"
    hosts: tuple[str, ...]  # that may send

    async def read(self) -> AsyncIterator[Lying]:
        """A record that is no letter is told as one that can't be read."""
        async with open_reader(self.bootstrap) as reader:
            async for record in reader.read(await reader.extents(self.topics.dead)):
                yield Lying(letter=await self._letter(record), at=record.written_at)

    async def drive(self, entry: Entry) -> None:
        """Write what begins the next attempt; see `reactor.steering` and `reactor.worker`."""
        letter = entry.letter
        if letter.reason == UNREADABLE:
            raise NotDrivable(entry.id, letter.detail)
        if entry.is_conflict:
            await self._accept(conflicting(entry, self.hosts))
            return
        if process := entry.failed_process:
            signal = retrying(process, attempt=entry.attempt + 1)
            await self.signals.append(as_delivery(signal, at=SystemClock().now()))
            return
        await self.writer.write(self.topics.signals, again(letter))

    async def forget(self, entry: Entry) -> None:
        """Off the shelf, where a broker that forgets is given it again otherwise."""
        await self.writer.remove(name_of_letter(self.topics.dead, entry.id))

    async def _accept(self, delivery: Delivery) -> None:
        position = await self.deliveries.append(delivery)
        if position is not None:
            await self.claims.produced(delivery.key, position, digest=delivery.digest)

    async def _letter(self, record: Record) -> DeadLetter:
        try:
            return await self.codec.decode(record)
        except PoisonRecord as poison:
            return DeadLetter(
                reason=UNREADABLE,
                detail=str(poison),
                key=record.key,
                body=record.value,
                headers=texts(record.headers),
                origin=record.position,
            )


def conflicting(entry: Entry, hosts: tuple[str, ...] = (GITHUB_COM,)) -> Delivery:
    """The delivery of a request whose id was taken, under an id of its own.

    Its signature was checked when it came, and is not kept.  Raises `NotDrivable`.
    """
    from reactor.github.dialect import GitHubDialect  # `status` would pay for it, too

    letter = entry.letter
    dialect = GitHubDialect(dict.fromkeys(hosts, ()), allow_unsigned=True)
    try:
        envelope = dialect.check(letter.headers)
        own_id = f"{envelope.id[:_GUID_UP_TO]}-c{digest(letter.body)[:8]}"
        return replace(envelope, id=own_id).open(letter.body, received_at=entry.at)
    except Refused as refused:
        raise NotDrivable(entry.id, str(refused)) from None


@dataclass(frozen=True, slots=True, kw_only=True)
class DeadParts:
    """A desk for dead letters, and what reads the original bytes."""

    desk: DeadDesk
    packing: Packing  # of the original records

    async def original(self, letter: DeadLetter) -> bytes:
        """The body as it was sent; as it lies, where that can't be made of it any more."""
        if letter.reason in ("conflict", UNREADABLE):
            return letter.body
        try:
            return await self.packing.unpack(letter.body, letter.headers)
        except PoisonRecord:
            return letter.body


@asynccontextmanager
async def open_dead(settings: Settings) -> AsyncIterator[DeadParts]:
    """Connected for as long as the context lasts.  Raises `NoServer`."""
    async with redis_parts(settings) as redis:
        # a repeat does no harm here, so nothing is asked for that the embedded broker lacks
        writer = KafkaWriter(bootstrap_of(settings), timeout_s=_WRITE_S, idempotent=False)
        try:
            yield _parts(settings, redis, writer)
        finally:
            await writer.stop()


def _parts(settings: Settings, redis: RedisParts, writer: KafkaWriter) -> DeadParts:
    topics, bodies = Topics(settings.kafka.prefix), large_bodies(settings, redis)
    codec, keeping = delivery_codec(bodies), keeping_writer(settings, writer, bodies.shelf)
    letters = KafkaLetters(
        bootstrap=bootstrap_of(settings),
        topics=topics,
        codec=LetterCodec(Packing(bodies.dead)),
        writer=keeping,
        deliveries=KafkaDeliveryLog(keeping, codec, topic=topics.deliveries),
        signals=KafkaDeliveryLog(keeping, codec, topic=topics.signals),
        claims=redis.claims,
        hosts=settings.github.host_names,
    )
    handlings = RedisHandlings(redis.client, prefix=redis.prefix)
    desk = DeadDesk(letters=letters, handlings=handlings)
    return DeadParts(desk=desk, packing=Packing(bodies.deliveries))
