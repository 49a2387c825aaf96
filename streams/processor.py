"""The processor: reads deliveries from topics, and has each settled by a handler, at least once.

    Faust app (`streams.host`) -> pump (`streams.ordered`) -> decode -> the handler

Offsets are committed as far as everything before them is settled: every half second, when
partitions are taken away, and at the end.
"""

import asyncio
from collections.abc import Awaitable, Callable, Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field

import structlog
from tenacity import AsyncRetrying, RetryCallState, retry_if_exception_type, wait_exponential

from reactor.delivery import Delivery
from reactor.errors import InfrastructureError
from reactor.topic import DeadLetters, Position
from streams.codec import DeliveryCodec
from streams.embedded import CLUSTER_ID
from streams.host import FaustHost, HostFailed, HostSettings
from streams.ordered import OrderedPump, Patience, PumpState
from streams.reader import open_reader
from streams.record import Record
from streams.refusal import letter_for
from streams.topics import cluster_id
from streams.trouble import as_infrastructure
from streams.watch import Stall, Watch
from streams.window import Limits, Partition

SettleDelivery = Callable[[Delivery, Position], Awaitable[object]]

# An app that has not joined within so many session time-outs is replaced.
_JOIN_SESSIONS = 8
_STOP_S = 5.0  # beyond the drain: how long Faust may take to stop


@dataclass(frozen=True, slots=True, kw_only=True)
class ProcessorSettings:
    """How a processor reads and works."""

    host: HostSettings
    limits: Limits = field(default_factory=Limits)
    patience: Patience = field(default_factory=Patience)
    stall: Stall = field(default_factory=Stall)
    drain_s: float = 5.0  # how long running records may finish when partitions are taken away
    commit_every_s: float = 0.5


@dataclass(frozen=True, slots=True, kw_only=True)
class Health:
    """How a processor is doing."""

    is_ready: bool  # it has joined the group, and nothing has failed
    partitions: int  # that are ours
    lag: int  # records that the broker has and we have not settled; as far as is known
    pump: PumpState
    lags: Mapping[Partition, int] = field(default_factory=dict)  # `lag` by partition of ours


