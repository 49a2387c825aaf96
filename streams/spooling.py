"""A spool in front of the broker: what it does not take now is kept, and produced when it does.

    append -> broker                 while nothing waits in the spool
    append -> spool -> (drained, in order) -> broker
                                     when the broker fails, and then until the spool is empty

So the records of a subject keep their order.  A delivery whose append timed out may be on its
topic twice: at once, and out of the spool.  Both are the same delivery, with the same processes.
"""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Protocol

import structlog
from tenacity import AsyncRetrying, RetryCallState, retry_if_exception_type, wait_exponential

from reactor.delivery import Delivery
from reactor.errors import InfrastructureError, ReactorError
from reactor.topic import DeliveryLog, Position
from streams.codec import DeliveryCodec, Parse
from streams.frames import Frame, pack, unpack
from streams.packing import Packing, Sizes
from streams.record import Record

Told = Callable[[Delivery, Position], Awaitable[None]]
"""Hears where a delivery came to lie; may raise `InfrastructureError`, which changes nothing."""

Answers = Callable[[], Awaitable[bool]]
"""Whether the broker is there: each record that is tried in vain may arrive all the same, later."""

_TOLD_EVERY = 1_000  # drained items between two lines in the log
_NEVER = datetime(1970, 1, 1, tzinfo=UTC)
_LONGEST_WAIT_S = 2.0  # between tries, so that work goes on soon after the broker is back


class Spool(Protocol):
    """Items in order, durable.  Every method may raise `InfrastructureError`."""

    @property
    def is_empty(self) -> bool:
        """Whether nothing waits, and nothing is on its way in."""
        ...

    async def append(self, item: bytes) -> None:
        """Return once it is durable.  `InfrastructureError` where it is full, too."""
        ...

    async def head(self) -> list[bytes]:
        """The first items, few enough to hold in memory; none only where none waits."""
        ...

    async def take(self, count: int) -> None:
        """Forget the first items."""
        ...

    async def set_aside(self, item: bytes) -> Path:
        """Keep an item that is of no use where a person finds it."""
        ...


@dataclass(slots=True)
class SpoolCounts:
    """What went through since the start."""

    spooled: int = 0
    drained: int = 0
    set_aside: int = 0


def spool_codec(parse: Parse) -> DeliveryCodec:
    """Keeps bodies of any size within the record: a body store may be away as well."""
    return DeliveryCodec(parse=parse, packing=Packing(None, Sizes(packed_up_to=2**31)))


