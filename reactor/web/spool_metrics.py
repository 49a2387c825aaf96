"""How the gateway's spool stands, told to Prometheus when it asks."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, Metric
from prometheus_client.registry import Collector


@dataclass(frozen=True, slots=True, kw_only=True)
class SpoolReading:
    """A spool at one moment."""

    items: int = 0  # that wait
    bytes: int = 0  # that they take on disk
    bytes_up_to: int = 0  # where it is full
    spooled: int = 0  # since the start
    drained: int = 0
    set_aside: int = 0
    is_readable: bool = True  # its files are there


class SpoolMetrics(Collector):
    """A collector of one spool."""

    def __init__(self, read: Callable[[], SpoolReading]) -> None:
        self._read = read

    def collect(self) -> Iterator[Metric]:
        """All of it, as it stands now."""
        told = self._read()
        gauges = {
            "reactor_spool_items": ("Deliveries and answers that wait in the spool.", told.items),
            "reactor_spool_bytes": ("What they take on disk.", told.bytes),
            "reactor_spool_limit_bytes": ("Where the spool is full.", told.bytes_up_to),
            "reactor_spool_unreadable": (
                "1 while the spool's files are gone or can't be read.",
                int(not told.is_readable),
            ),
        }
        for name, (meaning, value) in gauges.items():
            yield GaugeMetricFamily(name, meaning, value=value)
        counts = {
            "reactor_spooled": ("What was put into the spool.", told.spooled),
            "reactor_spool_drained": ("What was produced out of the spool.", told.drained),
            "reactor_spool_set_aside": ("What no broker takes: it is in a file.", told.set_aside),
        }
        for name, (meaning, value) in counts.items():
            yield CounterMetricFamily(name, meaning, value=value)
