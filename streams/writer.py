"""Writing records: one producer, begun when the broker is there, replaced when it is beyond use.

A record counts as written when every in-sync replica has it (acks=all).  No call waits longer
than it was told to; a call that gave up may have written its record all the same, so readers must
bear a record that comes twice.
"""

import asyncio
from collections.abc import Sequence
from contextlib import suppress
from contextvars import Context
from itertools import chain

import structlog
from aiokafka import AIOKafkaProducer
from aiokafka.errors import (
    ClusterAuthorizationFailedError,
    KafkaError,
    MessageSizeTooLargeError,
    ProducerClosed,
    RecordListTooLargeError,
    UnknownError,
    UnsupportedVersionError,
)
from aiokafka.structs import RecordMetadata
from tenacity import AsyncRetrying, RetryCallState, retry_if_exception_type, wait_exponential

from reactor.errors import InfrastructureError
from reactor.topic import Position
from streams.broker import Broker
from streams.record import Outgoing, RecordTooLarge
from streams.starting import start_client
from streams.trouble import as_infrastructure

_BATCH_BYTES = 262_144  # aiokafka's 16 kB would send every webhook in a request of its own
_REQUEST_BYTES = 1_048_576  # what Apache Kafka takes by default
_REQUEST_TIMEOUT_MS = 10_000
_STOP_S = 3.0
_LONGEST_WAIT_S = 2.0  # between tries to connect
_TOO_LARGE = (MessageSizeTooLargeError, RecordListTooLargeError)
_NOT_IDEMPOTENT = (UnknownError, UnsupportedVersionError, ClusterAuthorizationFailedError)


class KafkaWriter:
    """Writes records to topics.  Connects when it is first used, or by `start`."""

    def __init__(
        self,
        bootstrap: Broker | str,
        *,
        client_id: str = "reactor",
        timeout_s: float = 3.0,
        compression: str | None = "zstd",
        idempotent: bool = True,
    ) -> None:
        """`idempotent`: ask for it; False where the broker is known not to have it."""
        self._broker, self._client_id = Broker.at(bootstrap), client_id
        self._timeout_s, self._compression = timeout_s, compression
        self._is_idempotent = idempotent  # until a broker says that it can't
        self._is_stopped = False
        self._connecting: asyncio.Task[AIOKafkaProducer] | None = None
        self._log = structlog.get_logger("streams.writer")

    async def start(self) -> None:
        """Begin to connect, and go on trying until `stop`; does not wait for the broker."""
        self._connection()

    async def stop(self) -> None:
        """Send what is under way, within 3 s, and disconnect."""
        self._is_stopped = True
        connecting, self._connecting = self._connecting, None
        if connecting is None:
            return
        connecting.cancel()
        with suppress(asyncio.CancelledError):
            await _stop(await connecting)

    async def is_ready(self, within_s: float = 1.0) -> bool:
        """Whether the broker answers now."""
        try:
            async with asyncio.timeout(within_s):
                producer = await self._connected()
                await producer.client.fetch_all_metadata()
        except (InfrastructureError, KafkaError, OSError, TimeoutError):
            return False
        return True

    async def write(self, topic: str, *records: Outgoing) -> list[Position]:
        """Return when all records are durable; those of equal keys lie in the order given.

        Raises `InfrastructureError` when that takes too long, `RecordTooLarge`.  Some may have
        been written then.
        """
        with as_infrastructure(f"writing to {topic}"):
            async with asyncio.timeout(self._timeout_s):
                producer = await self._connected()
                try:
                    return await _write(producer, topic, records)
                except KafkaError as error:
                    self._note(producer, error)
                    raise

    def _connection(self) -> asyncio.Task[AIOKafkaProducer]:
        if self._is_stopped:
            raise InfrastructureError("kafka", "this writer is stopped")
        if self._connecting is None:
            self._connecting = asyncio.create_task(self._connect())  # owned: ended by `stop`
        return self._connecting

    async def _connected(self) -> AIOKafkaProducer:
        return await asyncio.shield(self._connection())

    async def _connect(self, instead_of: AIOKafkaProducer | None = None) -> AIOKafkaProducer:
        if instead_of:
            await _stop(instead_of)
        retrying = AsyncRetrying(
            retry=retry_if_exception_type((KafkaError, OSError, TimeoutError)),
            wait=wait_exponential(multiplier=0.05, max=_LONGEST_WAIT_S),
            before_sleep=self._log_retry,
        )
        return await retrying(self._open)

    async def _open(self) -> AIOKafkaProducer:
        producer = AIOKafkaProducer(
            **self._broker.client_options(),
            client_id=self._client_id,
            acks="all",
            enable_idempotence=self._is_idempotent,
            compression_type=self._compression,
            max_batch_size=_BATCH_BYTES,
            max_request_size=_REQUEST_BYTES,
            request_timeout_ms=_REQUEST_TIMEOUT_MS,
        )
        try:
            async with asyncio.timeout(_REQUEST_TIMEOUT_MS / 1000):
                await start_client(producer)
        except BaseException as error:
            await _stop(producer)
            if self._is_idempotent and isinstance(error, _NOT_IDEMPOTENT):
                self._is_idempotent = False
                return await self._open()
            raise
        return producer

    def _note(self, producer: AIOKafkaProducer, error: KafkaError) -> None:
        """Replace a producer that will never write again."""
        connecting = self._connecting
        is_ours = connecting and connecting.done() and connecting.result() is producer
        if is_ours and not (error.retriable or isinstance(error, _TOO_LARGE)):
            self._log.warning("producer_replaced", error=repr(error))
            # on behalf of nobody: the record that met it is only the first of many
            renewal = self._connect(instead_of=producer)
            self._connecting = asyncio.create_task(renewal, context=Context())

    def _log_retry(self, state: RetryCallState) -> None:
        error = state.outcome.exception() if state.outcome else None
        self._log.warning("broker_away", attempt=state.attempt_number, error=repr(error))


