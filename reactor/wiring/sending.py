"""Sending, put together: the ledger in Redis, the executors of what is installed, and the log."""

import asyncio
from collections.abc import AsyncIterator, Iterable, Iterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import timedelta

import structlog

from reactor.adapters.redis_ledger import RedisLedger
from reactor.approvals import Expiry, approval_id
from reactor.codec import Codec
from reactor.errors import ReactorError
from reactor.execution import Executor
from reactor.follow_up import Pauses
from reactor.granting import Granting
from reactor.ledger import Caps, Enrolled, Intent, Ledger, Sending
from reactor.platform import Platform
from reactor.ports import Clock
from reactor.sending import Sender, SendingObserver
from reactor.settings import Settings
from reactor.trying import Look, Tried, Tries
from reactor.wiring.asked_for import asked_for
from reactor.wiring.redis import RedisParts
from reactor.withholding import Withholding
from reactor.worker import Listener

PAUSES = Pauses(first=timedelta(seconds=1), longest=timedelta(minutes=5), factor=2)
LONGEST_DRAIN = timedelta(seconds=2)  # the worker itself has had its time before


def make_ledger(settings: Settings, redis: RedisParts, platform: Platform) -> RedisLedger:
    """The ledger of this installation; effects are read into the types of the platform."""
    return RedisLedger(
        redis.client,
        Codec(platform.catalog),
        prefix=redis.prefix,
        # as long as a delivery can come again: from its topic, or by whoever sent it
        keep=timedelta(days=settings.kafka.retention_days * 2),
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class SendingParts:
    """What a sender works with, and who looks on."""

    platform: Platform
    ledger: Ledger
    clock: Clock
    owner: str  # the worker
    observers: tuple[SendingObserver, ...] = ()  # beside the log
    looks: tuple[Look, ...] = ()  # before each try
    granting: Granting | None = None  # None: everything is allowed


@asynccontextmanager
async def sending(settings: Settings, parts: SendingParts) -> AsyncIterator[Sender]:
    """A sender that sends as long as the context lasts, and then a little to finish."""
    effects, clock, log = settings.effects, parts.clock, _Log()
    expiry = Expiry(
        ledger=parts.ledger,
        clock=clock,
        after=timedelta(days=effects.approval_days),
        tell=log.in_trouble,
    )
    with Executor(threads=effects.concurrency) as executor:
        sender = Sender(
            ledger=parts.ledger,
            tries=Tries(
                platform=parts.platform,
                executor=executor,
                now=clock.now,
                monotonic_s=clock.monotonic_s,
                pause=PAUSES.before,
                most_failures=effects.attempts,
                most_away=tries_within(timedelta(seconds=effects.give_up_after_s), PAUSES),
                most_delayed=timedelta(seconds=effects.give_up_after_s),
                timeout_s=effects.timeout_s,
                looks=parts.looks,
                withholding=Withholding(granting=parts.granting, platform=parts.platform)
                if parts.granting
                else None,
            ),
            caps=caps_of(settings),
            clock=clock,
            owner=parts.owner,
            observers=(log, *parts.observers),
            concurrency=effects.concurrency,
            lease=timedelta(seconds=settings.worker.lease_s),
            asked_for=asked_for(parts.platform),
        )
        async with asyncio.TaskGroup() as group:
            running = group.create_task(sender.run())
            expiring = group.create_task(expiry.run())
            try:
                yield sender
            finally:
                expiring.cancel()
                drain = timedelta(seconds=settings.worker.drain_s)
                await sender.drain(min(drain, LONGEST_DRAIN))
                running.cancel()


def tries_within(length: timedelta, pauses: Pauses) -> int:
    """How many tries have pauses between them that last as long together, at least."""
    tries, waited = 1, timedelta(0)
    while waited < length:
        waited += pauses.before(tries - 1)
        tries += 1
    return tries


def caps_of(settings: Settings) -> Caps:
    """How many changes are let through."""
    effects = settings.effects
    return Caps(
        per_event=effects.per_event,
        per_day=effects.per_day,
        per_subject=effects.per_subject,
        window=timedelta(seconds=effects.window_s),
    )


def unsent_kinds(listeners: Iterable[Listener], platform: Platform) -> Iterator[tuple[str, str]]:
    """Reaction and kind of effect, where a reaction may have something sent that nothing sends."""
    for listener in listeners:
        if listener.reaction.effects == "observe":
            continue
        actions = platform.repertoire(listener.scope).actions.values()
        kinds = {kind for action in actions for kind in action.component.mark.effects}
        for kind in sorted(kinds, key=lambda kind: kind.__name__):
            if platform.executor_of(kind) is None:
                yield listener.reaction.name, kind.__name__


class _Log(SendingObserver):
    """Tells on the log what becomes of effects, and what the guards caught."""

    def __init__(self) -> None:
        self._log = structlog.get_logger("reactor.effects")

    def enrolled(self, intent: Intent, enrolled: Enrolled) -> None:
        if enrolled.verdict == "refused":
            self._log.warning("effect_refused", **_told(intent), reason=enrolled.reason)
        elif enrolled.verdict == "held":
            self._log.info("effect_held", **_told(intent), approval=approval_id(intent.key))
        elif enrolled.verdict == "repeated" and enrolled.process_id != intent.process_id:
            self._log.info(
                "guard_caught", guard="ledger", **_told(intent), sent_for=enrolled.process_id
            )

    def tried(self, sending: Sending, tried: Tried) -> None:
        told = {**_told(sending.intent), "number": sending.number}
        outcome = tried.outcome
        if tried.was_there:
            self._log.info("guard_caught", guard="ledger", **told)
        match outcome.state:
            case "done":
                self._log.info("effect_sent", **told, duration_s=round(tried.duration_s, 3))
            case "refused":
                self._log.warning("effect_refused", **told, reason=outcome.reason)
            case "held":
                approval = approval_id(sending.intent.key)
                self._log.info("effect_held", **told, approval=approval, reason=outcome.reason)
            case "given_up":
                again = f"reactor effects retry {sending.intent.key}"
                self._log.error("effect_given_up", **told, reason=outcome.reason, again=again)
            case "due":
                due_at = outcome.due_at.isoformat() if outcome.due_at else ""
                self._log.warning("effect_delayed", **told, reason=outcome.reason, due_at=due_at)

    def lost(self, intent: Intent) -> None:
        self._log.info("guard_caught", guard="lease", **_told(intent))

    def in_trouble(self, error: ReactorError) -> None:
        self._log.warning("sending_waits", error=str(error))


def _told(intent: Intent) -> dict[str, object]:
    record = intent.record
    return {"effect": record.effect.kind, "key": record.key, "action": record.action}
