"""Moments for people: how long ago, or when.

The console's script says the same (`ago` in `static/console.js`), so that a page that stays open
goes on telling the truth.
"""

from datetime import datetime

_STEPS = ((60, 1, "s"), (3600, 60, "min"), (172_800, 3600, "h"), (2_592_000, 86_400, "days"))
"""Below so many seconds, in units of so many."""


def ago(written: str, now: datetime) -> str:
    """Of an ISO time: "5 min ago"; the day itself where that is a month ago and more."""
    then = datetime.fromisoformat(written)
    seconds = (now - then).total_seconds()
    if seconds < -1:
        return f"in {_span(-seconds)}"
    for below, unit, name in _STEPS:
        if seconds < below:
            return f"{max(0, int(seconds // unit))} {name} ago"
    return then.strftime("%Y-%m-%d")


def _span(seconds: float) -> str:
    for below, unit, name in _STEPS:
        if seconds < below:
            return f"{int(seconds // unit)} {name}"
    return f"{int(seconds // 86_400)} days"


def to_the_second(written: str) -> str:
    """An ISO time (UTC) to the second."""
    return datetime.fromisoformat(written).strftime("%Y-%m-%d %H:%M:%S")


def clock_time(written: str) -> str:
    """The time of day of an ISO time (UTC), with seconds where there are any."""
    then = datetime.fromisoformat(written)
    return then.strftime("%H:%M:%S" if then.second else "%H:%M")
