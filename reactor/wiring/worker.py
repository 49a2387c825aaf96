"""A worker: deliveries and signals in, decisions out.  Put together from its parts, in order."""

import asyncio
import gc
from collections.abc import AsyncIterator, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

import structlog

from reactor.adapters.clock import SystemClock
from reactor.adapters.redis_boards import RedisBoards
from reactor.ai import Ai
from reactor.breakers import Breakers
from reactor.changed_files import ChangedFiles
from reactor.codec import Codec
from reactor.community import IssueIndex
from reactor.conversations import Conversations
from reactor.follow_up import FollowUp
from reactor.late_refusals import LateRefusals
from reactor.listening import ProcessListener
from reactor.noticing import Noticing
from reactor.permissions import Permissions
from reactor.platform import Platform
from reactor.plugins import installed_entry_points
from reactor.ports import Clock, Contexts
from reactor.reminders import Reminders
from reactor.repository_rules import RulesOfRepositories
from reactor.settings import Settings
from reactor.settling import Hears, Settling, one_after_another
from reactor.steering import Steering
from reactor.watchdog import LoopWatchdog, Place, log_blocked
from reactor.wiring import timers
from reactor.wiring.archiving import archiving
from reactor.wiring.command_services import command_services, prompting
from reactor.wiring.commands import all_listeners, permissions
from reactor.wiring.engine import Stores, make_runner
from reactor.wiring.gate import make_gate
from reactor.wiring.github import (
    GitHubParts,
    changed_files,
    conversations,
    github_parts,
    warn_of_nobody,
)
from reactor.wiring.granting import check_grants, make_granting, warn_of_nothing_granted
from reactor.wiring.kafka import KafkaParts, kafka_parts, large_bodies
from reactor.wiring.lifecycle import Lifecycle, LifecycleParts, make_lifecycle
from reactor.wiring.model_stores import stores_in_redis
from reactor.wiring.models import models
from reactor.wiring.noticing import make_breakers, noted
from reactor.wiring.observing import (
    CountedLetters,
    EffectCounts,
    Observed,
    count_models,
    count_requests,
    counted,
    make_metrics,
    observed,
)
from reactor.wiring.plain_errors import plain_errors
from reactor.wiring.platform import Installed, install, reader
from reactor.wiring.progress import tell_progress
from reactor.wiring.redis import RedisParts, finished_for, look_at_redis, open_for, redis_parts
from reactor.wiring.rules import Rules, make_rules
from reactor.wiring.sending import SendingParts, caps_of, make_ledger, sending, unsent_kinds
from reactor.wiring.starting import Starting, started
from reactor.wiring.tracing import spanned, tracing
from reactor.wiring.unheard import warn_of_unheard
from reactor.worker import Listener, Worker
from streams.host import HostSettings
from streams.processor import Processor, ProcessorSettings
from streams.serve import STOP_S, told_to_stop, unless_told, work
from streams.window import Limits

if TYPE_CHECKING:
    from reactor.web.worker_metrics import WorkerMetrics

_YOUNG = 20_000  # objects that are made between two looks of the collector; by default it is 700


@dataclass(frozen=True, slots=True, kw_only=True)
class _Parts:
    """What a worker is put together from; all of it is connected."""

    settings: Settings
    redis: RedisParts
    kafka: KafkaParts
    archive: Hears  # of what a broker that forgets would lose
    github: GitHubParts
    rules: Rules  # of repositories
    ai: Ai
    permissions: Permissions
    changed_files: ChangedFiles
    conversations: Conversations
    follow_up: FollowUp
    metrics: "WorkerMetrics | None"
    noticing: Noticing  # of what goes wrong in components
    breakers: Breakers
    clock: Clock
    owner: str


