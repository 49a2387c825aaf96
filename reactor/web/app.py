"""The gateway as one ASGI application: which path leads where, and who may take it."""

from collections.abc import Mapping
from dataclasses import dataclass, field

import structlog
from prometheus_client import CollectorRegistry
from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from reactor.answering import AnswerDesk
from reactor.approvals import Approvals
from reactor.delivery import OWN_HOST
from reactor.errors import InfrastructureError
from reactor.ports import Claims, Clock, Outcomes
from reactor.refusal import Refused
from reactor.topic import DeadLetters, DeliveryLog
from reactor.web.access import Access
from reactor.web.answers import away, problem, refused_answer, wrong_method
from reactor.web.approvals import ApprovalRoutes
from reactor.web.body import Bodies, BodyLimits
from reactor.web.deliveries import DeliveryStatus, Processes
from reactor.web.exposition import exposed
from reactor.web.forms import Forms
from reactor.web.gateway import Dialect, Gateway
from reactor.web.intake import Intake, Patience
from reactor.web.metrics import GatewayMetrics
from reactor.web.observer import Observer
from reactor.web.probes import Check, Readiness, healthz

WEBHOOK_PATHS = ("/webhook", "/api/github/webhooks", "/hook")


@dataclass(frozen=True, slots=True, kw_only=True)
class GatewayParts:
    """All that a gateway is made of."""

    dialect: Dialect
    claims: Claims
    deliveries: DeliveryLog
    dead: DeadLetters
    processes: Processes  # `Boards` fits
    outcomes: Outcomes
    desk: AnswerDesk
    approvals: Approvals
    clock: Clock
    access: Access
    checks: Mapping[str, Check] = field(default_factory=dict)  # by name, for /readyz
    check_timeout_s: float = 2.0  # a probe that hangs is worse than one that says no
    limits: BodyLimits = field(default_factory=BodyLimits)
    patience: Patience = field(default_factory=Patience)
    registry: CollectorRegistry | None = None  # None: one of its own
    log: structlog.typing.FilteringBoundLogger | None = None  # None: structlog as configured


def create_app(parts: GatewayParts) -> Starlette:
    """The application; it owns nothing that has to be closed."""
    log = parts.log or structlog.get_logger("reactor.gateway")
    metrics = GatewayMetrics(parts.registry or CollectorRegistry())
    gateway = Gateway(
        dialect=parts.dialect,
        intake=Intake(
            claims=parts.claims,
            deliveries=parts.deliveries,
            dead=parts.dead,
            patience=parts.patience,
        ),
        bodies=Bodies(parts.limits),
        clock=parts.clock,
        observer=Observer(log=log, metrics=metrics),
    )
    deliveries = DeliveryStatus(
        claims=parts.claims,
        processes=parts.processes,
        outcomes=parts.outcomes,
        hosts=(*parts.dialect.hosts, OWN_HOST),
    )
    forms, approvals = Forms(parts.desk), ApprovalRoutes(parts.approvals)
    guarded, changing = parts.access.guarded, parts.access.changing
    app = Starlette(
        routes=[
            *(Route(path, gateway) for path in WEBHOOK_PATHS),
            Route("/healthz", healthz),
            Route("/readyz", Readiness(parts.checks, timeout_s=parts.check_timeout_s).endpoint),
            Route("/metrics", guarded(exposed(metrics.registry))),
            Route("/api/deliveries/{guid}", guarded(deliveries.endpoint)),
            Route("/api/forms", guarded(forms.listed)),
            Route("/api/forms/{form}", guarded(forms.one)),
            Route("/api/forms/{form}", changing(forms.answer), methods=["POST"]),
            Route("/api/approvals", guarded(approvals.listed)),
            Route("/api/approvals/{approval}", changing(approvals.rule), methods=["POST"]),
        ],
        exception_handlers={
            Refused: refused_answer,
            InfrastructureError: _away,
            HTTPException: _no_route,
            Exception: _failed,
        },
    )
    app.router.redirect_slashes = False  # GitHub follows no redirect: a wrong path must say so
    return app


async def _away(_: Request, error: Exception) -> Response:
    assert isinstance(error, InfrastructureError)
    return problem(away(error))


async def _no_route(request: Request, error: Exception) -> Response:
    """What the router says: no such path, or no such method there."""
    assert isinstance(error, HTTPException)
    if error.status_code == 405:
        return problem(wrong_method(request.method), headers=error.headers)
    wrong = Refused(
        error.status_code,
        "path",
        "there is nothing at this path",
        where="path",
        fix=f"send deliveries to {WEBHOOK_PATHS[0]}, without a slash at the end",
    )
    return problem(wrong)


async def _failed(_: Request, __: Exception) -> Response:
    """A fault of ours; the server logs it."""
    return problem(
        Refused(
            500,
            "fault",
            "the gateway failed; nothing was accepted",
            where="inside",
            fix="send it again; the log of the gateway has the reason",
        )
    )
