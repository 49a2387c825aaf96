"""The logs that the contract suite runs over, each with a way to read back what is on them."""

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Protocol

from reactor.adapters.file_spool import MIB, open_spool
from reactor.adapters.memory import MemoryDeadLetters, MemoryDeliveryLog, MemoryJournalLog
from reactor.adapters.memory_bodies import MemoryBodies
from reactor.adapters.memory_shelf import MemoryShelf
from reactor.dead import letter_id
from reactor.delivery import Delivery
from reactor.journal import JournalRecord
from reactor.payload import parse
from reactor.topic import DeadLetter, DeadLetters, DeliveryLog, JournalLog, Position, Topics
from streams.codec import DeliveryCodec
from streams.journal import JournalCodec
from streams.keeping import KeepingDeadLetters, KeepingWriter
from streams.letters import LetterCodec
from streams.packing import Packing
from streams.producer import KafkaDeadLetters, KafkaDeliveryLog, KafkaJournalLog
from streams.reader import open_reader
from streams.spooling import Spooling, spool_codec
from streams.topics import TopicSpec, ensure_topics
from streams.writer import KafkaWriter


class Logs(Protocol):
    """The three logs, and what a reader finds on them."""

    @property
    def topics(self) -> Topics: ...

    @property
    def deliveries(self) -> DeliveryLog: ...

    @property
    def letters(self) -> DeadLetters: ...

    @property
    def journal(self) -> JournalLog: ...

    async def read_deliveries(self) -> Sequence[Delivery]: ...

    async def read_letters(self) -> Sequence[DeadLetter]: ...

    async def read_journal(self) -> Sequence[JournalRecord]:
        """Each (process, seq) once, as every reader of the journal does."""
        ...


class MemoryLogs:
    def __init__(self) -> None:
        self.topics = Topics()
        self.deliveries = MemoryDeliveryLog(self.topics)
        self.letters = MemoryDeadLetters(self.topics)
        self.journal = MemoryJournalLog()

    async def read_deliveries(self) -> Sequence[Delivery]:
        return self.deliveries.deliveries

    async def read_letters(self) -> Sequence[DeadLetter]:
        return self.letters.letters

    async def read_journal(self) -> Sequence[JournalRecord]:
        return self.journal.records


@dataclass
class KafkaLogs:
    bootstrap: str
    topics: Topics
    codec: DeliveryCodec
    letter_codec: LetterCodec
    journal_codec: JournalCodec
    deliveries: DeliveryLog
    letters: DeadLetters
    journal: JournalLog

    async def read_deliveries(self) -> Sequence[Delivery]:
        async with open_reader(self.bootstrap) as reader:
            records = await reader.read_all(self.topics.deliveries)
        return [await self.codec.decode(record) for record in records]

    async def read_letters(self) -> Sequence[DeadLetter]:
        async with open_reader(self.bootstrap) as reader:
            records = await reader.read_all(self.topics.dead)
        return [await self.letter_codec.decode(record) for record in records]

    async def read_journal(self) -> Sequence[JournalRecord]:
        async with open_reader(self.bootstrap) as reader:
            found = await reader.read_all(self.topics.journal)
        records = [each for record in found for each in await self.journal_codec.decode(record)]
        return list({(each.process_id, each.seq): each for each in records}.values())


@asynccontextmanager
async def kafka_logs(bootstrap: str, prefix: str) -> AsyncIterator[KafkaLogs]:
    """Topics of one partition each, under the prefix, for one test."""
    topics = Topics(prefix)
    names = (topics.deliveries, topics.dead, topics.journal)
    await ensure_topics(bootstrap, [TopicSpec(name=name, partitions=1) for name in names])
    packing = Packing(MemoryBodies())
    codec, letters = DeliveryCodec(parse=parse, packing=packing), LetterCodec(packing)
    journal, writer = JournalCodec(packing), KafkaWriter(bootstrap, timeout_s=15)
    yield KafkaLogs(
        bootstrap=bootstrap,
        topics=topics,
        codec=codec,
        letter_codec=letters,
        journal_codec=journal,
        deliveries=KafkaDeliveryLog(writer, codec, topic=topics.deliveries),
        letters=KafkaDeadLetters(writer, letters, topic=topics.dead),
        journal=KafkaJournalLog(writer, journal, topic=topics.journal),
    )
    await writer.stop()


@asynccontextmanager
async def layered_logs(bootstrap: str, prefix: str, folder: Path) -> AsyncIterator[KafkaLogs]:
    """The same under all that a gateway of the embedded default has in front of it."""

    async def yes() -> bool:
        return True

    async def told(_delivery: Delivery, _position: Position) -> None:
        return

    writer = KafkaWriter(bootstrap, timeout_s=15)
    keeping = KeepingWriter(writer, MemoryShelf(), forgets=yes)
    async with kafka_logs(bootstrap, prefix) as bare, open_spool(folder, size_up_to=MIB) as spool:
        topics, letters = bare.topics, bare.letter_codec
        inner = KafkaDeliveryLog(keeping, bare.codec, topic=topics.deliveries)
        spooling = Spooling(spool, spool_codec(parse), told=told, answers=yes)
        yield replace(
            bare,
            deliveries=spooling.before(inner, name="deliveries"),
            letters=KeepingDeadLetters(keeping, letters, topic=topics.dead, letter_id=letter_id),
        )
    await writer.stop()
