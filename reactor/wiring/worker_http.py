"""Probes and metrics of a worker, served within its own event loop.

So a loop that is blocked answers no probe either, which is what a probe is for.
"""

import asyncio
import socket
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING

import structlog

from reactor.errors import InfrastructureError, ReactorError
from reactor.overview import Backlog
from reactor.settings import WorkerSettings
from reactor.web.access import Access, is_loopback
from reactor.web.progress import Progress, Standing
from reactor.web.worker_app import WorkerParts, create_worker_app
from reactor.web.worker_gauges import WorkerGauges
from reactor.wiring.beating import Pulse
from reactor.wiring.http import serving_beside
from reactor.wiring.status import backlog

if TYPE_CHECKING:
    from reactor.wiring.observing import Observed

_LOOK_EVERY_S = 60.0  # at what waits for people: it reads all dead letters


class CantServe(ReactorError):
    """The address of a worker's probes can't be taken."""

    def __init__(self, host: str, port: int, why: str) -> None:
        super().__init__(host, port, why)
        self.host, self.port, self.why = host, port, why

    def __str__(self) -> str:
        return (
            f"the worker can't listen on {self.host}:{self.port} ({self.why}); set"
            " worker.http_port (REACTOR_WORKER_HTTP_PORT) to another, or to 0 for a free one"
        )


@asynccontextmanager
async def serving_worker(worker: "Observed", pulse: Pulse) -> AsyncIterator[str]:
    """Answer for as long as the context lasts; gives the address, as "http://127.0.0.1:9100".

    Raises `CantServe`.
    """
    assert worker.metrics is not None, "who calls this has looked"
    waiting = _Waiting(worker)
    registry = worker.metrics.registry
    registry.register(WorkerGauges(pulse.look, lambda: waiting.seen, worker.clock))
    with _listening(worker.settings.worker) as listening:
        async with asyncio.TaskGroup() as group:
            looking = group.create_task(waiting.look_for_ever())
            async with serving_beside(create_worker_app(_parts(worker)), listening):
                try:
                    yield _address(listening)
                finally:
                    looking.cancel()


def _listening(settings: WorkerSettings) -> socket.socket:
    host, port = settings.http_host, settings.http_port or 0
    try:
        family = socket.AF_INET6 if ":" in host else socket.AF_INET
        return socket.create_server((host, port), family=family)
    except OSError as error:
        raise CantServe(host, port, error.strerror or str(error)) from None


def _address(listening: socket.socket) -> str:
    """Under which others may reach it: on every address of the machine, by its name."""
    host, port = listening.getsockname()[:2]
    if host in ("0.0.0.0", "::"):
        host = socket.gethostname()
    return f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"


def _parts(worker: "Observed") -> WorkerParts:
    settings, processor = worker.settings, worker.processor
    token = settings.gateway.token.get_secret_value() if settings.gateway.token else None
    progress = Progress()

    def why_stuck() -> str:
        health = processor.health()
        standing = Standing(
            is_ready=health.is_ready,
            in_hand=health.pump.held + health.pump.parked,
            lag=health.lag,
            steps=health.pump.steps,
            slowest_s=health.pump.oldest_try_s,
        )
        return progress.why_not(worker.clock.monotonic_s(), standing)

    async def has_joined() -> None:
        if not processor.health().is_ready:
            raise InfrastructureError("kafka", "no place in the group yet")

    async def broker_answers() -> None:
        if not await worker.kafka.writer.is_ready():
            raise InfrastructureError("kafka", "it does not answer")

    async def redis_answers() -> None:
        await worker.redis.client.ping()

    assert worker.metrics is not None, "who calls this has looked"
    return WorkerParts(
        why_stuck=why_stuck,
        checks={"group": has_joined, "kafka": broker_answers, "redis": redis_answers},
        registry=worker.metrics.registry,
        access=Access(loopback=is_loopback(settings.worker.http_host), token=token),
    )


class _Waiting:
    """What waits for somebody, as it was seen last."""

    def __init__(self, worker: "Observed") -> None:
        self.seen = Backlog()
        self._worker = worker
        self._log = structlog.get_logger("reactor.worker")

    async def look_for_ever(self) -> None:
        worker = self._worker
        while True:
            try:
                self.seen = await backlog(worker.settings, worker.redis, now=worker.clock.now())
            except Exception:  # noqa: BLE001 - a figure that can't be had must not end a worker
                self._log.exception("backlog_unseen")
            await asyncio.sleep(_LOOK_EVERY_S)