@asynccontextmanager
async def processor(
    settings: Settings, *, owner: str, noticing: Noticing | None = None
) -> AsyncIterator[Processor]:
    """A processor that is connected to its servers for as long as the context lasts.

    `noticing`: is told what goes wrong in components; what it gathers is kept for people.
    """
    await look_at_redis(settings)
    async with (
        _connected(settings, owner, noticing or Noticing(SystemClock().now)) as parts,
        _working(parts) as working,
        _settling(parts, working) as settling,
    ):
        kafka, metrics = parts.kafka, parts.metrics
        made = Processor(
            _processor_settings(settings, kafka),
            codec=kafka.codec,
            settle=counted(spanned(settling.settle), metrics, parts.clock),
            dead_letters=settling.dead,
        )
        seen = Observed(
            settings=settings,
            processor=made,
            redis=parts.redis,
            kafka=kafka,
            clock=parts.clock,
            owner=owner,
            metrics=metrics,
        )
        async with observed(seen):
            yield made


@asynccontextmanager
async def _connected(settings: Settings, owner: str, noticing: Noticing) -> AsyncIterator[_Parts]:
    clock = SystemClock()
    async with AsyncExitStack() as stack:
        stack.enter_context(plain_errors())
        await stack.enter_async_context(tracing(settings, service="worker", instance=owner))
        redis = await stack.enter_async_context(redis_parts(settings))
        bodies = large_bodies(settings, redis)
        github = await stack.enter_async_context(github_parts(settings, redis, clock=clock))
        metrics = make_metrics(settings)
        count = metrics.faulty_file if metrics else None
        noticing.tell = metrics.trouble if metrics else None
        rules = make_rules(settings, redis, github, clock=clock, count=count)
        stack.callback(rules.close)
        broker = await stack.enter_async_context(kafka_parts(settings, bodies))
        kafka, keep = await stack.enter_async_context(archiving(settings, broker, clock))
        yield _Parts(
            settings=settings,
            redis=redis,
            kafka=kafka,
            archive=keep,
            github=github,
            rules=rules,
            ai=await stack.enter_async_context(
                models(settings, stores_in_redis(settings, redis, clock), *count_models(metrics))
            ),
            permissions=stack.enter_context(permissions(github, redis)),
            changed_files=stack.enter_context(changed_files(github)),
            conversations=stack.enter_context(conversations(github)),
            follow_up=FollowUp(forms=redis.forms, timers=redis.timers),
            metrics=metrics,
            noticing=noticing,
            breakers=make_breakers(settings, clock, noticing),
            clock=clock,
            owner=owner,
        )


def _installed(parts: _Parts) -> Installed:
    """The component packages, ours for GitHub among them; one with a fault is left out."""
    redis, log = parts.redis, structlog.get_logger("reactor.worker")
    installed = install(
        parts.settings,
        firsts=redis.firsts,
        clock=parts.clock,
        services={
            Contexts: redis.contexts,
            IssueIndex: IssueIndex(redis.issues),
            Reminders: Reminders(redis.timers),
            Permissions: parts.permissions,
            ChangedFiles: parts.changed_files,
            Conversations: parts.conversations,
            Ai: parts.ai,
            Breakers: parts.breakers,
            RulesOfRepositories: parts.rules.of_repositories,
            **command_services(parts.settings, redis, parts.kafka, parts.clock),
        },
        points=(*installed_entry_points(), parts.github.package),
    )
    for fault in installed.faults:
        log.error("component_package_left_out", package=fault.package, fault=str(fault))
    check_grants(parts.settings, installed.platform)
    return installed


@dataclass(frozen=True, slots=True)
class _Working:
    """What settles signals, with the worker in it; and what hears of places that come and go."""

    steering: Steering
    lifecycle: Lifecycle