class Spooling:
    """One spool in front of several logs, and the one task that drains it (`drain`)."""

    def __init__(self, spool: Spool, codec: DeliveryCodec, *, told: Told, answers: Answers) -> None:
        """`codec` must need no server (`spool_codec`)."""
        self._spool, self._codec = spool, codec
        self._told, self._answers = told, answers
        self._is_away = True  # the broker, as far as we know
        self._logs: dict[str, DeliveryLog] = {}
        self._filled = asyncio.Event()
        self.counts = SpoolCounts()
        self._log = structlog.get_logger("streams.spooling")

    def before(self, log: DeliveryLog, *, name: str) -> "SpoolingDeliveryLog":
        """`log`, behind the spool; `name` tells its items from those of others, for good."""
        self._logs[name] = log
        return SpoolingDeliveryLog(self, log, name=name)

    @property
    def is_empty(self) -> bool:
        """Whether what is appended now may go to the broker at once."""
        return self._spool.is_empty

    async def keep(self, name: str, delivery: Delivery, *, why: str) -> None:
        """Put a delivery behind what waits.  Raises `InfrastructureError`, then it is not kept."""
        if self._spool.is_empty:
            self._log.warning("spooling", why=why)
        item = pack(Frame(name, await self._codec.encode(delivery)))
        await self._spool.append(item)
        self.counts.spooled += 1
        self._filled.set()

    async def drain(self) -> None:
        """Produce what waits, in order per subject, until cancelled; the broker is waited for."""
        retrying = AsyncRetrying(
            retry=retry_if_exception_type(InfrastructureError),
            wait=wait_exponential(multiplier=0.05, max=_LONGEST_WAIT_S),
            before_sleep=self._log_retry,
        )
        while True:
            while not self._spool.is_empty:
                await retrying(self._drain_some)
            self._filled.clear()
            if self._spool.is_empty:
                await self._filled.wait()

    async def _drain_some(self) -> None:
        items = await self._spool.head()
        if not items:  # the first one is still being written
            await self._filled.wait()
            self._filled.clear()
            return
        if self._is_away and not await self._answers():
            raise InfrastructureError("kafka", "it does not answer")
        self._is_away = True  # unless this shows that it is there
        await self._drain_one(items[0])  # alone: should the broker be away, no more is sent
        self._is_away = False
        done = await self._drain_at_once(items[1:])
        await self._spool.take(1 + done)
        before, self.counts.drained = self.counts.drained, self.counts.drained + 1 + done
        is_over = self._spool.is_empty
        if is_over or before // _TOLD_EVERY != self.counts.drained // _TOLD_EVERY:
            self._log.info("spool_drained", is_empty=is_over, drained=self.counts.drained)

    async def _drain_at_once(self, items: Sequence[bytes]) -> int:
        """Subjects side by side; how many of the first are done without a gap.

        The others come again with the next portion, also those of them that were produced.
        """
        lanes: dict[tuple[str, bytes | None], list[int]] = {}
        for number, item in enumerate(items):
            lanes.setdefault(_lane(item), []).append(number)
        done: set[int] = set()

        async def one_after_the_other(numbers: Sequence[int]) -> None:
            with suppress(InfrastructureError):
                for number in numbers:
                    await self._drain_one(items[number])
                    done.add(number)

        async with asyncio.TaskGroup() as group:
            for numbers in lanes.values():
                group.create_task(one_after_the_other(numbers))
        return next((number for number in range(len(items)) if number not in done), len(items))

    async def _drain_one(self, item: bytes) -> None:
        try:
            frame = unpack(item)
            delivery = await self._codec.decode(_record(frame))
            position = await self._logs[frame.topic].append(delivery)
        except InfrastructureError:
            raise
        except Exception as error:  # noqa: BLE001 - whatever it is, those behind it must not wait
            await self._set_aside(item, error)
            return
        if position:
            with suppress(InfrastructureError):
                await self._told(delivery, position)

    async def _set_aside(self, item: bytes, error: Exception) -> None:
        said = str(error) if isinstance(error, ReactorError) else repr(error)
        file = await self._spool.set_aside(item)
        self.counts.set_aside += 1
        self._log.error("spooled_delivery_set_aside", file=str(file), error=said)

    def _log_retry(self, state: RetryCallState) -> None:
        error = state.outcome.exception() if state.outcome else None
        self._log.warning("spool_waits", attempt=state.attempt_number, error=str(error))


class SpoolingDeliveryLog:
    """A `DeliveryLog` behind a spool; made by `Spooling.before`."""

    def __init__(self, spooling: Spooling, inner: DeliveryLog, *, name: str) -> None:
        self._spooling, self._inner, self._name = spooling, inner, name

    async def append(self, delivery: Delivery) -> Position | None:
        """Write it to the broker, or keep it in the spool: None.

        Raises `InfrastructureError` where neither takes it, and what the inner log raises beside.
        """
        why = "others wait"
        if self._spooling.is_empty:
            try:
                return await self._inner.append(delivery)
            except InfrastructureError as error:
                why = str(error)
        await self._spooling.keep(self._name, delivery, why=why)
        return None


def _lane(item: bytes) -> tuple[str, bytes | None]:
    """What an item is kept in order with."""
    try:
        frame = unpack(item)
    except ReactorError:
        return "", None
    return frame.topic, frame.record.key


def _record(frame: Frame) -> Record:
    record = frame.record
    return Record(
        position=Position(frame.topic, 0, 0),  # it has none yet
        key=record.key,
        value=record.value,
        headers=record.headers,
        written_at=_NEVER,
    )
