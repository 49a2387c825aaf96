"""Rates: what came to rest lately, how, and how long it took."""

from datetime import UTC, datetime, timedelta

from reactor.rates import WINDOWS, Window, told_rates
from reactor.status import ProcessHead, Status

NOW = datetime(2026, 1, 1, 12, 34, 56, tzinfo=UTC)
HOUR = next(window for window in WINDOWS if window.name == "1h")


def process(
    minutes_ago: float, status: Status = Status.COMPLETED, *, took_s: float = 1, event: str = "push"
) -> ProcessHead:
    at = NOW - timedelta(minutes=minutes_ago)
    return ProcessHead(
        id=f"p{minutes_ago}{status}{took_s}",
        delivery="github.com/a",
        reaction="everything",
        subject="github.com/9#7",
        agent="reactor",
        planner="utility",
        status=status,
        event=event,
        created_at=at - timedelta(seconds=took_s),
        updated_at=at,
    )


def test_each_process_counts_in_the_minute_in_which_it_changed_last() -> None:
    heads = [process(0.5), process(1.5), process(1.6, Status.FAILED), process(59)]

    told = told_rates(heads, HOUR, NOW)

    assert [bucket["outcomes"] for bucket in told["buckets"][-2:]] == [
        {"COMPLETED": 1, "FAILED": 1},
        {"COMPLETED": 1},
    ]
    assert told["buckets"][0]["outcomes"] == {"COMPLETED": 1}
    assert told["outcomes"] == {"COMPLETED": 3, "FAILED": 1}
    assert told["processes"] == 4


def test_what_lies_outside_the_window_does_not_count() -> None:
    told = told_rates([process(61), process(-5)], HOUR, NOW)

    assert told["processes"] == 0
    assert told["p50_s"] is None


def test_buckets_begin_at_round_times_so_that_they_stay_the_same() -> None:
    first = told_rates([], HOUR, NOW)["buckets"]
    second = told_rates([], HOUR, NOW + timedelta(seconds=60))["buckets"]

    assert first[-1]["at"] == "2026-01-01T12:34:00+00:00"
    assert first[1:] == second[:-1]


def test_only_what_has_ended_says_how_long_it_took() -> None:
    ended = [process(1, took_s=seconds) for seconds in (1, 2, 3, 4, 100)]

    told = told_rates([*ended, process(1, Status.WAITING, took_s=9999)], HOUR, NOW)

    assert told["p50_s"] == 3
    assert told["p95_s"] == 80.8
    assert told["buckets"][-2]["p50_s"] == 3


def test_the_most_frequent_names_come_first() -> None:
    heads = [process(n / 10, event=event) for n, event in enumerate(("a", "b", "b", "c", "c", "c"))]

    told = told_rates(heads, HOUR, NOW)

    assert told["events"] == [("c", 3), ("b", 2), ("a", 1)]
    assert told["reactions"] == [("everything", 6)]


def test_every_window_ends_with_the_bucket_of_now() -> None:
    for window in WINDOWS:
        told = told_rates([process(0)], window, NOW)
        assert told["buckets"][-1]["outcomes"] == {"COMPLETED": 1}, window.name
    assert told_rates([process(0)], Window("odd", timedelta(seconds=7), 3), NOW)["processes"] == 1
