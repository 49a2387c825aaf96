"""What nobody touches: marked after a while, closed where that is wanted, unmarked by any sign of life."""

from datetime import timedelta
from typing import Any

import pytest
from reactor_triage import TriageComponent
from reactor_triage.replies import STALE_CLOSED
from reactor_triage.settings import StaleRule, StaleSettings
from reactor_triage.silence import stale_after

from reactor.github import AddLabels, Close, Issue, PostComment, PullRequest, RemoveLabels
from reactor.testing import (
    Workbench,
    account,
    comment,
    effects,
    event,
    expect_not_run,
    issue,
    label,
    milestone,
    pull_request,
    ran,
)

QUESTIONS = StaleRule(after_days=7, labels=("Question",))
ANYTHING = StaleRule(after_days=60)
WORK = StaleRule(after_days=30, on="pull_request")


def days(subject: dict[str, Any], **settings: Any) -> float | None:
    rules = StaleSettings(rules=(QUESTIONS, ANYTHING, WORK), **settings)
    kind = PullRequest if "changed_files" in subject else Issue
    after = stale_after(kind.model_validate(subject), rules)
    return None if after is None else after / timedelta(days=1)


def labelled(*names: str) -> dict[str, Any]:
    return issue(labels=[label(name) for name in names])


def test_the_first_rule_that_says_so_counts_whichever_it_is() -> None:
    assert days(issue()) == 60
    assert days(labelled("question", "bug")) == 7
    assert days(pull_request()) == 30


@pytest.mark.parametrize(
    ("subject", "settings"),
    [
        (labelled("question", "Pinned"), {}),
        (issue(assignees=[account()]), {"exempt_assigned": True}),
        (issue(milestone=milestone()), {"exempt_milestones": True}),
        (issue(state="closed"), {}),
    ],
)
def test_what_is_exempt_is_never_stale(subject: dict[str, Any], settings: dict[str, Any]) -> None:
    assert days(subject, **settings) is None


def test_without_a_rule_that_fits_nothing_is() -> None:
    assert stale_after(Issue.model_validate(issue()), StaleSettings(rules=(WORK,))) is None


def watching(close_after_days: float | None = 10) -> Workbench:
    rules = [{"after_days": 60}, {"after_days": 7, "labels": ["question"]}]
    stale = {"rules": rules, "close_after_days": close_after_days}
    return Workbench(TriageComponent, settings={"stale": stale})


async def due_in_days(bench: Workbench) -> list[float]:
    """After what was last written, when reminders are due."""
    last = Issue.model_validate(issue()).updated_at
    assert last is not None
    return [(timer.due_at - last) / timedelta(days=1) for timer in await bench.timers.all()]


async def test_silence_is_marked_and_then_it_is_closed() -> None:
    bench = watching()
    await bench.run(event("issues.opened"))

    marked = await bench.run_reminder()
    closed = await bench.run_reminder()

    label_, words = effects(marked)
    assert label_ == AddLabels(labels=("stale",))
    assert isinstance(words, PostComment)
    assert "closed in 10 days" in words.body
    assert effects(closed) == [PostComment(body=STALE_CLOSED), Close(reason="not_planned")]
    assert await bench.timers.all() == []


async def test_it_stays_open_where_nobody_has_said_that_it_be_closed() -> None:
    bench = watching(close_after_days=None)
    await bench.run(event("issues.opened"))

    await bench.run_reminder()

    assert await bench.timers.all() == []


async def test_what_happens_puts_it_off() -> None:
    bench = watching()
    await bench.run(event("issues.opened"))
    before = await due_in_days(bench)

    later = issue(updated_at="2026-03-11T10:00:00Z")
    await bench.run(event("issue_comment.created", issue=later, comment=comment()))

    assert (before, await due_in_days(bench)) == ([60], [70])


async def test_a_label_brings_another_rule() -> None:
    bench = watching()
    await bench.run(event("issues.opened"))

    await bench.run(event("issues.labeled", issue=labelled("question"), label=label("question")))

    assert await due_in_days(bench) == [7]


async def test_what_a_bot_does_is_no_sign_of_life() -> None:
    bench = watching()
    await bench.run(event("issues.opened"))

    later = issue(updated_at="2026-03-11T10:00:00Z")
    a_bot = account("ci[bot]", type="Bot")
    await bench.run(event("issue_comment.created", issue=later, sender=a_bot))

    assert await due_in_days(bench) == [60]


async def test_a_sign_of_life_takes_the_mark_off() -> None:
    process = await watching().run(event("issue_comment.created", issue=labelled("stale")))

    assert effects(process) == [RemoveLabels(labels=("stale",))]


async def test_who_marks_it_by_hand_begins_the_days_until_it_is_closed() -> None:
    bench = watching()

    process = await bench.run(
        event("issues.labeled", issue=labelled("stale"), label=label("stale"))
    )

    assert effects(process) == []
    assert await due_in_days(bench) == [10]


@pytest.mark.parametrize("action", ["closed", "deleted", "transferred"])
async def test_what_is_over_is_watched_no_longer(action: str) -> None:
    bench = watching()
    await bench.run(event("issues.opened"))

    state = "closed" if action == "closed" else "open"
    await bench.run(event(f"issues.{action}", issue=issue(state=state)))

    assert await bench.timers.all() == []


async def test_without_rules_nothing_is_watched() -> None:
    process = await Workbench(TriageComponent).run(event("issues.labeled"))

    expect_not_run(process, "triage.watch_for_silence")


async def test_both_reminders_of_one_issue_are_kept_apart() -> None:
    stale = {"rules": [{"after_days": 60}]}
    bench = Workbench(TriageComponent, settings={"stale": stale, "remind_after_days": 14})
    await bench.run(event("issues.opened", issue=issue("it does not work")))

    names = [timer.name for timer in await bench.timers.all()]
    process = await bench.run_reminder()

    assert names == ["triage_author_silent", "triage_stale"]
    assert ran(process) == ["triage.look_again", "triage.remind_author"]
