"""Pace: when a request may go to GitHub, so that no limit of it is ever hit.

One budget for each account on each host, shared by all workers:

    turn    a request goes now, or after a short wait that is kept for it, or is sent back
    told    what an answer said of limits: what is left of the hour, or to stop

What is left of the hour is known from answers; a share of it is kept for what people asked for.
Requests are spread by buckets: each lets a few go at once, and then one after the other, so that
within no window there are more than GitHub takes.  Whoever is sent back is told a time of its own,
so those who wait come again one after the other, and not all at once.

Shapes, the arithmetic and a port; adapters fit it.  Pure: every moment is passed in, in
microseconds since 1970 by the clock of the store.

Source: GitHub docs, "Rate limits for the REST API", "Best practices for using the REST API".
"""

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Literal, Protocol

Kind = Literal["read", "write", "content"]
BucketName = Literal["points", "writes", "content_minute", "content_hour"]
Why = Literal["", "stopped", "used_up", "too_many_at_once", "too_fast"]

S = 1_000_000  # microseconds
AT_ONCE = 10  # writes, after a while without any
MOST_STRIKES = 6  # each but the first doubles a stop
LONGEST_STOP_S = 3700.0  # limits are by the hour
LONGEST_PROMISE_S = 60.0  # by which those who were sent back are spread
FORGIVEN_AFTER_S = 600.0  # without a stop; the next one is a first one then
RUNS_AT_MOST = 120 * S  # a request whose end nobody told
_NAMES: Mapping[Kind, frozenset[BucketName]] = {
    "read": frozenset({"points"}),
    "write": frozenset({"points", "writes"}),
    "content": frozenset({"points", "writes", "content_minute", "content_hour"}),
}
RESET_LAG_S = 1.0  # both of its times are whole seconds
SAME_WINDOW_S = 2  # GitHub rounds when its hour ends
KEPT_S = 7500  # after the last request: longer than any window, and than any stop


@dataclass(frozen=True, slots=True, kw_only=True)
class Bucket:
    """So many at once, then one every so often: within a window at most both together."""

    name: BucketName
    interval_us: int  # from one unit to the next
    depth: int  # units that may go at once
    cost: int = 1  # units of this request

    @property
    def need_us(self) -> int:
        """How far a request moves the bucket on."""
        return self.interval_us * self.cost

    @property
    def slack_us(self) -> int:
        """How far ahead of the clock it may be."""
        return self.interval_us * self.depth


