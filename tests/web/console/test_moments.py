"""Moments for people."""

from datetime import UTC, datetime, timedelta

import pytest

from reactor.web.console.moments import ago, clock_time, to_the_second

NOW = datetime(2026, 1, 31, 12, tzinfo=UTC)


@pytest.mark.parametrize(
    ("past", "said"),
    [
        (timedelta(seconds=0), "0 s ago"),
        (timedelta(seconds=59), "59 s ago"),
        (timedelta(minutes=1), "1 min ago"),
        (timedelta(minutes=59, seconds=59), "59 min ago"),
        (timedelta(hours=47), "47 h ago"),
        (timedelta(days=2), "2 days ago"),
        (timedelta(days=30), "2026-01-01"),
        (timedelta(seconds=-0.5), "0 s ago"),  # clocks differ a little
        (timedelta(minutes=-5), "in 5 min"),
        (timedelta(days=-90), "in 90 days"),
    ],
)
def test_how_long_ago_something_was(past: timedelta, said: str) -> None:
    assert ago((NOW - past).isoformat(), NOW) == said


def test_a_moment_to_the_second_and_a_time_of_day() -> None:
    written = "2026-01-01T03:04:05.678+00:00"

    assert to_the_second(written) == "2026-01-01 03:04:05"
    assert clock_time(written) == "03:04:05"
    assert clock_time("2026-01-01T03:04:00+00:00") == "03:04"
