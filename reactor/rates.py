"""Rates: how many processes came to rest lately, how, and how long they took.

Pure; from heads of processes, for charts.  A process counts where it changed last.
"""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from statistics import median, quantiles
from typing import TypedDict

from reactor.records import Bar
from reactor.status import ProcessHead

MOST_NAMES = 8  # events and reactions that are told, the most frequent


class ToldBucket(TypedDict):
    """A piece of the window."""

    at: str  # when it begins; ISO 8601, UTC
    outcomes: dict[str, int]  # by status, those that occur
    p50_s: float | None  # from begin to end; None where none ended
    p95_s: float | None


class ToldRates(TypedDict):
    """A window of time, the last bucket being the one that is not over."""

    window: str  # its name: "1h"
    since: str  # ISO 8601, UTC
    bucket_s: float
    processes: int
    per_minute: float
    p50_s: float | None
    p95_s: float | None
    outcomes: dict[str, int]
    events: list[tuple[str, int]]  # most frequent first
    reactions: list[tuple[str, int]]
    buckets: list[ToldBucket]
    is_whole: bool  # whether there were not more processes than were counted
    upper: str  # what `p95_s` is: "p95"; "slowest" where the index of the journal has counted


@dataclass(frozen=True, slots=True)
class Window:
    """So many buckets of one length."""

    name: str
    bucket: timedelta
    buckets: int

    @property
    def length(self) -> timedelta:
        """Of all of it."""
        return self.bucket * self.buckets

    def since(self, now: datetime) -> datetime:
        """When it begins: buckets begin where clocks are round, so that they stay the same."""
        length_s = self.bucket.total_seconds()
        last = datetime.fromtimestamp(now.timestamp() // length_s * length_s, now.tzinfo)
        return last - self.bucket * (self.buckets - 1)


WINDOWS = (
    Window("15min", timedelta(seconds=30), 30),
    Window("1h", timedelta(minutes=1), 60),
    Window("6h", timedelta(minutes=6), 60),
    Window("24h", timedelta(minutes=30), 48),
)


def told_rates(
    heads: Iterable[ProcessHead], window: Window, now: datetime, *, is_whole: bool = True
) -> ToldRates:
    """Of the heads that changed within the window; `is_whole`: whether these are all."""
    since = window.since(now)
    buckets: list[list[ProcessHead]] = [[] for _ in range(window.buckets)]
    counted = list[ProcessHead]()
    for head in heads:
        number = (head.updated_at - since) // window.bucket
        if 0 <= number < window.buckets:
            buckets[number].append(head)
            counted.append(head)
    p50_s, p95_s = _took(counted)
    return ToldRates(
        window=window.name,
        since=since.isoformat(),
        bucket_s=window.bucket.total_seconds(),
        processes=len(counted),
        per_minute=round(len(counted) / max((now - since).total_seconds() / 60, 1), 2),
        p50_s=p50_s,
        p95_s=p95_s,
        outcomes=_outcomes(counted),
        events=Counter(head.event for head in counted).most_common(MOST_NAMES),
        reactions=Counter(head.reaction for head in counted).most_common(MOST_NAMES),
        buckets=[
            _told(since + window.bucket * number, heads) for number, heads in enumerate(buckets)
        ],
        is_whole=is_whole,
        upper="p95",
    )


def with_bars(told: ToldRates, bars: Sequence[Bar], window: Window, now: datetime) -> ToldRates:
    """The same with what the journal's index has counted, where there was more than was listed.

    Events and reactions stay those of the newest.
    """
    counts = Counter[str]()
    for bar in bars:
        counts.update(bar.ended)
    ended, since = counts.total(), window.since(now)
    medians = [bar.median_s for bar in bars if bar.median_s is not None]
    return {
        **told,
        "processes": ended,
        "per_minute": round(ended / max((now - since).total_seconds() / 60, 1), 2),
        "p50_s": median(medians) if medians else None,  # of the buckets': near enough
        "p95_s": max((bar.slowest_s for bar in bars if bar.slowest_s is not None), default=None),
        "outcomes": dict(sorted(counts.items())),
        "buckets": [
            ToldBucket(
                at=bar.begin.isoformat(),
                outcomes=dict(sorted(bar.ended.items())),
                p50_s=bar.median_s,
                p95_s=bar.slowest_s,
            )
            for bar in bars
        ],
        "is_whole": True,
        "upper": "slowest",
    }


def _told(at: datetime, heads: Sequence[ProcessHead]) -> ToldBucket:
    p50_s, p95_s = _took(heads)
    return ToldBucket(at=at.isoformat(), outcomes=_outcomes(heads), p50_s=p50_s, p95_s=p95_s)


def _outcomes(heads: Iterable[ProcessHead]) -> dict[str, int]:
    return dict(sorted(Counter(head.status.value for head in heads).items()))


def _took(heads: Iterable[ProcessHead]) -> tuple[float | None, float | None]:
    """Median and 95th percentile, in seconds, of those that have ended."""
    took = [
        (head.updated_at - head.created_at).total_seconds()
        for head in heads
        if head.status.is_final
    ]
    if not took:
        return None, None
    if len(took) == 1:
        return took[0], took[0]
    cuts = quantiles(took, n=20, method="inclusive")
    return round(cuts[9], 4), round(cuts[18], 4)
