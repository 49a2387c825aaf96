"""Whether a worker gets on: being alive is not enough, clients of a broker can hang for good.

Pure but for what it remembers; asked by the probe `/healthz`.  The processor ends itself for the
same reasons (`streams.watch`); this is for an orchestrator that looks from outside.
"""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Standing:
    """Where a worker stands."""

    is_ready: bool  # it has its place in the group
    in_hand: int  # records that are worked on, or wait behind others
    lag: int  # records that lie on the broker and are not settled
    steps: int  # grows whenever anything goes on
    slowest_s: float  # how long the slowest record has not got on


class Progress:
    """Remembers since when nothing has gone on."""

    def __init__(self, *, silent_s: float = 60.0, try_s: float = 900.0) -> None:
        self._silent_s, self._try_s = silent_s, try_s
        self._steps = -1
        self._since_s = 0.0

    def why_not(self, now_s: float, standing: Standing) -> str:
        """Why a restart would help: a clause, or "" where it gets on, or has nothing to do.

        Waiting for a server that is away, or for a place in the group, is no stand.
        """
        if standing.slowest_s >= self._try_s:
            return f"a record has not got on for {standing.slowest_s:.0f} s"
        has_stopped = standing.is_ready and standing.lag > 0 and standing.in_hand == 0
        if standing.steps != self._steps or not has_stopped:
            self._steps, self._since_s = standing.steps, now_s
            return ""
        for_s = now_s - self._since_s
        if for_s < self._silent_s:
            return ""
        return f"{standing.lag} records wait on the broker, and none came for {for_s:.0f} s"
