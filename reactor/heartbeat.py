"""Heartbeats: every few seconds each worker says that it lives, what it holds, and how it goes.

For people and for `reactor status`; nothing that is decided depends on them.  A worker that dies
is gone from the list when its last one has run out.
"""

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Protocol

BEAT_EVERY_S = 2.0
KEEP = timedelta(seconds=10)  # a few beats may be late, or lost with a Redis that is restarted


@dataclass(frozen=True, slots=True, kw_only=True)
class Holding:
    """A partition that a worker reads."""

    topic: str
    partition: int
    lag: int  # records that lie there and are not settled


@dataclass(frozen=True, slots=True, kw_only=True)
class Heartbeat:
    """What a worker says of itself."""

    owner: str  # "host/process/name", as in leases
    at: datetime
    started_at: datetime
    is_ready: bool  # it has its place in the group
    holds: tuple[Holding, ...] = ()
    running: int = 0  # deliveries and signals that are worked on
    waiting: int = 0  # that are in hand, behind others
    waiting_out: int = 0  # of those running: how many wait for a server to come back
    settled: int = 0  # since it was started
    settled_per_s: float = 0.0  # of late
    given_up: int = 0  # of the settled: how many became dead letters
    oldest_at: datetime | None = None  # when the oldest record in hand was written
    http: str = ""  # where its probes and metrics are: "http://127.0.0.1:9100"

    @property
    def host(self) -> str:
        """The machine that it runs on."""
        return self.owner.rsplit("/", 2)[0]

    @property
    def name(self) -> str:
        """What it was called when it was started."""
        return self.owner.rsplit("/", 1)[-1]

    @property
    def lag(self) -> int:
        """Records of its partitions that are not settled."""
        return sum(held.lag for held in self.holds)


class Heartbeats(Protocol):
    """Where they are kept.  Every method may raise `InfrastructureError`."""

    async def beat(self, heartbeat: Heartbeat, *, keep: timedelta) -> None:
        """Keep it, in the place of the owner's last one, and for so long at most."""
        ...

    async def gone(self, owner: str) -> None:
        """It has ended in order: forget it now."""
        ...

    async def alive(self) -> list[Heartbeat]:
        """Of each owner the last one, if it has not run out; by owner."""
        ...