class Processor:
    """A stream processor; several of one group share the partitions.

    Make it inside a running loop.  `settle` may raise what `streams.ordered` lists.
    """

    def __init__(
        self,
        settings: ProcessorSettings,
        *,
        codec: DeliveryCodec,
        settle: SettleDelivery,
        dead_letters: DeadLetters,
    ) -> None:
        self._settings, self._codec = settings, codec
        self._settle, self._dead_letters = settle, dead_letters
        self._pump = OrderedPump(
            self._settle_record,
            on_poison=self._bury,
            limits=settings.limits,
            patience=settings.patience,
        )
        self._host: FaustHost | None = None
        self._is_ready = asyncio.Event()
        self._work: asyncio.Task[None] | None = None
        self._log = structlog.get_logger("streams.processor")

    @property
    def drain_s(self) -> float:
        """How long running records may finish when partitions are taken away."""
        return self._settings.drain_s

    async def start(self) -> None:
        """Return when the group has been joined; waits for a broker that is not up yet.

        Raises `HostFailed`.
        """
        self._work = asyncio.create_task(self._run())  # owned: ended by `stop`
        ready = asyncio.ensure_future(self._is_ready.wait())
        try:
            await asyncio.wait({self._work, ready}, return_when=asyncio.FIRST_COMPLETED)
        finally:
            ready.cancel()
        if self._work.done():
            await self.stop()

    async def stop(self) -> None:
        """Admit nothing, let what runs finish within `drain_s`, commit, leave the group.

        Raises what the processor failed with, if it did: `HostFailed`, `ProcessorStalled`.
        """
        work, self._work = self._work, None
        if work is None:
            return
        self._is_ready.clear()
        self._pump.end()
        work.cancel()
        await asyncio.wait({work})
        try:
            if self._host:
                await self._stop_host(self._host)
        except HostFailed:
            # the broker hangs, so nobody hears us leave: we are missed after a while
            self._log.warning("left_without_goodbye")
        finally:
            with suppress(asyncio.CancelledError):
                work.result()

    async def run(self, stop: asyncio.Event) -> None:
        """Work until `stop` is set, then stop.  Raises what the processor failed with."""
        stopping = asyncio.ensure_future(stop.wait())
        starting = asyncio.ensure_future(self.start())
        try:
            await asyncio.wait({stopping, starting}, return_when=asyncio.FIRST_COMPLETED)
            if starting.done():
                starting.result()
            if self._work and not stop.is_set():
                await asyncio.wait({stopping, self._work}, return_when=asyncio.FIRST_COMPLETED)
        finally:
            stopping.cancel()
            starting.cancel()
            await self.stop()

    def health(self) -> Health:
        """How it is doing now; asks nobody, so it is quick."""
        host = self._host
        ours = host.assignment() if host and self._is_ready.is_set() else set()
        lags = {partition: self._lag(host, partition) for partition in ours} if host else {}
        return Health(
            is_ready=self._is_ready.is_set(),
            partitions=len(ours),
            lag=sum(lags.values()),
            pump=self._pump.state(),
            lags=lags,
        )

    async def _settle_record(self, record: Record) -> None:
        await self._settle(await self._codec.decode(record), record.position)

    async def _bury(self, record: Record, error: BaseException, attempts: int) -> None:
        await self._dead_letters.bury(letter_for(record, error, attempts))

    async def _run(self) -> None:
        host = await self._join()
        self._is_ready.set()
        try:
            async with asyncio.TaskGroup() as group:
                group.create_task(host.failed())
                group.create_task(self._pump.failed())
                group.create_task(self._commit_for_ever(host))
                group.create_task(self._watch_for_ever(host))
        except BaseExceptionGroup as failures:
            raise failures.exceptions[0] from None
        finally:
            self._is_ready.clear()

    async def _join(self) -> FaustHost:
        retrying = AsyncRetrying(
            retry=retry_if_exception_type(InfrastructureError),
            wait=wait_exponential(multiplier=0.05, max=2),
            before_sleep=self._log_retry,
        )
        return await retrying(self._try_to_join)

    async def _try_to_join(self) -> FaustHost:
        """A Faust app that could not start is of no further use: each try has its own."""
        cluster = await cluster_id(self._settings.host.bootstrap)  # so that one answers
        host = FaustHost(
            self._settings.host,
            admit=self._pump.admit,
            release=self._release,
            leaves_group=cluster != CLUSTER_ID,
        )
        self._host = host
        try:
            with as_infrastructure("joining the group"):
                async with asyncio.timeout(_JOIN_SESSIONS * self._settings.host.session_timeout_s):
                    await host.start()
        except InfrastructureError:
            await self._stop_host(host)
            raise
        return host

    async def _stop_host(self, host: FaustHost) -> None:
        self._host = None
        try:
            async with asyncio.timeout(self._settings.drain_s + _STOP_S):
                await host.stop()
        except TimeoutError:
            raise HostFailed("it did not stop in time") from None

    async def _release(self, partitions: Iterable[Partition]) -> Mapping[Partition, int]:
        return await self._pump.release(partitions, drain_s=self._settings.drain_s)

    async def _commit_for_ever(self, host: FaustHost) -> None:
        committed: dict[Partition, int] = {}
        while True:
            await asyncio.sleep(self._settings.commit_every_s)
            settled = self._pump.settled()
            new = {p: offset for p, offset in settled.items() if committed.get(p) != offset}
            with suppress(InfrastructureError):  # tried again with the next one
                if not new or await host.commit(new):
                    committed = settled

    async def _watch_for_ever(self, host: FaustHost) -> None:
        watch, loop = Watch(self._settings.stall), asyncio.get_running_loop()
        while True:
            await asyncio.sleep(self._settings.stall.silent_s / 4)
            state = self._pump.state()
            watch.check_tries(state)
            watch.check_rebalance(loop.time(), is_rebalancing=host.is_rebalancing())
            if state.held:
                watch.forget_lag()
                continue
            with suppress(InfrastructureError):  # the broker is away: no fault of ours
                async with open_reader(self._settings.host.bootstrap) as reader:
                    extents = await reader.extents(*self._settings.host.topics)
                following = {p: self._next_offset(host, p) for p in host.assignment()}
                watch.check_lag(loop.time(), extents, following)

    def _next_offset(self, host: FaustHost, partition: Partition) -> int:
        offset = self._pump.next_offset(partition)
        if offset is None:
            offset = host.committed(partition)
        return -1 if offset is None else offset

    def _lag(self, host: FaustHost, partition: Partition) -> int:
        end = host.high_water(partition)
        settled = self._pump.settled().get(partition)
        start = settled if settled is not None else host.committed(partition)
        return max(0, end - (start or 0)) if end is not None else 0

    def _log_retry(self, state: RetryCallState) -> None:
        error = state.outcome.exception() if state.outcome else None
        self._log.warning("broker_away", attempt=state.attempt_number, error=repr(error))
