"""A worker: deliveries and signals in, decisions out.  Put together from its parts, in order."""

import asyncio
import gc
from collections.abc import AsyncIterator, Mapping
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path

import structlog

from reactor.adapters.clock import SystemClock
from reactor.adapters.redis_boards import RedisBoards
from reactor.codec import Codec
from reactor.delivery import Delivery
from reactor.follow_up import FollowUp
from reactor.plugins import installed_entry_points
from reactor.settings import Settings
from reactor.status import ProcessHead
from reactor.steering import Steering
from reactor.topic import GivenUp, Position
from reactor.watchdog import LoopWatchdog
from reactor.wiring import timers
from reactor.wiring.engine import Stores, make_runner, make_worker
from reactor.wiring.gate import make_gate
from reactor.wiring.github import github_parts, warn_of_nobody
from reactor.wiring.kafka import KafkaParts, kafka_parts, large_bodies
from reactor.wiring.observing import (
    CountedLetters,
    EffectCounts,
    Observed,
    count_requests,
    counted,
    make_metrics,
    observed,
)
from reactor.wiring.plain_errors import plain_errors
from reactor.wiring.platform import install, reader
from reactor.wiring.progress import tell_progress
from reactor.wiring.redis import finished_for, look_at_redis, open_for, redis_parts
from reactor.wiring.sending import make_ledger, sending, unsent_kinds
from reactor.wiring.tracing import spanned, tracing
from reactor.wiring.unheard import warn_of_unheard
from reactor.worker import Settled
from streams.host import HostSettings
from streams.processor import Processor, ProcessorSettings
from streams.serve import STOP_S, told_to_stop, unless_told, work
from streams.window import Limits

_YOUNG = 20_000  # objects that are made between two looks of the collector; by default it is 700


class ProcessesFailed(GivenUp):
    """Processes of a delivery ended FAILED: it goes to the dead-letter topic, for a person."""

    dead_reason = "failed"

    def __init__(self, heads: tuple[ProcessHead, ...]) -> None:
        super().__init__(heads)
        self.heads = heads

    def __str__(self) -> str:
        each = "; ".join(f"{head.reaction} ({head.id}): {head.failure}" for head in self.heads)
        delivery = self.heads[0].delivery.rpartition("/")[2]
        return f"ended FAILED: {each}; `reactor explain {delivery}` tells how it came to that"

    @property
    def about(self) -> Mapping[str, str]:
        """The delivery, also where its processes were ended by a signal."""
        first = self.heads[0]
        return {
            "delivery": first.delivery,
            "event": first.event,
            "subject": first.subject_name,
            "process": first.id,
            "attempt": str(first.attempt),
        }


@asynccontextmanager
async def processor(settings: Settings, *, owner: str) -> AsyncIterator[Processor]:
    """A processor that is connected to its servers for as long as the context lasts."""
    log = structlog.get_logger("reactor.worker")
    clock = SystemClock()
    await look_at_redis(settings)
    async with AsyncExitStack() as stack:
        stack.enter_context(plain_errors())
        await stack.enter_async_context(tracing(settings, service="worker", instance=owner))
        redis = await stack.enter_async_context(redis_parts(settings))
        large = large_bodies(settings, redis)
        kafka = await stack.enter_async_context(kafka_parts(settings, large))
        github = await stack.enter_async_context(github_parts(settings, redis, clock=clock))
        installed = install(
            settings,
            firsts=redis.firsts,
            clock=clock,
            contexts=redis.contexts,
            points=(*installed_entry_points(), github.package),
        )
        for fault in installed.faults:
            log.error("component_package_left_out", package=fault.package, fault=str(fault))
        boards = RedisBoards(
            redis.client,
            Codec(installed.platform.catalog),
            prefix=settings.redis.prefix,
            keep_finished=finished_for(settings),
            keep_open=open_for(settings),
        )
        stores = Stores(boards, kafka.journal, clock)
        runner = stack.enter_context(make_runner(settings, installed, stores, owner))
        runner.listeners += (tell_progress,)
        if metrics := make_metrics(settings):
            runner.listeners += (metrics,)
        follow_up = FollowUp(forms=redis.forms, timers=redis.timers)
        worker = make_worker(settings, installed, stores, runner, follow_up)
        worker.reader = reader(settings, await github.logins(worker.listeners))
        ledger = make_ledger(settings, redis, installed.platform)
        worker.gate = make_gate(settings, redis, boards, ledger)
        worker.outlet = await stack.enter_async_context(
            sending(settings, installed.platform, ledger, clock=clock, owner=owner)
        )
        if metrics:
            outlet = worker.outlet
            outlet.observers = (*outlet.observers, EffectCounts(metrics))
            count_requests(github, metrics)
        for reaction, kind in unsent_kinds(worker.listeners, installed.platform):
            log.warning("nothing_sends", effect=kind, reaction=reaction)
        warn_of_nobody(worker.listeners, github.able, settings)
        warn_of_unheard(settings)
        stack.push_async_callback(worker.mark_sent)
        steering = Steering(worker=worker, follow_up=follow_up, clock=clock)
        firing = timers.make_firing(redis, kafka, clock=clock, owner=owner)
        await stack.enter_async_context(timers.kept(settings, firing))

        async def settle(delivery: Delivery, position: Position) -> Settled:
            await github.hear(delivery)
            settler = steering if delivery.source == "signal" else worker
            settled = await settler.settle(delivery)
            if settled.ignored:
                await redis.outcomes.ignore(delivery.key, settled.ignored)
            log.info("delivery_settled", position=str(position), **_fields(settled))
            if settled.failed:
                raise ProcessesFailed(settled.failed)
            await kafka.keeping.settled(delivery, position)
            return settled

        made = Processor(
            _processor_settings(settings, kafka),
            codec=kafka.codec,
            settle=counted(spanned(settle), metrics, clock),
            dead_letters=CountedLetters(kafka.dead, metrics) if metrics else kafka.dead,
        )
        seen = Observed(
            settings=settings,
            processor=made,
            redis=redis,
            kafka=kafka,
            clock=clock,
            owner=owner,
            metrics=metrics,
        )
        async with observed(seen):
            yield made


