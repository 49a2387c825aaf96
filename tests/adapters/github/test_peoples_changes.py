"""A person's later edit wins over what the bot wanted; our own and other bots' changes do not."""

import asyncio
from collections.abc import Callable
from datetime import timedelta
from typing import Any

import httpx
import pytest

from reactor import Effect, EffectRefused
from reactor.github import (
    AddLabels,
    Assign,
    Close,
    Lock,
    PostComment,
    RemoveLabels,
    Reopen,
    SetLabels,
    SetMilestone,
    StickyComment,
    Unassign,
    Unlock,
    UpdateComment,
)
from reactor.github.hosts import Login
from tests.adapters.github.conftest import Desk, was_there
from tests.fixtures.github.fake import ISSUE, MAINTAINER, REPOSITORY, TOKEN, FakeGitHub
from tests.fixtures.github.world import Comment

PEOPLE = ["maintainer"]
Done = tuple[str, str, object]  # method, path below the issue, body
ISSUES = f"/repos/{REPOSITORY}/issues"
HERE = f"{ISSUES}/{ISSUE}"


async def person(desk: Desk, method: str, path: str, body: object = None) -> Any:
    """Something that a maintainer does."""
    headers = {"Authorization": f"token {MAINTAINER}"}
    answer = await asyncio.to_thread(
        httpx.request, method, f"{desk.fake.url}{path}", headers=headers, json=body
    )
    answer.raise_for_status()
    return answer.json() if answer.content else None


async def later(desk: Desk) -> None:
    """Times are whole seconds: what follows is seen to come after what was."""
    desk.fake.go_ahead(timedelta(seconds=10))


def now(desk: Desk) -> Any:
    return desk.fake.world.now()


@pytest.mark.parametrize(
    ("effect", "theirs"),
    [
        (SetLabels(labels=("question",)), [("POST", "/labels", {"labels": ["bug"]})]),
        (Close(), [("PATCH", "", {"state": "closed"}), ("PATCH", "", {"state": "open"})]),
        (SetMilestone(number=2), [("PATCH", "", {"milestone": 1})]),
        (
            Close(reason="not_planned"),
            [("PATCH", "", {"state": "closed", "state_reason": "completed"})],
        ),
    ],
    ids=["labels", "opened again", "milestone", "closed otherwise"],
)
async def test_what_a_person_changed_since_is_left_as_it_is(
    desk: Desk, effect: Effect, theirs: list[tuple[str, str, object]]
) -> None:
    happened_at = now(desk)
    await later(desk)
    for method, path, body in theirs:
        await person(desk, method, HERE + path, body)
    before = desk.fake.issue()

    with pytest.raises(EffectRefused, match="a person changed it since: maintainer"):
        await desk.send(effect, happened_at=happened_at)

    assert desk.fake.issue() == before


async def test_what_a_person_has_closed_since_is_not_opened(desk: Desk) -> None:
    happened_at = now(desk)
    await later(desk)
    await person(desk, "PATCH", HERE, {"state": "closed"})

    with pytest.raises(EffectRefused, match="a person changed it since: maintainer"):
        await desk.send(Reopen(), happened_at=happened_at)

    assert desk.fake.issue()["state"] == "closed"


@pytest.mark.parametrize(
    ("effect", "first", "undone"),
    [
        (AddLabels(labels=("bug", "ui")), None, ("DELETE", "/labels/bug", None)),
        (
            RemoveLabels(labels=("bug",)),
            ("POST", "/labels", {"labels": ["bug"]}),
            ("POST", "/labels", {"labels": ["Bug"]}),
        ),
        (Assign(logins=("maintainer",)), None, ("DELETE", "/assignees", {"assignees": PEOPLE})),
        (
            Unassign(logins=("maintainer",)),
            ("POST", "/assignees", {"assignees": PEOPLE}),
            ("POST", "/assignees", {"assignees": PEOPLE}),
        ),
        (Lock(), None, ("DELETE", "/lock", None)),
        (Unlock(), ("PUT", "/lock", None), ("PUT", "/lock", None)),
    ],
    ids=lambda value: value.kind if isinstance(value, Effect) else "",
)
async def test_what_a_person_has_undone_is_not_made_again_by_a_later_try(
    desk: Desk, effect: Effect, first: Done | None, undone: Done
) -> None:
    if first:
        await person(desk, first[0], HERE + first[1], first[2])
    await later(desk)
    happened_at = now(desk)
    await desk.send(effect, happened_at=happened_at)  # and its answer is lost
    await later(desk)
    await person(desk, undone[0], HERE + undone[1], undone[2])
    before = desk.fake.issue()

    with pytest.raises(EffectRefused, match="a person changed it since: maintainer"):
        await desk.again(effect, happened_at=happened_at)

    assert desk.fake.issue() == before


async def test_what_a_person_did_to_another_label_does_not_keep_a_later_try_from_its_own(
    desk: Desk,
) -> None:
    happened_at = now(desk)
    await later(desk)
    await person(desk, "POST", f"{HERE}/labels", {"labels": ["question"]})
    await person(desk, "DELETE", f"{HERE}/labels/question")

    await desk.again(AddLabels(labels=("bug",)), happened_at=happened_at)

    assert desk.fake.issue()["labels"] == ["bug"]


async def test_what_a_person_did_before_is_changed(desk: Desk) -> None:
    await person(desk, "POST", f"{HERE}/labels", {"labels": ["bug"]})
    await later(desk)

    await desk.send(SetLabels(labels=("question",)), happened_at=now(desk))

    assert desk.fake.issue()["labels"] == ["question"]


async def test_what_a_person_did_elsewhere_on_the_issue_does_not_count(desk: Desk) -> None:
    happened_at = now(desk)
    await later(desk)
    await person(desk, "POST", f"{HERE}/labels", {"labels": ["bug"]})

    await desk.send(Close(), happened_at=happened_at)

    assert desk.fake.issue()["state"] == "closed"


