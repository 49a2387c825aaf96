"""Reminders: what is kept of them, how they are read, and whom they are for."""

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from reactor.adapters.clock import ManualClock
from reactor.adapters.memory_timers import MemoryTimers
from reactor.delivery import Delivery
from reactor.firing import record_of
from reactor.github import ConversationEvent, Issue, PullRequest, Repository, snapshot_of
from reactor.github.own import OwnIdentity
from reactor.github.reading import GitHubReader
from reactor.reaction import Reaction
from reactor.reminders import Reminder, Reminders
from reactor.scope import Scope
from reactor.testing import event, issue, label, pull_request
from reactor.timed import TimedReader, UnreadableTimer
from reactor.timer import TimerFired
from reactor.worker import Listener

DUE = datetime(2026, 3, 14, 3, tzinfo=UTC)
READER = TimedReader(GitHubReader(OwnIdentity()))


def about(kind: str, *labels: str, **payload: Any) -> dict[str, object]:
    told = event(kind, **payload)
    assert isinstance(told, ConversationEvent)
    assert told.subject is not None
    return dict(snapshot_of(told.subject, told.repository, told.installation, labels=labels))


def reminder(name: str = "stale", **fields: object) -> Reminder:
    told = {
        "name": name,
        "at": DUE,
        "reaction": "triage",
        "host": "github.com",
        "subject": "github.com/1296269#17",
        "subject_name": "octo/hello#17",
        "about": about("issues.opened"),
    }
    return Reminder.model_validate(told | fields)


async def fired(*reminders: Reminder) -> list[Delivery]:
    timers = MemoryTimers(ManualClock())
    for each in reminders:
        await Reminders(timers).put(each)
    return [record_of(timer, at=DUE) for timer in await timers.all()]


async def test_it_comes_as_an_event_on_its_subject_with_the_facts_that_were_known() -> None:
    (delivery,) = await fired(reminder(payload={"then": "mark"}))

    facts = READER(delivery).facts
    assert (delivery.host, delivery.kind, delivery.subject.key) == (
        "github.com",
        "timer.stale",
        "github.com/1296269#17",
    )
    assert facts[0] == ("event", TimerFired("stale", DUE, {"then": "mark"}))
    assert {type(value) for _, value in facts[1:]} == {Issue, Repository}


async def test_what_is_read_again_is_what_was_known_but_for_a_long_body() -> None:
    told = issue("Data loss", body="x" * 5_000, labels=[label("bug")], assignees=[], comments=3)
    (delivery,) = await fired(reminder(about=about("issues.edited", "urgent", issue=told)))

    (read,) = [value for _, value in READER(delivery).facts if isinstance(value, Issue)]

    before = Issue.model_validate(told)
    unchanged = {"labels", "body"}
    assert read.model_dump(exclude=unchanged) == before.model_dump(exclude=unchanged)
    assert read.label_names == {"bug", "urgent"}
    assert read.body == "x" * 2_000


async def test_a_pull_request_stays_one() -> None:
    told = about("pull_request.opened", pull_request=pull_request(changed_files=3))
    (delivery,) = await fired(reminder(about=told))

    (read,) = [value for _, value in READER(delivery).facts if isinstance(value, PullRequest)]

    assert read.changed_files == 3


async def test_it_is_for_the_reaction_that_asked_for_it_whatever_that_listens_to() -> None:
    (delivery,) = await fired(reminder())
    reading = READER(delivery)

    def listener(name: str, on: str) -> Listener:
        return Listener(reaction=Reaction(name=name, on=(on,)), scope=Scope.platform(), when=None)

    assert listener("triage", "issues.opened").wants(delivery, reading)
    assert listener("triage", "issues.opened").why_not(delivery, reading) == ""
    assert not listener("other", "**").wants(delivery, reading)
    assert "reminder for the reaction triage" in listener("other", "**").why_not(delivery, reading)


async def test_there_is_one_of_a_name_for_each_subject_and_reaction() -> None:
    later = reminder(at=DUE + timedelta(days=1))
    elsewhere = reminder(subject="github.com/1296269#18")
    others = reminder(reaction="other")

    assert len(await fired(reminder(), later, elsewhere, others, reminder("answer"))) == 4


async def test_one_that_is_dropped_does_not_come() -> None:
    timers = MemoryTimers(ManualClock())
    reminders = Reminders(timers)
    await reminders.put(reminder())

    await reminders.drop("triage", "github.com/1296269#17", "answer")
    assert len(await timers.all()) == 1
    await reminders.drop("triage", "github.com/1296269#17", "stale")

    assert await timers.all() == []


@pytest.mark.parametrize(
    "told", [{"event": 1, "payload": {}}, {"event": "issues", "payload": []}, {"payload": {}}]
)
async def test_one_about_nothing_that_can_be_read_is_given_up(told: dict[str, object]) -> None:
    (delivery,) = await fired(reminder(about=told))

    with pytest.raises(UnreadableTimer, match="what it is about is no event"):
        READER(delivery)