async def serve_worker(settings: Settings, *, owner: str, ready_file: Path | None = None) -> None:
    """Work until SIGTERM or Ctrl-C; what is under way is finished or handed back first.

    That takes `worker.drain_s` and 10 s at most.  `ready_file` is there as long as the worker has
    its place in the group.
    """

    async def serve(has_begun: asyncio.Event) -> None:
        async with processor(settings, owner=owner) as ready:
            has_begun.set()
            await _work(ready, stop, ready_file)

    if ready_file:  # of one that was killed
        await asyncio.to_thread(ready_file.unlink, missing_ok=True)
    async with told_to_stop(within_s=settings.worker.drain_s + STOP_S) as stop:
        await unless_told(stop, serve)


async def _work(ready: Processor, stop: asyncio.Event, ready_file: Path | None) -> None:
    spare_collections()
    telling = asyncio.create_task(_tell(ready, ready_file)) if ready_file else None
    try:
        with LoopWatchdog():
            await work(ready, stop)
    finally:
        if telling and ready_file:
            telling.cancel()
            await asyncio.to_thread(ready_file.unlink, missing_ok=True)


def spare_collections() -> None:
    """Leave what was loaded at the start, some 150,000 objects, out of garbage collections.

    Going over it again and again takes a tenth of a worker's time, and everything waits.
    """
    gc.collect()
    gc.freeze()
    gc.set_threshold(_YOUNG, 20, 20)


async def _tell(processor: Processor, ready_file: Path) -> None:
    is_told = False
    while True:
        is_ready = processor.health().is_ready
        if is_ready and not is_told:
            await asyncio.to_thread(ready_file.touch)
        elif is_told and not is_ready:
            await asyncio.to_thread(ready_file.unlink, missing_ok=True)
        is_told = is_ready
        await asyncio.sleep(0.1)


def _processor_settings(settings: Settings, kafka: KafkaParts) -> ProcessorSettings:
    worker = settings.worker
    return ProcessorSettings(
        host=HostSettings(
            bootstrap=kafka.bootstrap,
            group=settings.kafka.group,
            topics=(kafka.topics.deliveries, kafka.topics.signals),
            session_timeout_s=settings.kafka.session_timeout_s,
        ),
        limits=Limits(running=worker.concurrency, held=worker.window, per_key=worker.per_subject),
        drain_s=worker.drain_s,
    )


def _fields(settled: Settled) -> Mapping[str, object]:
    delivery = settled.delivery
    return {
        "delivery_id": delivery.id,
        "event_name": delivery.kind,  # `event` is what structlog calls the message itself
        "subject": delivery.subject.name,
        "processes": {head.id: str(head.status) for head in settled.heads},
        **({"ignored": settled.ignored} if settled.ignored else {}),
    }
