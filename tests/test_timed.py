"""What a timer made, as a worker reads it."""

from dataclasses import replace
from datetime import UTC, datetime

import pytest

from reactor.delivery import Delivery, Subject
from reactor.firing import record_of
from reactor.github.own import OwnIdentity
from reactor.github.reading import GitHubReader
from reactor.reaction import Reaction
from reactor.testing import delivery
from reactor.timed import TimedReader, UnreadableTimer
from reactor.timer import Timer, TimerFired

DUE = datetime(2026, 3, 14, 3, tzinfo=UTC)
GITHUB = GitHubReader(OwnIdentity())
READER = TimedReader(GITHUB)


def nightly() -> Delivery:
    timer = Timer(
        id="settings:nightly",
        due_at=DUE,
        name="nightly",
        subject=Subject(key="reactor/timer#nightly", name="timer nightly"),
        payload={"keep": [1, None]},
    )
    return record_of(timer, at=DUE)


def test_it_is_a_fact_that_says_which_timer_was_due_when() -> None:
    reading = READER(nightly())

    assert reading.facts == [("event", TimerFired("nightly", DUE, {"keep": [1, None]}))]
    assert not reading.is_own


def test_no_star_listens_to_it_and_naming_it_does() -> None:
    record, reading = nightly(), READER(nightly())

    heard = {
        pattern: Reaction(name="r", on=(pattern,)).listens_to(
            record.event, record.action, is_typed=reading.is_typed
        )
        for pattern in ("*", "**", "timer", "timer.nightly", "timer.weekly")
    }

    assert heard == {
        "*": False,
        "**": True,
        "timer": True,
        "timer.nightly": True,
        "timer.weekly": False,
    }


def test_everything_else_is_read_by_the_other_reader() -> None:
    pushed = delivery("push", ref="refs/heads/main", commits=[], before="a", after="b")

    assert READER(pushed) == GITHUB(pushed)


@pytest.mark.parametrize(
    "payload",
    [
        {},
        {"timer": 7, "due_at": DUE.isoformat()},
        {"timer": "n", "due_at": "soon"},
        {"timer": "n", "due_at": DUE.isoformat(), "payload": [1]},
    ],
)
def test_what_is_no_timers_is_refused(payload: dict[str, object]) -> None:
    with pytest.raises(UnreadableTimer):
        READER(replace(nightly(), payload=payload))