async def test_what_we_did_ourselves_since_does_not_count(desk: Desk) -> None:
    happened_at = now(desk)
    await later(desk)
    await desk.send(AddLabels(labels=("bug",)), happened_at=happened_at)

    await desk.send(SetLabels(labels=("question",)), key="d" * 32, happened_at=happened_at)

    assert desk.fake.issue()["labels"] == ["question"]


async def test_what_we_did_with_a_token_since_does_not_count(by_token: Desk) -> None:
    happened_at = now(by_token)
    await later(by_token)
    await by_token.send(AddLabels(labels=("bug",)), happened_at=happened_at)

    await by_token.send(SetLabels(labels=("question",)), key="d" * 32, happened_at=happened_at)

    assert by_token.fake.issue()["labels"] == ["question"]


async def test_the_newest_of_many_events_is_found(desk: Desk) -> None:
    with desk.fake.api.lock:
        issue = desk.fake.repository().issues[ISSUE]
        for _ in range(250):
            desk.fake.world.happened(issue, "subscribed", desk.fake.world.user("octocat"))
    happened_at = now(desk)
    await later(desk)
    await person(desk, "POST", f"{HERE}/labels", {"labels": ["bug"]})

    with pytest.raises(EffectRefused, match="a person changed it since"):
        await desk.send(SetLabels(labels=()), happened_at=happened_at)


WRITTEN: tuple[Callable[[int], Effect], ...] = (
    lambda comment: UpdateComment(comment_id=comment, body="Two."),
    lambda _: StickyComment(slot="triage", body="Two."),
)


@pytest.mark.parametrize("wish", WRITTEN, ids=["by id", "by name"])
@pytest.mark.parametrize("is_app", [True, False], ids=["as an app", "with a token"])
async def test_a_comment_that_a_person_edited_is_left_as_it_is(
    fake_github: FakeGitHub, as_app: Login, is_app: bool, wish: Callable[[int], Effect]
) -> None:
    desk = Desk(fake_github, as_app if is_app else Login(token=TOKEN))
    desk.open()
    first: Any = await desk.send(StickyComment(slot="triage", body="One."), key="1" * 32)
    await desk.send(StickyComment(slot="triage", body="One and a half."), key="2" * 32)
    body = desk.fake.issue()["comments"][0]["body"]
    edited = {"body": body.replace("half", "quarter")}
    await person(desk, "PATCH", f"{ISSUES}/comments/{first['id']}", edited)

    with pytest.raises(EffectRefused, match="a person changed it since"):
        await desk.send(wish(first["id"]))

    assert "quarter" in desk.fake.issue()["comments"][0]["body"]


async def test_a_comment_of_somebody_else_is_not_written_anew(desk: Desk) -> None:
    ours: Any = await desk.send(PostComment(body="Ours."), key="1" * 32)
    copied = desk.fake.issue()["comments"][0]["body"]
    theirs = await person(desk, "POST", f"{HERE}/comments", {"body": copied})

    with pytest.raises(EffectRefused, match="not written by us"):
        await desk.send(UpdateComment(comment_id=theirs["id"], body="Two."))
    await desk.send(UpdateComment(comment_id=ours["id"], body="Two."))

    bodies = [each["body"] for each in desk.fake.issue()["comments"]]
    assert bodies[1] == copied
    assert bodies[0].startswith("Two.")


async def test_a_copied_marker_is_not_taken_for_a_change_that_was_made(desk: Desk) -> None:
    await desk.send(PostComment(body="Thanks."))
    copied = desk.fake.issue()["comments"][0]
    await person(desk, "POST", f"{HERE}/comments", {"body": copied["body"]})
    await person(desk, "DELETE", f"{ISSUES}/comments/{copied['id']}")

    result = await desk.again(PostComment(body="Thanks."))

    assert not was_there(result)
    assert len(desk.fake.issue()["comments"]) == 2


def say_me_too(desk: Desk, *, times: int) -> None:
    with desk.fake.api.lock:
        repository, world = desk.fake.repository(), desk.fake.world
        for _ in range(times):
            made = Comment(
                id=world.next_id(),
                issue=ISSUE,
                user=world.user("octocat"),
                body="me too",
                created_at=world.now(),
                updated_at=world.now(),
            )
            repository.comments[made.id] = made


async def test_what_cannot_be_looked_through_is_not_written_a_second_time(desk: Desk) -> None:
    say_me_too(desk, times=3100)

    with pytest.raises(EffectRefused, match="more than 3000 items"):
        await desk.again(PostComment(body="Thanks."))

    assert desk.fake.writes() == []


async def test_a_comment_is_found_among_many(desk: Desk) -> None:
    for number in range(3):
        await desk.send(PostComment(body=str(number)), key=f"{number:032x}")
    say_me_too(desk, times=150)  # more than a page of other people's before ours
    await desk.send(PostComment(body="Last."))

    result = await desk.again(PostComment(body="Last."))

    assert was_there(result)


async def test_a_duplicate_names_an_issue_that_is_there(desk: Desk) -> None:
    with pytest.raises(EffectRefused, match="there is no #99"):
        await desk.send(Close(reason="duplicate", duplicate_of=99))
    with pytest.raises(EffectRefused, match="duplicate of itself"):
        await desk.send(Close(reason="duplicate", duplicate_of=ISSUE))
    other = await person(desk, "POST", ISSUES, {"title": "The same"})

    await desk.send(Close(reason="duplicate", duplicate_of=other["number"]))

    closed = desk.fake.issue()
    assert (closed["state_reason"], closed["duplicate_of"]) == ("duplicate", other["id"])
