"""How a process is run: its limits, and what it does about failures.

Limits are *termination policies*: each looks at the progress before every action and may give a
reason to stop.  They compose: adding one never replaces another.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Literal, Protocol

from reactor.status import Run

if TYPE_CHECKING:
    from reactor.listening import ProcessListener
    from reactor.rescue import StuckHandler


@dataclass(frozen=True, slots=True, kw_only=True)
class Progress:
    """What a termination policy may look at."""

    runs: Sequence[Run]  # oldest first, failed ones included
    created_at: datetime
    now: datetime
    usage: Mapping[str, float]  # "tokens", "cost_usd", ...

    @property
    def actions(self) -> int:
        """How many actions have run; an answer is no run of its own."""
        return sum(run.outcome != "answered" for run in self.runs)


class TerminationPolicy(Protocol):
    """A reason to end a process early."""

    def reason(self, progress: Progress) -> str | None:
        """Why the process should end now, as a clause; None: it may go on."""
        ...


@dataclass(frozen=True, slots=True)
class MaxActions:
    """At most so many runs of actions, failed ones included."""

    limit: int

    def reason(self, progress: Progress) -> str | None:
        """Why the process should end now, if it should."""
        return f"{self.limit} actions have run" if progress.actions >= self.limit else None


@dataclass(frozen=True, slots=True)
class Deadline:
    """So long after the process was created, whoever runs it."""

    after: timedelta

    def reason(self, progress: Progress) -> str | None:
        """Why the process should end now, if it should."""
        if progress.now - progress.created_at < self.after:
            return None
        return f"its deadline of {self.after.total_seconds():g} s has passed"


@dataclass(frozen=True, slots=True)
class MaxUsage:
    """At most so much of something that is counted, such as "tokens" or "cost_usd"."""

    kind: str
    limit: float

    def reason(self, progress: Progress) -> str | None:
        """Why the process should end now, if it should."""
        used = progress.usage.get(self.kind, 0.0)
        return f"{used:g} of {self.limit:g} {self.kind} are used" if used >= self.limit else None


@dataclass(frozen=True, slots=True)
class MaxInARow:
    """The same action so many times, one after the other: it goes round in circles."""

    limit: int

    def reason(self, progress: Progress) -> str | None:
        """Why the process should end now, if it should."""
        last = progress.runs[-self.limit :]
        if len(last) < self.limit or len({run.action for run in last}) > 1:
            return None
        return f"{last[-1].action} has run {self.limit} times in a row"


@dataclass(frozen=True, slots=True, kw_only=True)
class ProcessOptions:
    """How one process is run."""

    max_actions: int = 50
    deadline: timedelta | None = None
    max_failures: int = 3  # of one action, before it is barred for good
    on_failure: Literal["replan", "stop"] = "replan"
    max_wakes: int = 0  # tries, later, of what failed with an error that can pass; then FAILED
    context_id: str | None = None  # of the facts that outlive it and are there from its start
    terminate_when_stuck: bool = False  # having nothing left to do is the normal end
    on_stuck: "StuckHandler | None" = None  # may help before it is STUCK
    max_rescues: int = 3  # by that
    max_rounds: int = 20  # of a supervisor: how often its model may pick what to run
    concurrent: bool = False  # read-only actions that do not touch each other run together
    policies: tuple[TerminationPolicy, ...] = ()  # beside the limits above
    listeners: "tuple[ProcessListener, ...]" = ()  # beside those of the engine

    def stopping_at(self, *policies: TerminationPolicy) -> "ProcessOptions":
        """The same with further policies."""
        return replace(self, policies=(*self.policies, *policies))

    def reason_to_stop(self, progress: Progress) -> str | None:
        """The first policy's reason, if any has one."""
        limits: list[TerminationPolicy] = [MaxActions(self.max_actions)]
        if self.deadline is not None:
            limits.append(Deadline(self.deadline))
        reasons = (policy.reason(progress) for policy in (*limits, *self.policies))
        return next((reason for reason in reasons if reason is not None), None)
