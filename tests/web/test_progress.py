"""A worker that has come to a stand is told from one that waits, or has nothing to do."""

from dataclasses import replace

from reactor.web.progress import Progress, Standing

BUSY = Standing(is_ready=True, in_hand=3, lag=10, steps=5, slowest_s=2.0)
STOPPED = replace(BUSY, in_hand=0)


def looked_at(standing: Standing, *at_s: float) -> list[str]:
    progress = Progress(silent_s=60, try_s=900)
    return [progress.why_not(now_s, standing) for now_s in at_s]


def test_records_that_wait_on_the_broker_while_none_comes_are_a_stand_after_a_minute() -> None:
    first, soon, late = looked_at(STOPPED, 100, 159, 160)

    assert (first, soon) == ("", "")
    assert late == "10 records wait on the broker, and none came for 60 s"


def test_whatever_goes_on_begins_the_minute_anew() -> None:
    progress = Progress(silent_s=60, try_s=900)
    progress.why_not(100, STOPPED)

    assert progress.why_not(159, replace(STOPPED, steps=6)) == ""
    assert progress.why_not(200, replace(STOPPED, steps=6)) == ""
    assert progress.why_not(219, replace(STOPPED, steps=6)) != ""


def test_work_in_hand_no_lag_and_no_place_in_the_group_are_no_stand() -> None:
    for standing in (BUSY, replace(STOPPED, lag=0), replace(STOPPED, is_ready=False)):
        assert looked_at(standing, 0, 1_000) == ["", ""]


def test_a_record_that_does_not_get_on_for_longer_than_any_action_may_take_is_a_stand() -> None:
    assert looked_at(replace(BUSY, slowest_s=899.0), 0) == [""]
    assert looked_at(replace(BUSY, slowest_s=900.0), 0) == ["a record has not got on for 900 s"]
