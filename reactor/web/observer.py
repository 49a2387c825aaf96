"""What the gateway tells its operator: one log line and one count for each request."""

from collections.abc import Mapping

import structlog
from starlette.types import Scope

from reactor.delivery import Delivery
from reactor.refusal import Refused
from reactor.web.intake import Receipt
from reactor.web.metrics import GatewayMetrics

_LONGEST = 64  # characters of an id that nobody has checked


class Observer:
    """Log lines are constant words with fields; never a payload, a signature or a secret."""

    def __init__(
        self, *, log: structlog.typing.FilteringBoundLogger, metrics: GatewayMetrics
    ) -> None:
        self._log, self._metrics = log, metrics

    def accepted(self, delivery: Delivery, receipt: Receipt) -> None:
        """A verified delivery was answered with 2xx."""
        self._metrics.delivery(delivery.event, receipt.status)
        self._log.info(
            "delivery",
            status=receipt.status,
            delivery_id=delivery.id,
            event_name=delivery.kind,
            subject=delivery.subject.name,
            host=delivery.host,
            position=str(receipt.position) if receipt.position else None,
            unclaimed=receipt.unclaimed,
        )

    def refused(self, refused: Refused, headers: Mapping[str, str], scope: Scope) -> None:
        """A request was answered with 4xx or 5xx."""
        self._metrics.refused(refused.reason)
        self._log.warning(
            "delivery_refused",
            reason=refused.reason,
            status=refused.status,
            what=refused.what,
            **_sender(headers, scope),
        )

    def gave_up(self, headers: Mapping[str, str], scope: Scope) -> None:
        """The client hung up before its body had come."""
        self._metrics.refused("hung_up")
        self._log.warning("delivery_hung_up", **_sender(headers, scope))


def _sender(headers: Mapping[str, str], scope: Scope) -> dict[str, str | None]:
    client = scope.get("client")
    return {
        "delivery_id": headers.get("x-github-delivery", "")[:_LONGEST],
        "event_name": headers.get("x-github-event", "")[:_LONGEST],
        "address": client[0] if client else None,
    }
