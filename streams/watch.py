"""Watching for a processor that has come to a stand without having crashed.

Clients of a broker can hang for good: after a broker's restart, after a rebalance gone wrong.
Their process lives and looks well; only work tells.  Three rules, all pure:

- records lie on the broker, none is in hand, and nothing comes for `silent_s`;
- the group has been sharing out the partitions for `silent_s`;
- one try of a handler has not got on for `try_s` (a process that ends an action does).

Waiting for a server that is away is no stand: it is logged, and seen in the health.
"""

from collections.abc import Mapping
from dataclasses import dataclass

from reactor.errors import ReactorError
from streams.ordered import PumpState
from streams.reader import Extent
from streams.window import Partition


@dataclass(frozen=True, slots=True, kw_only=True)
class Stall:
    """How long standing still is normal, in seconds."""

    silent_s: float = 60.0
    try_s: float = 900.0  # longer than any action may take


class ProcessorStalled(ReactorError):
    """Nothing goes on although there is work: the process must be started anew."""

    def __init__(self, what: str) -> None:
        super().__init__(what)
        self.what = what

    def __str__(self) -> str:
        return f"the processor is at a stand: {self.what}; it must be started again"


class Watch:
    """Remembers since when something has not moved."""

    def __init__(self, stall: Stall) -> None:
        self._stall = stall
        self._stuck: dict[Partition, tuple[int, float]] = {}  # next offset, since when
        self._rebalancing_since_s: float | None = None

    def check_tries(self, pump: PumpState) -> None:
        """Raises `ProcessorStalled` for a try that hangs."""
        if pump.oldest_try_s >= self._stall.try_s:
            for_s = pump.oldest_try_s
            raise ProcessorStalled(f"a record in work has not got on for {for_s:.0f} s")

    def check_rebalance(self, now_s: float, *, is_rebalancing: bool) -> None:
        """Raises `ProcessorStalled` for a rebalance that does not come to an end."""
        if not is_rebalancing:
            self._rebalancing_since_s = None
            return
        if self._rebalancing_since_s is None:
            self._rebalancing_since_s = now_s
        for_s = now_s - self._rebalancing_since_s
        if for_s >= self._stall.silent_s:
            raise ProcessorStalled(f"the group has been rebalancing for {for_s:.0f} s")

    def check_lag(
        self,
        now_s: float,
        extents: Mapping[Partition, Extent],
        next_offsets: Mapping[Partition, int],
    ) -> None:
        """Raises `ProcessorStalled` when records have waited for too long and none came.

        To be called while nothing is in hand.  `next_offsets`: what each assigned partition
        should give next; -1 for its oldest record.
        """
        waiting = {
            partition: offset
            for partition, offset in next_offsets.items()
            if _is_behind(extents.get(partition), offset)
        }
        before = self._stuck
        self._stuck = {partition: (offset, now_s) for partition, offset in waiting.items()}
        for partition, (offset, since_s) in before.items():
            if waiting.get(partition) != offset:
                continue
            self._stuck[partition] = offset, since_s
            if now_s - since_s >= self._stall.silent_s:
                place = f"{partition.topic}[{partition.number}]"
                raise ProcessorStalled(f"nothing came from {place} for {now_s - since_s:.0f} s")

    def forget_lag(self) -> None:
        """Something is in hand, so what waits on the broker waits for us."""
        self._stuck.clear()


def _is_behind(extent: Extent | None, next_offset: int) -> bool:
    """Whether something waits; or the partition is gone, or has begun anew below our offset."""
    return extent is None or max(next_offset, extent.begin) != extent.end
