"""How often Redis had lost its data, told to Prometheus when it asks."""

from collections.abc import Callable, Iterator

from prometheus_client.core import CounterMetricFamily
from prometheus_client.registry import Collector


class RedisMetrics(Collector):
    """A collector: reads a count since the start of the process."""

    def __init__(self, losses: Callable[[], int]) -> None:
        self._losses = losses

    def collect(self) -> Iterator[CounterMetricFamily]:
        """The count, as it stands now."""
        yield CounterMetricFamily(
            "reactor_redis_data_losses",
            "Times that Redis was found without the data that it had.",
            value=self._losses(),
        )
