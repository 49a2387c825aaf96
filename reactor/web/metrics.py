"""Counts of the gateway, for Prometheus."""

from prometheus_client import CollectorRegistry, Counter, generate_latest
from prometheus_client.exposition import CONTENT_TYPE_PLAIN_0_0_4
from starlette.requests import Request
from starlette.responses import Response

MOST_EVENTS = 100  # GitHub has about 75; the label must not grow with what senders invent


class GatewayMetrics:
    """What came in.  The registry is passed in: there is none for the whole interpreter."""

    def __init__(self, registry: CollectorRegistry) -> None:
        self._registry = registry
        self._events: set[str] = set()
        self._deliveries = Counter(
            "reactor_deliveries",
            "Verified deliveries, by event and by what became of them.",
            ("event", "status"),
            registry=registry,
        )
        self._refused = Counter(
            "reactor_refused",
            "Requests to the webhook that were refused, by reason.",
            ("reason",),
            registry=registry,
        )

    def delivery(self, event: str, status: str) -> None:
        """Count a verified delivery."""
        if event not in self._events:
            if len(self._events) >= MOST_EVENTS:
                event = "other"
            else:
                self._events.add(event)
        self._deliveries.labels(event, status).inc()

    def refused(self, reason: str) -> None:
        """Count a refused request; reasons are constant words."""
        self._refused.labels(reason).inc()

    async def endpoint(self, _: Request) -> Response:
        """`/metrics`, in the text format."""
        return Response(generate_latest(self._registry), media_type=CONTENT_TYPE_PLAIN_0_0_4)
