"""Reactions to events that nobody sends are told."""

import pytest

from reactor.reaction import Reaction
from reactor.settings import Settings, TimerSettings
from reactor.wiring.unheard import unheard


def settings(*on: str) -> Settings:
    return Settings(
        reactions=(Reaction(name="triage", on=on),),
        timers=(TimerSettings(name="nightly", cron="0 3 * * *"),),
    )


@pytest.mark.parametrize(
    "pattern",
    ["*", "**", "issues", "issues.opened", "issues.*", "timer", "timer.*", "timer.nightly"],
)
def test_an_event_that_can_come_is_in_order(pattern: str) -> None:
    assert list(unheard(settings(pattern))) == []


@pytest.mark.parametrize(
    ("pattern", "meant"),
    [
        ("issue.opened", "issues"),
        ("pull_requests", "pull_request"),
        ("timer.nightli", "timer.nightly"),
    ],
)
def test_one_that_nobody_sends_is_told_with_what_may_be_meant(pattern: str, meant: str) -> None:
    (found,) = unheard(settings("issues", pattern))

    assert (found.reaction, found.pattern) == ("triage", pattern)
    assert found.instead[0] == meant


def test_one_that_resembles_nothing_is_told_all_the_same() -> None:
    (found,) = unheard(settings("zzz.opened"))

    assert found.instead == ()
