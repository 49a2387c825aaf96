"""The pump: settles records in order per key, side by side across keys, and loses none.

At least once.  A record counts as settled when its handler returned, or when it is durably on
the dead-letter topic; `settled()` never goes over one that is not.  What the handler raises
decides:

- `InfrastructureError`: a server is away.  Tried again in place, with back-off, without end; the
  window fills up behind it and nothing more is read.  Nothing is given up.
- `PoisonRecord`: given up at once.
- anything else: tried `Patience.attempts` times, then given up.

Giving up is `on_poison`, which must put the record somewhere durable.  When it raises, it is
tried again with back-off, without end.

Takes records from any client (Faust's agent, a plain consumer, a test); knows neither.
"""

import asyncio
from collections.abc import Awaitable, Callable, Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime
from functools import partial

import structlog

from reactor.errors import InfrastructureError
from reactor.log_context import bound
from reactor.topic import GivenUp
from streams import progress
from streams.record import Record, told_of
from streams.window import Limits, Partition, Slot, Window

Settle = Callable[[Record], Awaitable[object]]
GiveUp = Callable[[Record, BaseException, int], Awaitable[object]]  # record, why, attempts

_CANCEL_S = 1.0  # how long a cancelled handler may take to end before it is left alone


@dataclass(frozen=True, slots=True, kw_only=True)
class Patience:
    """When a record is tried again; the wait doubles after each failure."""

    attempts: int = 3  # of a handler that raises what nobody expected; the first included
    first_wait_s: float = 0.05
    longest_wait_s: float = 2.0  # so that work goes on soon after a server is back

    def waits_s(self) -> Iterator[float]:
        """The waits between tries, without end."""
        wait_s = self.first_wait_s
        while True:
            yield wait_s
            wait_s = min(wait_s * 2, self.longest_wait_s)


@dataclass(frozen=True, slots=True, kw_only=True)
class PumpState:
    """What the pump is doing, for health and metrics."""

    running: int
    held: int
    parked: int
    unsettled: int
    waiting_out: int  # running records that wait for a server to come back
    settled: int  # since the start
    given_up: int  # of these
    steps: int  # grows whenever anything goes on
    oldest_try_s: float  # how long the slowest running try has not got on; 0 without one
    oldest_at: datetime | None = None  # when the oldest open record was written; None without one


