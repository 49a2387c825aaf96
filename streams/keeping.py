"""Keeping records beside a broker that forgets: on a shelf, for as long as anybody needs them.

    put on the shelf -> written to the broker -> read, settled -> taken off the shelf

What is on the shelf when the embedded broker starts is written to it again (`put_back`), so a
kill -9 of everything loses nothing that was accepted.  Apache Kafka keeps its records itself, and
needs none of this.
"""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from typing import Protocol

import structlog

from reactor.delivery import Delivery
from reactor.topic import DeadLetter, Position
from streams.frames import BadFrame, Frame, name_of, name_of_delivery, pack, unpack
from streams.letters import LetterCodec
from streams.record import Outgoing, raw

_WRITTEN_AT_ONCE = 64  # records that are put back with one wait


class Writer(Protocol):
    """What `KafkaWriter` is to those who write records."""

    async def write(self, topic: str, *records: Outgoing) -> list[Position]:
        """Return when all are durable, as far as the broker goes.

        Raises `InfrastructureError`, `RecordTooLarge`.
        """
        ...


class Shelf(Protocol):
    """Items by name, in the order in which they came.  May raise `InfrastructureError`."""

    async def put(self, name: str, item: bytes) -> None:
        """Return once it is durable; one of that name that is there already stays instead."""
        ...

    async def remove(self, *names: str) -> None:
        """Forget items, where they are there."""
        ...

    def items(self) -> AsyncIterator[bytes]:
        """All of them, oldest first; few at a time are held in memory."""
        ...


class KeepingWriter:
    """A writer whose records are on the shelf before they are written.

    A write that fails leaves its record there: it may have come through, and if not, it comes
    through when the broker starts again.
    """

    def __init__(
        self, writer: Writer, shelf: Shelf, *, forgets: Callable[[], Awaitable[bool]]
    ) -> None:
        """`forgets` tells whether this broker is one that does; asked when first needed."""
        self._writer, self._shelf = writer, shelf
        self._ask = forgets
        self._forgets: bool | None = None

    async def write(self, topic: str, *records: Outgoing) -> list[Position]:
        """See `Writer.write`."""
        if await self.is_needed():
            for record in records:
                await self._shelf.put(name_of(topic, record), pack(Frame(topic, record)))
        return await self._writer.write(topic, *records)

    async def write_as(self, name: str, topic: str, record: Outgoing) -> Position:
        """The same with one record, under a name of its own."""
        if await self.is_needed():
            await self._shelf.put(name, pack(Frame(topic, record)))
        return (await self._writer.write(topic, record))[0]

    async def remove(self, *names: str) -> None:
        """Nobody needs these any more."""
        if await self.is_needed():
            await self._shelf.remove(*names)

    async def settled(self, delivery: Delivery, position: Position) -> None:
        """Nobody needs what was read there any more."""
        await self.remove(name_of_delivery(position.topic, delivery))

    async def is_needed(self) -> bool:
        """Whether this broker is one that forgets.  Raises `InfrastructureError`."""
        if self._forgets is None:
            self._forgets = await self._ask()
        return self._forgets


class KeepingDeadLetters:
    """The `DeadLetters` of a topic; they stay on the shelf until somebody has seen to them."""

    def __init__(
        self,
        writer: KeepingWriter,
        codec: LetterCodec,
        *,
        topic: str,
        letter_id: Callable[[DeadLetter], str],
    ) -> None:
        self._writer, self._codec, self._topic = writer, codec, topic
        self._letter_id = letter_id

    async def bury(self, letter: DeadLetter) -> Position:
        """Write a letter durably, and take its original off the shelf after that.

        Raises as `KafkaDeliveryLog.append` does.
        """
        record = await self._codec.encode(letter)
        name = name_of_letter(self._topic, self._letter_id(letter))
        position = await self._writer.write_as(name, self._topic, record)
        if letter.origin:
            original = Outgoing(key=letter.key, value=letter.body, headers=raw(letter.headers))
            await self._writer.remove(name_of(letter.origin.topic, original))
        return position


def name_of_letter(topic: str, letter_id: str) -> str:
    """What a dead letter is called on the shelf."""
    return f"{topic}|{letter_id}"


Told = Callable[[Outgoing, Position], Awaitable[None]]


async def put_back(shelf: Shelf, writer: Writer, *, told: Told) -> int:
    """Write everything on the shelf to a broker that has just begun; how many that were.

    In order for each key.  `told` hears where each came to lie.  Raises `InfrastructureError`;
    some of it has been written then, and a repeat writes it again, which does no harm.
    """
    log = structlog.get_logger("streams.keeping")
    count, unreadable = 0, list[str]()
    batch: list[Frame] = []
    async for item in shelf.items():
        try:
            batch.append(unpack(item))
        except BadFrame as error:  # stays where it is, for the version that can read it
            unreadable.append(str(error))
            continue
        if len(batch) == _WRITTEN_AT_ONCE:
            await _write(batch, writer, told)
            count, batch = count + len(batch), []
    await _write(batch, writer, told)
    if unreadable:
        log.error("shelf_items_unreadable", items=len(unreadable), first=unreadable[0])
    return count + len(batch)


async def _write(batch: list[Frame], writer: Writer, told: Told) -> None:
    by_topic: dict[str, list[Outgoing]] = {}
    for frame in batch:
        by_topic.setdefault(frame.topic, []).append(frame.record)

    async def write(topic: str, records: list[Outgoing]) -> None:
        for record, position in zip(records, await writer.write(topic, *records), strict=True):
            await told(record, position)

    await asyncio.gather(*(write(topic, records) for topic, records in by_topic.items()))
