"""Lag: what lies on topics and was not settled, as the broker tells it.  Disturbs no group.

Offsets are those that the group has committed, so they are right whoever works, or if nobody does.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime

from streams.reader import Extent, TopicReader
from streams.window import Partition


@dataclass(frozen=True, slots=True)
class Behind:
    """A partition, and from where on it is not settled."""

    extent: Extent
    next: int  # offset of the first record that is not settled

    @property
    def lag(self) -> int:
        """How many records."""
        return self.extent.end - self.next


async def read_lag(reader: TopicReader, *topics: str) -> dict[Partition, Behind]:
    """Of every partition of the topics.  `reader` was opened for the group that is meant.

    A group that has committed nothing begins with the oldest record; so does one whose offset
    lies beyond the end, for its topic has begun anew.  Raises `InfrastructureError`.
    """
    extents = await reader.extents(*topics)
    committed = await reader.committed(extents)
    return {
        partition: Behind(extent, _next(extent, committed[partition]))
        for partition, extent in extents.items()
    }


async def oldest_open(reader: TopicReader, behind: Mapping[Partition, Behind]) -> datetime | None:
    """When the oldest record that is not settled was written; None where there is none.

    Raises `InfrastructureError`.
    """
    first = {
        partition: Extent(each.next, each.next + 1)
        for partition, each in behind.items()
        if each.lag
    }
    return min([record.written_at async for record in reader.read(first)], default=None)


def _next(extent: Extent, committed: int | None) -> int:
    is_known = committed is not None and extent.begin <= committed <= extent.end
    return committed if is_known and committed is not None else extent.begin
