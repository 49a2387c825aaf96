"""When a timer is due again."""

from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reactor.timer import BadSchedule, Cron, Every

NOW = datetime(2026, 3, 14, 15, 9, tzinfo=UTC)  # a Saturday
MOMENTS = st.integers(min_value=1_577_836_800, max_value=1_900_000_000).map(
    lambda seconds: datetime.fromtimestamp(seconds, UTC)
)


def test_an_interval_goes_on_from_the_moment_it_was_due() -> None:
    assert Every(60).after(NOW, NOW.replace(second=7)) == NOW.replace(minute=10)


def test_what_was_missed_is_skipped_and_the_beat_is_kept() -> None:
    assert Every(60).after(NOW, NOW.replace(minute=12, second=1)) == NOW.replace(minute=13)


@given(MOMENTS, MOMENTS, st.integers(min_value=1, max_value=10**7))
def test_the_next_moment_always_lies_ahead(due_at: datetime, now: datetime, seconds: int) -> None:
    following = Every(seconds).after(due_at, now)

    assert following > now
    assert following > due_at
    assert (following - due_at).total_seconds() % seconds == 0


@pytest.mark.parametrize(
    ("expression", "due_at"),
    [
        ("0 3 * * *", datetime(2026, 3, 15, 3, tzinfo=UTC)),
        ("*/15 * * * *", datetime(2026, 3, 14, 15, 15, tzinfo=UTC)),
        ("0 9 * * 1-5", datetime(2026, 3, 16, 9, tzinfo=UTC)),
        ("9 15 14 3 *", datetime(2027, 3, 14, 15, 9, tzinfo=UTC)),
    ],
)
def test_cron_gives_the_first_moment_after_now(expression: str, due_at: datetime) -> None:
    assert Cron(expression).after(NOW, NOW) == due_at


def test_cron_goes_by_the_clocks_of_its_place() -> None:
    before_summer_time = datetime(2026, 3, 28, 12, tzinfo=UTC)
    cron = Cron("30 8 * * *", "Europe/Berlin")

    first = cron.after(before_summer_time, before_summer_time)
    last_of_winter = datetime(2026, 3, 27, 12, tzinfo=UTC)

    assert first == datetime(2026, 3, 29, 6, 30, tzinfo=UTC)
    assert cron.after(last_of_winter, last_of_winter) == datetime(2026, 3, 28, 7, 30, tzinfo=UTC)


@pytest.mark.parametrize(
    "cron",
    [Cron("0 3 * *"), Cron("61 * * * *"), Cron("0 0 31 2 *"), Cron("0 3 * * *", "Nowhere/Land")],
    ids=["too_few_fields", "no_such_minute", "no_such_day", "no_such_zone"],
)
def test_what_is_no_schedule_is_refused(cron: Cron) -> None:
    with pytest.raises(BadSchedule) as refused:
        cron.after(NOW, NOW)

    assert "is no schedule" in str(refused.value)
