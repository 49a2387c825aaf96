"""Counts of the gateway, for Prometheus."""

from prometheus_client import CollectorRegistry, Counter

from reactor.web.labels import Few

MOST_EVENTS = 100  # GitHub has about 75; the label must not grow with what senders invent


class GatewayMetrics:
    """What came in.  The registry is passed in: there is none for the whole interpreter."""

    def __init__(self, registry: CollectorRegistry) -> None:
        self.registry = registry
        self._event = Few(MOST_EVENTS)
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
        self._deliveries.labels(self._event(event), status).inc()

    def refused(self, reason: str) -> None:
        """Count a refused request; reasons are constant words."""
        self._refused.labels(reason).inc()
