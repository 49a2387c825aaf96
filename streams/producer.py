"""The three logs that the rest of Reactor writes to, over Kafka: see the ports in `reactor.topic`.

Each encodes with its codec and writes through one shared writer, a `KafkaWriter` in the end, which
has the patience.
"""

from collections.abc import Sequence

from reactor.delivery import Delivery
from reactor.journal import JournalRecord
from reactor.topic import DeadLetter, Position
from streams.codec import DeliveryCodec
from streams.journal import JournalCodec
from streams.keeping import Writer
from streams.letters import LetterCodec


class KafkaDeliveryLog:
    """A `DeliveryLog`: the deliveries topic, or the signals topic."""

    def __init__(self, writer: Writer, codec: DeliveryCodec, *, topic: str) -> None:
        self._writer, self._codec, self._topic = writer, codec, topic

    async def append(self, delivery: Delivery) -> Position:
        """Write a delivery durably.

        Raises `InfrastructureError` (broker, body store), `NoBodyStore`, `RecordTooLarge`.
        """
        record = await self._codec.encode(delivery)
        return (await self._writer.write(self._topic, record))[0]


class KafkaDeadLetters:
    """The `DeadLetters` of a topic."""

    def __init__(self, writer: Writer, codec: LetterCodec, *, topic: str) -> None:
        self._writer, self._codec, self._topic = writer, codec, topic

    async def bury(self, letter: DeadLetter) -> Position:
        """Write a letter durably.  Raises as `KafkaDeliveryLog.append` does."""
        record = await self._codec.encode(letter)
        return (await self._writer.write(self._topic, record))[0]


class KafkaJournalLog:
    """The `JournalLog` of a topic."""

    def __init__(self, writer: Writer, codec: JournalCodec, *, topic: str) -> None:
        self._writer, self._codec, self._topic = writer, codec, topic

    async def publish(self, records: Sequence[JournalRecord]) -> None:
        """Write records durably, in order.  Raises as `KafkaDeliveryLog.append` does."""
        await self._writer.write(self._topic, *await self._codec.encode(records))