@asynccontextmanager
async def _working(parts: _Parts) -> AsyncIterator[_Working]:
    """A worker whose effects are sent, and the steering of it.  Raises `BadReactions`."""
    settings, redis, metrics = parts.settings, parts.redis, parts.metrics
    installed = _installed(parts)
    platform = installed.platform
    boards = RedisBoards(
        redis.client,
        Codec(platform.catalog),
        prefix=settings.redis.prefix,
        keep_finished=finished_for(settings),
        keep_open=open_for(settings),
    )
    granting = make_granting(settings, parts.rules.of_repositories)
    stores = Stores(boards, parts.kafka.journal, parts.clock, granting)
    ledger = make_ledger(settings, redis, platform)
    lifecycle = make_lifecycle(
        settings,
        LifecycleParts(
            redis=redis,
            github=parts.github,
            signals=parts.kafka.signals,
            boards=boards,
            ledger=ledger,
            clock=parts.clock,
            metrics=metrics,
        ),
    )
    follow_up = replace(parts.follow_up, resting=lifecycle.closing)
    late_refusals = LateRefusals(
        reads=boards.read, ledger=ledger, caps=caps_of(settings), now=parts.clock.now
    )
    sender = SendingParts(
        platform=platform,
        ledger=ledger,
        clock=parts.clock,
        owner=parts.owner,
        observers=(EffectCounts(metrics),) if metrics else (),
        looks=(lifecycle.closing.look_for, late_refusals.look_at),
        granting=granting,
    )
    if metrics:
        count_requests(parts.github, metrics)
    told: tuple[ProcessListener, ...] = (tell_progress, parts.noticing, parts.breakers)
    if metrics:
        told += (metrics,)
    with make_runner(settings, installed, stores, parts.owner, told) as runner:
        async with (
            all_listeners(settings, platform, parts.github) as (listening, logins),
            sending(settings, sender) as outlet,
            noted(parts.noticing, platform, redis.troubles),
            started(platform, Starting(breakers=parts.breakers, noticing=parts.noticing)),
        ):
            _warn(parts, listening, platform)
            worker = Worker(
                listeners=listening,
                reader=reader(settings, logins),
                runner=runner,
                boards=boards,
                journal=parts.kafka.journal,
                follow_up=follow_up,
                outlet=prompting(settings, redis, outlet, ledger),
                gate=make_gate(settings, redis, boards, ledger),
            )
            try:
                steering = Steering(
                    worker=worker, follow_up=follow_up, clock=parts.clock, ledger=ledger
                )
                yield _Working(steering, lifecycle)
            finally:
                await worker.mark_sent()


def _warn(parts: _Parts, listening: Sequence[Listener], platform: Platform) -> None:
    """Log what the settings ask for and nobody does."""
    log = structlog.get_logger("reactor.worker")
    for reaction, kind in unsent_kinds(listening, platform):
        log.warning("nothing_sends", effect=kind, reaction=reaction)
    warn_of_nobody(listening, parts.github.able, parts.settings)
    warn_of_nothing_granted(listening, parts.github.able, parts.settings)
    warn_of_unheard(parts.settings)


@asynccontextmanager
async def _settling(parts: _Parts, working: _Working) -> AsyncIterator[Settling]:
    """What settles deliveries and signals, while timers fire."""
    redis, kafka = parts.redis, parts.kafka
    firing = timers.make_firing(redis, kafka, clock=parts.clock, owner=parts.owner)
    async with timers.kept(parts.settings, firing):
        yield Settling(
            worker=working.steering.worker,
            steering=working.steering,
            claims=redis.claims,
            outcomes=redis.outcomes,
            dead=CountedLetters(kafka.dead, parts.metrics) if parts.metrics else kafka.dead,
            keeping=kafka.keeping,
            hears=one_after_another(parts.archive, working.lifecycle.hear, parts.rules.hear),
        )


async def serve_worker(settings: Settings, *, owner: str, ready_file: Path | None = None) -> None:
    """Work until SIGTERM or Ctrl-C; what is under way is finished or handed back first.

    That takes `worker.drain_s` and 10 s at most.  `ready_file` is there as long as the worker has
    its place in the group.
    """
    noticing = Noticing(SystemClock().now)

    def held_up(place: Place, stack: Sequence[str]) -> None:
        log_blocked(place, stack)
        noticing.held_up(place)

    async def serve(has_begun: asyncio.Event) -> None:
        async with processor(settings, owner=owner, noticing=noticing) as ready:
            has_begun.set()
            with LoopWatchdog(tell=held_up):
                await _work(ready, stop, ready_file)

    if ready_file:  # of one that was killed
        await asyncio.to_thread(ready_file.unlink, missing_ok=True)
    async with told_to_stop(within_s=settings.worker.drain_s + STOP_S) as stop:
        await unless_told(stop, serve)


async def _work(ready: Processor, stop: asyncio.Event, ready_file: Path | None) -> None:
    spare_collections()
    telling = asyncio.create_task(_tell(ready, ready_file)) if ready_file else None
    try:
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
