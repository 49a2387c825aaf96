"""A worker's few addresses: is it alive, is it ready, what has it done."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from prometheus_client import CollectorRegistry
from starlette.applications import Starlette
from starlette.routing import Route

from reactor.refusal import Refused
from reactor.web.access import Access
from reactor.web.answers import refused_answer
from reactor.web.exposition import exposed
from reactor.web.probes import Check, Liveness, Readiness


@dataclass(frozen=True, slots=True, kw_only=True)
class WorkerParts:
    """All that it is made of."""

    why_stuck: Callable[[], str]  # for /healthz: a clause, or ""
    checks: Mapping[str, Check]  # by name, for /readyz
    registry: CollectorRegistry
    access: Access  # to /metrics
    check_timeout_s: float = 2.0


def create_worker_app(parts: WorkerParts) -> Starlette:
    """The application; it owns nothing that has to be closed."""
    readiness = Readiness(parts.checks, timeout_s=parts.check_timeout_s)
    return Starlette(
        routes=[
            Route("/healthz", Liveness(parts.why_stuck).endpoint),
            Route("/readyz", readiness.endpoint),
            Route("/metrics", parts.access.guarded(exposed(parts.registry))),
        ],
        exception_handlers={Refused: refused_answer},
    )
