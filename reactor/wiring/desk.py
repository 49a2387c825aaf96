"""The desk for answers, approvals and other signals, put together for a command that is run once."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass

from reactor.adapters.clock import SystemClock
from reactor.adapters.redis_boards import RedisBoards
from reactor.adapters.redis_ledger import RedisLedger
from reactor.answering import AnswerDesk, UnknownForm
from reactor.approvals import Approvals
from reactor.catalog import TypeCatalog
from reactor.codec import Codec
from reactor.github.effects import EFFECT_TYPES
from reactor.ledger import Fate, Held
from reactor.runner import NoSuchProcess
from reactor.settings import Settings
from reactor.signal import Signal, as_delivery
from reactor.status import ProcessHead
from reactor.topic import Position, Topics
from reactor.waiting import process_of
from reactor.wiring.kafka import bootstrap_of, delivery_codec, keeping_writer, large_bodies
from reactor.wiring.redis import redis_parts
from streams.producer import KafkaDeliveryLog
from streams.writer import KafkaWriter

_WRITE_S = 10.0  # for a connection of its own, and one record
_LOOK_EVERY_S = 0.1


@dataclass(frozen=True, slots=True, kw_only=True)
class Desk:
    """Takes answers, approvals and signals; needs the broker for these alone, and no component."""

    answers: AnswerDesk
    approvals: Approvals

    async def tell(self, signal: Signal) -> Position | None:
        """Return once the signal is durable.  Raises `NoSuchProcess`."""
        await self.head(signal.process_id)
        delivery = as_delivery(signal, at=self.answers.clock.now())
        return await self.answers.signals.append(delivery)

    async def heard(self, form_id: str, *, within_s: float) -> ProcessHead | None:
        """The process once it has let an answer in; None where that takes longer."""
        try:
            async with asyncio.timeout(within_s):
                while await self._is_open(form_id):  # noqa: ASYNC110 - another process closes it
                    await asyncio.sleep(_LOOK_EVERY_S)
        except TimeoutError:
            return None
        return await self.head(process_of(form_id))

    async def ruled(self, held: Held, *, within_s: float) -> Fate | None:
        """The effect once a worker has read the ruling on it; None where that takes longer."""
        record = held.intent.record
        try:
            async with asyncio.timeout(within_s):
                while True:
                    fates = await self.approvals.ledger.fates(record.subject, [record.key])
                    fate = fates.get(record.key)
                    if fate is not None and fate.ruled_at is not None:
                        return fate
                    await asyncio.sleep(_LOOK_EVERY_S)
        except TimeoutError:
            return None

    async def head(self, process_id: str) -> ProcessHead:
        """Where a process stands.  Raises `NoSuchProcess`."""
        stored = await self.answers.boards.read(process_id)
        if stored is None:
            raise NoSuchProcess(process_id)
        return stored.head

    async def _is_open(self, form_id: str) -> bool:
        try:
            await self.answers.form(form_id)
        except UnknownForm:
            return False
        return True


@asynccontextmanager
async def open_desk(settings: Settings) -> AsyncIterator[Desk]:
    """Connected for as long as the context lasts.  Raises `NoServer`."""
    async with redis_parts(settings) as redis:
        clock = SystemClock()
        writer = KafkaWriter(bootstrap_of(settings), timeout_s=_WRITE_S)
        large = large_bodies(settings, redis)
        codec, keeping = delivery_codec(large), keeping_writer(settings, writer, large.shelf)
        topic = Topics(settings.kafka.prefix).signals
        signals = KafkaDeliveryLog(keeping, codec, topic=topic)
        # effects of other kinds are shown as they are kept
        known = Codec(TypeCatalog(EFFECT_TYPES))
        try:
            yield Desk(
                answers=AnswerDesk(
                    boards=RedisBoards(
                        redis.client, Codec(TypeCatalog()), prefix=settings.redis.prefix
                    ),
                    signals=signals,
                    forms=redis.forms,
                    clock=clock,
                ),
                approvals=Approvals(
                    ledger=RedisLedger(redis.client, known, prefix=redis.prefix),
                    signals=signals,
                    clock=clock,
                ),
            )
        finally:
            await writer.stop()