async def _write(
    producer: AIOKafkaProducer, topic: str, records: Sequence[Outgoing]
) -> list[Position]:
    acks = []
    try:
        for record in records:  # one after the other: this is the order of equal keys
            ack = await producer.send(
                topic, record.value, key=record.key, headers=list(record.headers)
            )
            acks.append(ack)
    except _TOO_LARGE:
        await asyncio.gather(*acks, return_exceptions=True)
        raise RecordTooLarge(topic, len(record.value)) from None
    except BaseException:
        for ack in acks:  # nobody waits for them any more: what comes of them is no news
            ack.cancel()
        raise
    results = await asyncio.gather(*acks, return_exceptions=True)
    return [
        _position(topic, record, result) for record, result in zip(records, results, strict=True)
    ]


def _position(topic: str, record: Outgoing, result: RecordMetadata | BaseException) -> Position:
    if isinstance(result, _TOO_LARGE):
        raise RecordTooLarge(topic, len(record.value))
    if isinstance(result, BaseException):
        raise result
    return Position(result.topic, result.partition, result.offset)


async def _stop(producer: AIOKafkaProducer) -> None:
    with suppress(KafkaError, TimeoutError):
        async with asyncio.timeout(_STOP_S):
            await producer.stop()
            return
    # The broker is away, so that nothing under way will ever be sent: let go of it.  aiokafka
    # offers no way to, and would leave tasks behind that wait for ever.
    with suppress(KafkaError, TimeoutError):
        async with asyncio.timeout(_STOP_S):
            await producer._sender.close()
    _fail_all(producer)
    with suppress(KafkaError, TimeoutError):
        async with asyncio.timeout(_STOP_S):
            await producer.client.close()


def _fail_all(producer: AIOKafkaProducer) -> None:
    """End what waits to be sent, so that whoever waits for it goes on."""
    waiting = producer._message_accumulator
    batches = [*chain.from_iterable(waiting._batches.values()), *waiting._pending_batches]
    waiting.fail_all(ProducerClosed())
    for batch in batches:
        if batch._drain_waiter.done():  # mostly nobody waits for that: it would be a warning
            batch._drain_waiter.exception()
