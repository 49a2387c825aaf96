"""What can be looked up of a worker at any time, told to Prometheus when it asks."""

from collections.abc import Callable, Iterator

from prometheus_client.core import GaugeMetricFamily
from prometheus_client.registry import Collector

from reactor.heartbeat import Heartbeat
from reactor.overview import Backlog
from reactor.ports import Clock

Families = Iterator[GaugeMetricFamily]


class WorkerGauges(Collector):
    """A collector: reads the worker's pulse, and what was last seen of what all workers share."""

    def __init__(
        self, pulse: Callable[[], Heartbeat], backlog: Callable[[], Backlog], clock: Clock
    ) -> None:
        self._pulse, self._backlog, self._clock = pulse, backlog, clock

    def collect(self) -> Families:
        """All gauges, as they stand now."""
        yield from self._own(self._pulse())
        yield from self._shared(self._backlog())

    def _own(self, told: Heartbeat) -> Families:
        yield _gauge("ready", "1 while the worker has its place in the group.", told.is_ready)
        lag = GaugeMetricFamily(
            "reactor_lag_records",
            "Records of partitions of this worker that are not settled.",
            labels=("topic", "partition"),
        )
        for held in told.holds:
            lag.add_metric((held.topic, str(held.partition)), held.lag)
        yield lag
        in_hand = GaugeMetricFamily(
            "reactor_in_hand_records",
            "Records in hand: worked on, behind others, or waiting for a server.",
            labels=("state",),
        )
        in_hand.add_metric(("running",), told.running - told.waiting_out)
        in_hand.add_metric(("waiting",), told.waiting)
        in_hand.add_metric(("waiting_for_server",), told.waiting_out)
        yield in_hand
        age_s = (self._clock.now() - told.oldest_at).total_seconds() if told.oldest_at else 0.0
        yield _gauge("oldest_open_seconds", "Age of the oldest record in hand.", max(0.0, age_s))

    def _shared(self, seen: Backlog) -> Families:
        for name, said, value in (
            ("dead_letters_waiting", "Dead letters that nobody has retried or dropped.", seen.dead),
            ("forms_waiting", "Forms that wait for somebody's answer.", seen.forms),
            ("timers_due", "Timers that are due and not fired.", seen.timers_due),
            ("effects_due", "Subjects with effects that are to be sent.", seen.effects),
            ("effects_given_up", "Effects given up, not driven again.", seen.effects_given_up),
        ):
            if value is not None:
                yield _gauge(name, said, value)
        if seen.dead is not None:
            since = seen.oldest_dead_at
            age_s = (self._clock.now() - since).total_seconds() if since else 0.0
            said = "Age of the oldest dead letter that nobody has retried or dropped."
            yield _gauge("oldest_dead_letter_seconds", said, max(0.0, age_s))


def _gauge(name: str, said: str, value: float) -> GaugeMetricFamily:
    return GaugeMetricFamily(f"reactor_{name}", said, value=value)
