"""Looking at a worker while it works: counts of what it does, its heartbeat, its probes.

Counting costs some microseconds for each step of a process, so where nobody can read the counts
(`worker.http_port` is not set) nothing is counted, and no client of Prometheus is imported.
"""

from collections.abc import AsyncIterator, Iterator, Mapping
from contextlib import AsyncExitStack, asynccontextmanager, contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING

import structlog
from structlog.typing import EventDict, WrappedLogger

from reactor.ai.calling import Called
from reactor.delivery import Delivery
from reactor.errors import InfrastructureError, ReactorError
from reactor.ledger import Enrolled, Intent, Sending
from reactor.ports import Clock
from reactor.sending import SendingObserver
from reactor.settings import Settings
from reactor.topic import DeadLetter, DeadLetters, GivenUp, Position
from reactor.trying import Tried
from reactor.wiring.beating import Pulse, beating
from reactor.wiring.github import GitHubParts
from reactor.wiring.kafka import KafkaParts
from reactor.wiring.redis import RedisParts
from reactor.wiring.redis_watch import watching
from reactor.worker import Settled
from streams.processor import Processor, SettleDelivery

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from reactor.web.worker_metrics import WorkerMetrics


def make_metrics(settings: Settings) -> "WorkerMetrics | None":
    """The counts of a worker; None where nobody could read them."""
    if settings.worker.http_port is None:
        return None
    from prometheus_client import CollectorRegistry, ProcessCollector

    from reactor.web.worker_metrics import WorkerMetrics

    registry = CollectorRegistry()
    ProcessCollector(registry=registry)  # memory, processor time, open files
    return WorkerMetrics(registry)


def counted(
    settle: "Callable[[Delivery, Position], Awaitable[Settled]]",
    metrics: "WorkerMetrics | None",
    clock: Clock,
) -> SettleDelivery:
    """`settle`, with what comes of it counted."""
    if metrics is None:
        return settle

    def count(delivery: Delivery, outcome: str) -> None:
        after_s = (clock.now() - delivery.received_at).total_seconds()
        metrics.settled(delivery.event, outcome, after_s=after_s)

    async def counting(delivery: Delivery, position: Position) -> None:
        try:
            settled = await settle(delivery, position)
        except InfrastructureError as error:
            metrics.waited_for(error.server)
            raise
        except GivenUp as error:
            count(delivery, error.dead_reason)
            raise
        count(delivery, settled.ignored or "settled")

    return counting


@dataclass(frozen=True, slots=True)
class CountedLetters:
    """Fits the port `DeadLetters`: those of another one, counted."""

    letters: DeadLetters
    metrics: "WorkerMetrics"

    async def bury(self, letter: DeadLetter) -> Position:
        """Counted once it is durable."""
        position = await self.letters.bury(letter)
        self.metrics.gave_up(letter.reason)
        return position


class EffectCounts(SendingObserver):
    """Counts what becomes of effects."""

    _STATES: Mapping[str, str] = {
        "done": "sent",
        "refused": "refused",
        "given_up": "given_up",
        "due": "delayed",
        "held": "held",
    }

    def __init__(self, metrics: "WorkerMetrics") -> None:
        self._metrics = metrics

    def enrolled(self, intent: Intent, enrolled: Enrolled) -> None:
        """At the door of the ledger."""
        self._metrics.effect(intent.record.effect.kind, enrolled.verdict)

    def tried(self, sending: Sending, tried: Tried) -> None:
        """After a try."""
        state = self._STATES[tried.outcome.state]
        self._metrics.effect(sending.intent.record.effect.kind, state)

    def lost(self, intent: Intent) -> None:
        """Taken over by another worker."""
        self._metrics.effect(intent.record.effect.kind, "lost")

    def in_trouble(self, error: ReactorError) -> None:
        """The ledger does not answer."""
        if isinstance(error, InfrastructureError):
            self._metrics.waited_for(error.server)


def count_models(metrics: "WorkerMetrics | None") -> tuple["Callable[[Called], None]", ...]:
    """What counts calls of language models, if anything does."""
    if metrics is None:
        return ()
    from reactor.web.model_metrics import ModelMetrics

    return (ModelMetrics(metrics.registry),)


def count_requests(github: GitHubParts, metrics: "WorkerMetrics") -> None:
    """Count how requests to GitHub are paced."""
    from reactor.web.pace_metrics import PaceMetrics

    if github.turns is not None:
        github.turns.observers += (PaceMetrics(metrics.registry),)


@dataclass(frozen=True, slots=True, kw_only=True)
class Observed:
    """A worker to be looked at."""

    settings: Settings
    processor: Processor
    redis: RedisParts
    kafka: KafkaParts
    clock: Clock
    owner: str
    metrics: "WorkerMetrics | None"


@asynccontextmanager
async def observed(worker: Observed) -> AsyncIterator[None]:
    """Beat, and answer probes where a port is set, for as long as the context lasts.

    Raises `CantServe` where the port can't be had.
    """
    pulse = Pulse(health=worker.processor.health, owner=worker.owner, clock=worker.clock)
    async with AsyncExitStack() as stack:
        watch = await stack.enter_async_context(watching(worker.redis, worker.clock))
        if worker.metrics is not None:
            from reactor.web.redis_metrics import RedisMetrics
            from reactor.wiring.worker_http import serving_worker

            worker.metrics.registry.register(RedisMetrics(lambda: watch.losses))
            pulse.http = await stack.enter_async_context(serving_worker(worker, pulse))
            stack.enter_context(caught_lines(worker.metrics))
        await stack.enter_async_context(beating(pulse, worker.redis.heartbeats))
        yield


@contextmanager
def caught_lines(metrics: "WorkerMetrics") -> Iterator[None]:
    """Count the lines by which guards tell that they caught something, at level info or below.

    Guards stand in many places, and their lines are read by the operator as well: here they are
    counted on their way, instead of having every one of them know of metrics.
    """

    def count(_: WrappedLogger, __: str, event: EventDict) -> EventDict:
        if event.get("event") == "guard_caught":
            metrics.caught(str(event.get("guard")))
        return event

    processors = structlog.get_config()["processors"]  # loggers share this list
    processors.insert(0, count)
    try:
        yield
    finally:
        if count in processors:
            processors.remove(count)