class OrderedPump:
    """Runs the handler over records; see above."""

    def __init__(
        self,
        settle: Settle,
        *,
        on_poison: GiveUp,
        limits: Limits | None = None,
        patience: Patience | None = None,
    ) -> None:
        self._settle, self._on_poison = settle, on_poison
        self._patience = patience or Patience()
        self._window: Window[Record] = Window(limits or Limits())
        self._tasks: dict[Slot[Record], asyncio.Task[None]] = {}
        self._tries: dict[Slot[Record], float] = {}  # when the present try began, or last got on
        self._waiting_out: set[Slot[Record]] = set()
        self._changed = asyncio.Event()
        self._releases = 0  # a record that waits for room over one of these is stale
        self._releasing: frozenset[Partition] = frozenset()
        self._is_ending = False
        self._settled_count = self._given_up_count = self._steps = 0
        self._log = structlog.get_logger("streams.pump")
        self._error: BaseException | None = None  # a fault of our own
        self._failing = asyncio.Event()

    async def admit(self, record: Record) -> bool:
        """Take a record in hand; waits while there is no room.

        False, and the record is passed over, when its partition is being released (whoever has
        it next reads the record again) or when it is in hand already.
        """
        partition = Partition(record.position.topic, record.position.partition)
        releases = self._releases
        while not self._window.fits(partition, record.key, record.size):
            await self.changed()
        if releases != self._releases or partition in self._releasing:
            return False
        admitted = self._window.admit(
            record,
            partition=partition,
            offset=record.position.offset,
            key=record.key,
            size=record.size,
        )
        self._step()
        return admitted

    def settled(self) -> dict[Partition, int]:
        """The offsets to commit, per partition."""
        return self._window.settled()

    def next_offset(self, partition: Partition) -> int | None:
        """The offset after the last record admitted; None before the first."""
        return self._window.next_offset(partition)

    def state(self) -> PumpState:
        """What the pump is doing now."""
        now = asyncio.get_running_loop().time()
        return PumpState(
            running=self._window.running,
            held=self._window.held,
            parked=self._window.parked,
            unsettled=self._window.unsettled(),
            waiting_out=len(self._waiting_out),
            settled=self._settled_count,
            given_up=self._given_up_count,
            steps=self._steps,
            oldest_try_s=now - min(self._tries.values(), default=now),
            oldest_at=min((r.written_at for r in self._window.first_open()), default=None),
        )

    async def failed(self) -> None:
        """Never returns; raises what went wrong in the pump itself, over which it can't go on."""
        await self._failing.wait()
        raise self._error or AssertionError

    async def changed(self) -> None:
        """Return when something went on."""
        self._changed.clear()
        await self._changed.wait()

    def end(self) -> None:
        """Begin nothing more; what runs goes on.  Release the partitions next."""
        self._is_ending = True

    async def release(
        self, partitions: Iterable[Partition], *, drain_s: float
    ) -> dict[Partition, int]:
        """Hand partitions back: returns the offsets to commit for them.

        Nothing more of them is admitted or begun; what runs may finish within `drain_s`, and is
        cancelled then.  What was not settled is read again by whoever has the partition next.
        """
        partitions = frozenset(partitions)
        self._releases += 1
        self._releasing = partitions
        running = self._window.forget(partitions)
        self._step()  # a record that waits for room may look again, and find that it is stale
        for slot in self._waiting_out.intersection(running):
            self._tasks[slot].cancel()  # it would only wait
        await self._drain([self._tasks[slot] for slot in running], drain_s)
        self._releasing = frozenset()
        if held_back := self._window.held_back(partitions):
            self._log.info("guard_caught", guard="order", records=held_back)
        return self._window.leave(partitions)

    async def _drain(self, tasks: list[asyncio.Task[None]], drain_s: float) -> None:
        if not tasks:
            return
        _, late = await asyncio.wait(tasks, timeout=drain_s)
        for task in late:
            task.cancel()
        if late:
            self._log.warning("records_abandoned", count=len(late))
            await asyncio.wait(late, timeout=_CANCEL_S)

    def _step(self) -> None:
        """Begin what may begin, and let whoever waits look again."""
        self._steps += 1
        while not self._is_ending and (slot := self._window.take()):
            task = asyncio.create_task(self._run(slot))  # owned: ended by `release`
            self._tasks[slot] = task
            task.add_done_callback(partial(self._ended, slot))
        self._changed.set()

    def _ended(self, slot: Slot[Record], task: asyncio.Task[None]) -> None:
        del self._tasks[slot]
        self._tries.pop(slot, None)
        error = None if task.cancelled() else task.exception()
        if task.cancelled() or error:
            self._window.abandon(slot)
        else:
            self._window.settle(slot)
            self._settled_count += 1
        if error:
            self._error = error
            self._failing.set()
        self._step()

    async def _run(self, slot: Slot[Record]) -> None:
        record = slot.record
        if record is None:
            raise ValueError(f"nothing to run at {slot.partition}@{slot.offset}")
        progress.listen(partial(self._got_on, slot))
        with bound(**told_of(record)):
            await self._settle_or_give_up(slot, record)

    async def _settle_or_give_up(self, slot: Slot[Record], record: Record) -> None:
        refusal = await self._try(slot, record)
        if refusal is None:
            return
        error, attempts = refusal
        self._log.error(
            "record_given_up", position=str(record.position), attempts=attempts, error=repr(error)
        )
        await self._give_up(slot, record, error, attempts)
        self._given_up_count += 1

    async def _try(self, slot: Slot[Record], record: Record) -> tuple[BaseException, int] | None:
        """Settle the record.  Returns the error and the attempts where it must be given up."""
        attempts, waits_s = 0, self._patience.waits_s()
        while error := await self._outcome(slot, self._settle(record)):
            if not is_infrastructure(error):
                attempts += 1
                if isinstance(error, GivenUp) or attempts >= self._patience.attempts:
                    return error, attempts
            await self._wait_out(slot, next(waits_s), error)
        return None

    async def _give_up(
        self, slot: Slot[Record], record: Record, error: BaseException, attempts: int
    ) -> None:
        waits_s = self._patience.waits_s()
        while trouble := await self._outcome(slot, self._on_poison(record, error, attempts)):
            await self._wait_out(slot, next(waits_s), trouble)

    async def _outcome(self, slot: Slot[Record], work: Awaitable[object]) -> BaseException | None:
        """What the handler raised, whatever it is; our own cancellation passes."""
        self._tries[slot] = asyncio.get_running_loop().time()
        try:
            await work
        except asyncio.CancelledError as error:
            task = asyncio.current_task()
            if task is not None and task.cancelling():
                raise
            return error  # the handler's own: something inside it was cancelled
        except (KeyboardInterrupt, SystemExit):
            raise
        except BaseException as error:  # noqa: BLE001  # a panic of an extension is none of Exception
            return error
        return None

    def _got_on(self, slot: Slot[Record]) -> None:
        if slot in self._tries:  # not when it is told by something that a try left behind
            self._tries[slot] = asyncio.get_running_loop().time()

    async def _wait_out(self, slot: Slot[Record], wait_s: float, error: BaseException) -> None:
        if slot.is_last_try:
            raise asyncio.CancelledError  # its partition goes away: the next owner tries again
        self._steps += 1
        self._tries.pop(slot, None)
        self._waiting_out.add(slot)
        self._log.warning("record_tried_again", offset=slot.offset, in_s=wait_s, error=repr(error))
        try:
            await asyncio.sleep(wait_s)
        finally:
            self._waiting_out.discard(slot)


def is_infrastructure(error: BaseException) -> bool:
    """Whether the error, or every error of a group, says that a server is away."""
    if isinstance(error, BaseExceptionGroup):
        return all(is_infrastructure(each) for each in error.exceptions)
    return isinstance(error, InfrastructureError)