@dataclass(frozen=True, slots=True, kw_only=True)
class Rates:
    """What GitHub lets one account do; the figures are those that it publishes."""

    writes_a_second: float = 1.0
    content_a_minute: int = 80  # comments, issues, reviews
    content_an_hour: int = 500
    points_a_minute: int = 900  # a read is 1, a write 5
    at_once: int = 100
    reserve: float = 0.1  # share of everything that is left to what people asked for
    factor: float = 1.0  # everything so many times faster, for tests
    patience_s: float = 1.0  # longest wait that is kept for a request
    patience_begun_s: float = 10.0  # the same within a change, less than a try may take

    def buckets(self, kind: Kind, priority: int) -> tuple[Bucket, ...]:
        """Those that a request is in; without priority it does not go to their bottom."""
        of_kind = _NAMES[kind]
        return tuple(each for each in self._all(kind, priority) if each.name in of_kind)

    def _all(self, kind: Kind, priority: int) -> Iterator[Bucket]:
        points = 1 if kind == "read" else 5
        yield self._windowed("points", self.points_a_minute, 60, points, priority)
        interval_us = self.us(1 / self.writes_a_second)
        depth = self._depth(AT_ONCE, 1, priority)
        yield Bucket(name="writes", interval_us=interval_us, depth=depth)
        yield self._windowed("content_minute", self.content_a_minute, 60, 1, priority)
        yield self._windowed("content_hour", self.content_an_hour, 3600, 1, priority)

    def kept(self, priority: int) -> float:
        """The share that is left to others."""
        return 0.0 if priority > 0 else self.reserve

    def patience_us(self, ask: "Ask") -> int:
        """Longest wait that is kept for it."""
        return round((self.patience_begun_s if ask.has_begun else self.patience_s) * S)

    def open_at_once(self, priority: int) -> int:
        """How many requests may be under way."""
        return max(1, self.at_once - math.ceil(self.kept(priority) * self.at_once))

    def us(self, length_s: float) -> int:
        """Microseconds of a length of time, so many times faster."""
        return max(1, round(length_s * S / self.factor))

    def _windowed(
        self, name: BucketName, limit: int, window_s: int, cost: int, priority: int
    ) -> Bucket:
        """A fifth at once, seven tenths over the window; the rest is for requests that lag."""
        return Bucket(
            name=name,
            interval_us=self.us(window_s / max(1.0, limit * 0.7)),
            depth=self._depth(max(cost, limit // 5), cost, priority),
            cost=cost,
        )

    def _depth(self, depth: int, cost: int, priority: int) -> int:
        return max(cost, depth - math.ceil(self.kept(priority) * depth))


@dataclass(frozen=True, slots=True, kw_only=True)
class Ask:
    """A request that wants to go."""

    id: str  # of this request alone: asked again, it is answered as before
    host: str
    account: str
    kind: Kind
    priority: int = 0  # above 0: a person asked for it
    has_begun: bool = False  # sent back, its change would begin anew: it waits for longer


@dataclass(frozen=True, slots=True, kw_only=True)
class Turn:
    """Whether it may go."""

    goes: bool
    wait_s: float  # until it goes, or until it is to ask again
    why: Why = ""  # it waits


@dataclass(frozen=True, slots=True, kw_only=True)
class Told:
    """What an answer said of limits."""

    limit: int | None = None
    remaining: int | None = None
    reset: int | None = None  # seconds since 1970, by GitHub's clock
    reset_in_s: float | None = None  # from when it was answered
    stop_s: float = 0.0  # above 0: it was refused by a secondary limit, for so long


class Pace(Protocol):
    """One for all workers.  Raises `InfrastructureError`."""

    async def turn(self, ask: Ask) -> Turn:
        """Let it go, at once or after a wait of at most `Rates.patience_s`; or send it back."""
        ...

    async def told(self, ask: Ask, told: Told | None) -> float:
        """The request has ended; None: nothing was answered.

        Gives for how many seconds everybody stops because of it.
        """
        ...


@dataclass(slots=True)
class Budget:
    """What one account on one host has left.  Its fields are those that Redis keeps."""

    seen: int = 0  # the latest moment that it was used at
    stopped: int = 0  # until then nobody goes
    strikes: int = 0  # stops, each following the one before soon
    limit: int = 0
    remaining: int = -1  # unknown
    reset: int = 0  # as GitHub wrote it
    reset_at: int = 0  # the same by the clock of the store
    promised: int = 0  # until when those who were sent back come again
    ahead: dict[str, int] = field(default_factory=dict)  # bucket -> when it is full again
    running: dict[str, int] = field(default_factory=dict)  # request -> when it is forgotten

    def turn(self, ask: Ask, rates: Rates, now: int) -> Turn:
        """As the port says."""
        self._look_at(now)
        if known := self.running.get(ask.id):
            return Turn(goes=True, wait_s=max(0, known - RUNS_AT_MOST - now) / S)
        why, until = self._closed(ask, rates, now)
        if why:
            return Turn(goes=False, wait_s=(until - now) / S, why=why)
        buckets = rates.buckets(ask.kind, ask.priority)
        starts: dict[str, int] = {
            bucket.name: max(self.ahead.get(bucket.name, 0), now) + bucket.need_us
            for bucket in buckets
        }
        wait = max(0, *(starts[each.name] - each.slack_us - now for each in buckets))
        if wait > rates.patience_us(ask):
            return self._promise(ask, rates, now=now, wait=wait)
        self.ahead |= starts
        self.running[ask.id] = now + wait + RUNS_AT_MOST
        if self.remaining > 0:
            self.remaining -= 1
        return Turn(goes=True, wait_s=wait / S, why="too_fast" if wait else "")

    def told(self, ask: Ask, told: Told | None, rates: Rates, now: int) -> float:
        """As the port says."""
        self._look_at(now)
        self.running.pop(ask.id, None)
        if told is None:
            return 0.0
        self._note(told, now)
        if told.stop_s <= 0:
            return 0.0
        if now < self.stopped:  # one that was under way tells of the same stop
            self.stopped = max(self.stopped, now + round(told.stop_s * S))
            return 0.0
        is_soon = now < self.stopped + rates.us(FORGIVEN_AFTER_S)
        self.strikes = min(self.strikes + 1, MOST_STRIKES) if is_soon else 1
        stop_s = min(told.stop_s * (1 << (self.strikes - 1)), LONGEST_STOP_S)
        self.stopped = now + round(stop_s * S)
        return stop_s

    def _look_at(self, now: int) -> None:
        """Forget what is over; where the clock has gone back, everything goes back with it."""
        if back := max(0, self.seen - now):
            self.stopped, self.reset_at = self.stopped - back, self.reset_at - back
            self.promised -= back
            self.ahead = {name: at - back for name, at in self.ahead.items()}
            self.running = {name: at - back for name, at in self.running.items()}
        self.seen = now
        self.running = {name: at for name, at in self.running.items() if at > now}
        if self.remaining >= 0 and now >= self.reset_at:
            self.remaining = -1

    def _closed(self, ask: Ask, rates: Rates, now: int) -> tuple[Why, int]:
        if now < self.stopped:
            return "stopped", self.stopped
        if 0 <= self.remaining <= math.ceil(rates.kept(ask.priority) * self.limit):
            return "used_up", self.reset_at
        if len(self.running) >= rates.open_at_once(ask.priority):
            return "too_many_at_once", now + rates.us(1)
        return "", now

    def _promise(self, ask: Ask, rates: Rates, *, now: int, wait: int) -> Turn:
        """A time to come again, after those who were sent back before; people's is the first."""
        at = now + wait
        if ask.priority <= 0:
            need = max(each.need_us for each in rates.buckets(ask.kind, ask.priority))
            longest = at + rates.us(LONGEST_PROMISE_S)
            at = self.promised = min(max(at, self.promised + need), longest)
        return Turn(goes=False, wait_s=(at - now) / S, why="too_fast")

    def _note(self, told: Told, now: int) -> None:
        if told.remaining is None or told.reset is None or told.reset_in_s is None:
            return
        if told.reset < self.reset - SAME_WINDOW_S:
            return  # an answer that was long on its way
        is_same = self.remaining >= 0 and told.reset <= self.reset + SAME_WINDOW_S
        # those under way are counted here, and not there yet
        self.remaining = min(self.remaining, told.remaining) if is_same else told.remaining
        self.limit = told.limit or self.limit
        self.reset = max(self.reset, told.reset) if is_same else told.reset
        if not is_same or told.remaining == 0:
            self.reset_at = now + round((told.reset_in_s + RESET_LAG_S) * S)


def told_by(headers: Mapping[str, str], *, at_s: float | None, stop_s: float) -> Told:
    """What the headers of an answer say; names in lower case, `at_s`: when it was answered.

    Of limits beside the one of the REST API (search, GraphQL) nothing is said here.
    """
    if headers.get("x-ratelimit-resource", "core") != "core":
        return Told(stop_s=stop_s)
    reset = _number(headers.get("x-ratelimit-reset"))
    return Told(
        limit=_number(headers.get("x-ratelimit-limit")),
        remaining=_number(headers.get("x-ratelimit-remaining")),
        reset=reset,
        reset_in_s=None if reset is None or at_s is None else max(0.0, reset - at_s),
        stop_s=stop_s,
    )


def _number(text: str | None) -> int | None:
    return int(text) if text is not None and text.isascii() and text.isdigit() else None
