"""An author who was asked: waited for, reminded, let go; and what ends the waiting."""

from datetime import timedelta

import pytest
from reactor_triage import TriageComponent
from reactor_triage.replies import REPRODUCTION, UNANSWERED

from reactor.github import Close, PostComment, RemoveLabels
from reactor.testing import (
    NothingReminds,
    Workbench,
    account,
    comment,
    effects,
    event,
    issue,
    label,
    ran,
)

AUTHOR, MAINTAINER = account("author"), account("maintainer")
POOR = issue("it does not work", user=AUTHOR)
NEEDS = "needs-reproduction"


def asked(body: str | None = None, *labels: str) -> dict[str, object]:
    """The issue, once its author was asked."""
    names = labels or ("needs-information",)
    return POOR | {"labels": [label(name) for name in names], "body": body}


def closing() -> Workbench:
    return Workbench(TriageComponent, settings={"remind_after_days": 3, "close_after_days": 4})


def waiting() -> Workbench:
    return Workbench(TriageComponent, settings={"remind_after_days": 14})


async def due_in_days(bench: Workbench, since: str) -> list[float]:
    from datetime import datetime

    moment = datetime.fromisoformat(since)
    return [(timer.due_at - moment) / timedelta(days=1) for timer in await bench.timers.all()]


async def test_a_silent_author_is_reminded_once_and_then_the_issue_is_closed() -> None:
    bench = closing()
    await bench.run(event("issues.opened", issue=POOR))

    reminded = await bench.run_reminder()
    closed = await bench.run_reminder()

    (reminder,) = effects(reminded)
    assert isinstance(reminder, PostComment)
    assert "will be closed in 4 days" in reminder.body
    assert effects(closed) == [PostComment(body=UNANSWERED), Close(reason="not_planned")]
    with pytest.raises(NothingReminds):
        await bench.run_reminder()


async def test_the_days_count_from_the_question_and_from_the_reminder() -> None:
    bench = closing()
    await bench.run(event("issues.opened", issue=POOR))
    asked_at = str(POOR["updated_at"])

    first = await due_in_days(bench, asked_at)
    await bench.run_reminder()

    assert first == [3]
    assert await due_in_days(bench, asked_at) == [7]


async def test_nothing_is_closed_where_nobody_says_after_how_long() -> None:
    bench = waiting()
    await bench.run(event("issues.opened", issue=POOR))

    reminded = await bench.run_reminder()

    assert len(effects(reminded)) == 1
    assert await bench.timers.all() == []


@pytest.mark.parametrize(
    ("settings", "expected"),
    [
        ({}, []),
        ({"close_after_days": 5}, [Close(reason="not_planned")]),
    ],
)
async def test_each_step_can_be_left_out(
    settings: dict[str, object], expected: list[object]
) -> None:
    bench = Workbench(TriageComponent, settings=settings)
    await bench.run(event("issues.opened", issue=POOR))

    done = [effects(await bench.run_reminder())[-1] for _ in await bench.timers.all()]

    assert done == expected


async def test_an_answer_ends_the_waiting_and_takes_the_label_off() -> None:
    bench = waiting()
    await bench.run(event("issues.opened", issue=POOR))

    answered = await bench.run(
        event("issue_comment.created", issue=asked(), comment=comment("2.3.1", user=AUTHOR))
    )

    assert effects(answered) == [RemoveLabels(labels=("needs-information",))]
    assert await bench.timers.all() == []


async def test_what_others_say_is_no_answer() -> None:
    bench = waiting()
    await bench.run(event("issues.opened", issue=POOR))

    said = await bench.run(
        event("issue_comment.created", issue=asked(), comment=comment("me too", user=MAINTAINER))
    )

    assert effects(said) == []
    assert len(await bench.timers.all()) == 1


COMPLETE = """Steps: start version 2.3.1 on Linux and open a file. I expected it to be shown;
instead nothing happens at all, and the log holds no line about it, on each of our machines."""


@pytest.mark.parametrize(("body", "is_enough"), [(COMPLETE, True), ("please help", False)])
async def test_an_edit_is_an_answer_where_it_brings_what_was_asked_for(
    body: str, is_enough: bool
) -> None:
    bench = waiting()
    await bench.run(event("issues.opened", issue=POOR))

    edited = await bench.run(event("issues.edited", issue=asked(body), sender=AUTHOR))

    assert bool(effects(edited)) is is_enough
    assert bool(await bench.timers.all()) is not is_enough


async def test_who_edits_somebody_elses_text_answers_nothing() -> None:
    bench = waiting()
    await bench.run(event("issues.opened", issue=POOR))

    edited = await bench.run(event("issues.edited", issue=asked(COMPLETE), sender=MAINTAINER))

    assert "triage.note_edit" not in ran(edited)


@pytest.mark.parametrize("action", ["closed", "transferred", "unlabeled"])
async def test_what_a_person_does_about_it_ends_the_waiting(action: str) -> None:
    bench = waiting()
    await bench.run(event("issues.opened", issue=POOR))

    settled = POOR | {"labels": []}
    await bench.run(event(f"issues.{action}", issue=settled, sender=MAINTAINER))

    assert await bench.timers.all() == []


async def test_another_label_taken_off_changes_nothing() -> None:
    bench = waiting()
    await bench.run(event("issues.opened", issue=POOR))

    await bench.run(event("issues.unlabeled", issue=asked(), label=label("bug")))

    assert len(await bench.timers.all()) == 1


async def test_a_label_asks_the_author_for_an_example_and_the_wait_begins() -> None:
    bench = waiting()
    labelled = asked(None, NEEDS)

    process = await bench.run(event("issues.labeled", issue=labelled, label=label(NEEDS)))

    assert effects(process) == [PostComment(body=REPRODUCTION)]
    assert len(await bench.timers.all()) == 1


async def test_an_example_that_is_added_to_the_text_takes_that_label_off_and_leaves_the_other() -> (
    None
):
    bench = waiting()
    labelled = asked("```\nbrake(0)\n```", NEEDS, "needs-information")
    await bench.run(event("issues.labeled", issue=labelled, label=label(NEEDS)))

    edited = await bench.run(event("issues.edited", issue=labelled, sender=AUTHOR))

    assert effects(edited) == [RemoveLabels(labels=(NEEDS,))]
    assert len(await bench.timers.all()) == 1


async def test_a_bot_is_asked_for_nothing() -> None:
    bench = waiting()
    by_a_bot = asked(None, NEEDS) | {"user": account("dependabot[bot]", type="Bot")}

    process = await bench.run(event("issues.labeled", issue=by_a_bot, label=label(NEEDS)))

    assert effects(process) == []


async def test_what_is_remembered_of_the_issue_is_what_the_process_put_on() -> None:
    bench = closing()
    await bench.run(event("issues.opened", issue=POOR))

    (timer,) = await bench.timers.all()

    assert timer.about is not None
    payload = timer.about.told["payload"]
    assert payload["issue"]["labels"] == [{"name": "needs-information"}]  # type: ignore[index]


@pytest.mark.parametrize(
    ("is_open", "says_something"), [(True, True), (False, False), (None, True)]
)
async def test_what_is_closed_by_now_is_left_alone_though_no_event_told_of_it(
    is_open: bool | None, says_something: bool
) -> None:
    bench = waiting()  # a command of ours closed it, and that starts nothing
    await bench.run(event("issues.opened", issue=POOR))
    if is_open is not None:
        bench.conversations.put(1296269, int(POOR["number"]), is_open=is_open)

    process = await bench.run_reminder()

    assert bool(effects(process)) is says_something
