"""Timers: what is to be told later, once or again and again, and the port that keeps them.

A timer that is due becomes a record on a topic like any other: a delivery of the event "timer",
or a signal where it belongs to a process.  The record's id follows from the timer and the moment
it was due, so one that fires twice starts one process.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from typing import Protocol
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from pydantic import JsonValue

from reactor.delivery import Subject
from reactor.errors import ReactorError


class BadSchedule(ReactorError):
    """A schedule that can't be kept."""

    def __init__(self, schedule: str, why: str) -> None:
        super().__init__(schedule, why)
        self.schedule, self.why = schedule, why

    def __str__(self) -> str:
        return f"{self.schedule!r} is no schedule: {self.why}; write five fields, as `0 3 * * 1`"


@dataclass(frozen=True, slots=True)
class Every:
    """Again and again, at a distance; what was missed is made up for once."""

    seconds: float

    def after(self, due_at: datetime, now: datetime) -> datetime:
        """The first moment later than `now`, a whole number of intervals after `due_at`."""
        interval = timedelta(seconds=self.seconds)
        return due_at + max((now - due_at) // interval + 1, 1) * interval


@dataclass(frozen=True, slots=True)
class Cron:
    """At the times of a cron expression, on the clocks of a place."""

    expression: str  # "0 3 * * 1-5"
    zone: str = "UTC"  # a name of the time zone database

    def after(self, due_at: datetime, now: datetime) -> datetime:
        """The first such moment later than `now`.  Raises `BadSchedule`."""
        from cronsim import CronSim, CronSimError

        try:
            local = now.astimezone(ZoneInfo(self.zone))
            return next(CronSim(self.expression, local)).astimezone(UTC)
        except (ZoneInfoNotFoundError, ValueError) as error:
            raise BadSchedule(self.zone, "there is no such time zone") from error
        except CronSimError as error:
            raise BadSchedule(self.expression, str(error)) from None
        except StopIteration:
            raise BadSchedule(self.expression, "there is no such day") from None


Schedule = Every | Cron


@dataclass(frozen=True, slots=True)
class TimerFired:
    """The event that a timer starts processes with, as a fact on their blackboards."""

    name: str  # "nightly", as the settings call it
    due_at: datetime  # when it should have fired; what it is told may come later
    payload: Mapping[str, JsonValue] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class About:
    """What a timer reminds somebody of."""

    host: str  # "github.com"
    reaction: str  # that is started by it, and no other
    told: Mapping[str, object]  # an event of the host, as `reactor.timed` reads it


@dataclass(frozen=True, slots=True, kw_only=True)
class Timer:
    """Something that is due at a moment."""

    id: str  # "settings:nightly": a later one of this id replaces it
    due_at: datetime  # aware, UTC
    name: str  # the action of the record: "nightly", or a kind of signal
    subject: Subject  # what the record is kept in order with
    is_signal: bool = False  # it belongs to a process, whose id is the subject's key
    payload: Mapping[str, object] = field(default_factory=dict)  # JSON's own types
    repeats: Schedule | None = None  # None: once
    about: About | None = None  # None: of nothing; it is for whoever listens

    def following(self, now: datetime) -> "Timer | None":
        """The same timer with its next moment, or None where it was the last one."""
        if self.repeats is None:
            return None
        return replace(self, due_at=self.repeats.after(self.due_at, now))


class Timers(Protocol):
    """Where timers are kept.  Every method may raise `InfrastructureError`."""

    async def put(self, timer: Timer) -> None:
        """Keep the timer, instead of one of the same id.

        One that repeats by the same schedule, and tells the same, keeps its moment: putting it
        again, as every start does, must not move it.
        """
        ...

    async def cancel(self, timer_id: str) -> None:
        """Forget a timer, if it is there."""
        ...

    async def due(self, now: datetime, *, limit: int = 100) -> list[Timer]:
        """Those that are due, earliest first."""
        ...

    async def fired(self, timer: Timer, following: Timer | None) -> None:
        """The record of `timer` is on its topic: go on to `following`, or forget it.

        Does nothing where another moment was set meanwhile.
        """
        ...

    async def all(self) -> list[Timer]:
        """All timers, the earliest first."""
        ...

    async def lead(self, owner: str, *, lease: timedelta) -> bool:
        """Take or renew the right to fire; False while another owner has it."""
        ...

    async def resign(self, owner: str) -> None:
        """Give that right back, if it is ours."""
        ...
