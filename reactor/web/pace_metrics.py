"""How requests to GitHub are paced, counted for Prometheus."""

from prometheus_client import CollectorRegistry, Counter, Gauge

from reactor.pace import Ask, Told, Turn
from reactor.web.labels import Few

MOST_ACCOUNTS = 100  # installations; the label must not grow with those who install the app


class PaceMetrics:
    """Is told of every turn and answer."""

    def __init__(self, registry: CollectorRegistry) -> None:
        self._account = Few(MOST_ACCOUNTS)
        self._turns = Counter(
            "reactor_github_requests",
            "Requests to GitHub: went, waited a little, or were sent back, and why.",
            ("host", "kind", "turn"),
            registry=registry,
        )
        self._hits = Counter(
            "reactor_github_limits_hit",
            "Times that GitHub told us to stop for a while.",
            ("host",),
            registry=registry,
        )
        self._left = Gauge(
            "reactor_github_remaining_requests",
            "Requests that are left of the hour, as GitHub said last.",
            ("host", "account"),
            registry=registry,
        )

    def turned(self, ask: Ask, turn: Turn) -> None:
        """It goes, waits, or is sent back."""
        went = "waited" if turn.wait_s > 0 else "went"
        self._turns.labels(ask.host, ask.kind, went if turn.goes else turn.why).inc()

    def told(self, ask: Ask, told: Told) -> None:
        """An answer said so much of limits."""
        if told.remaining is not None:
            self._left.labels(ask.host, self._account(ask.account)).set(told.remaining)

    def stopped(self, ask: Ask, stop_s: float) -> None:
        """A secondary limit was hit."""
        self._hits.labels(ask.host).inc()
