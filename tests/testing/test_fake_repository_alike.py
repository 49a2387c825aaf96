"""The repository in memory and GitHub's stand-in over HTTP come to the same, effect by effect.

That one is compared with GitHub's own description of its API (tests/github_contract).
"""

from typing import Any

import pytest

from reactor.github.effects import EFFECT_TYPES
from reactor.github.hosts import Login
from reactor.github.marker import MARKER, marked
from reactor.testing import FakeComment, FakeConversation, FakeRepository
from tests.fixtures.github.fake import APP_ID, BOT, ISSUE, PULL, AppKey, FakeGitHub
from tests.fixtures.github.seed import plant_issue
from tests.fixtures.github.sending import sending
from tests.fixtures.github.world import Comment
from tests.github_contract.cases import CASES, COMMENT, LINE_COMMENT, OTHER_ISSUE, Case

Seen = dict[str, Any]
ON_A_LINE = "src/main.py"


@pytest.fixture
def over_http(fake_github: FakeGitHub) -> FakeGitHub:
    """Issue 7 with a label, comments of ours, and an issue that another can be a duplicate of."""
    repository, world = fake_github.repository(), fake_github.world
    plant_issue(world, repository, {"number": OTHER_ISSUE, "title": "The same"})
    repository.issues[ISSUE].labels.append("bug")
    ours: dict[str, Any] = {
        "user": world.user(BOT, type="Bot"),
        "body": marked("Thanks.", key="b" * 32, delivery="github.com/d-0"),
        "app": "reactor-test",
    }
    ours |= {"created_at": world.now(), "updated_at": world.now()}
    repository.comments[COMMENT] = Comment(id=COMMENT, issue=ISSUE, **ours)
    repository.review_comments[LINE_COMMENT] = Comment(
        id=LINE_COMMENT, issue=PULL, path=ON_A_LINE, line=1, **ours
    )
    return fake_github


@pytest.fixture
def in_memory() -> FakeRepository:
    """The same."""
    repository = FakeRepository(bot=BOT)
    for number in range(1, PULL):
        repository.open_issue(f"Issue {number}")
    repository.open_pull_request("Mend it")
    repository.label(ISSUE, "bug")
    repository[ISSUE].comments.append(FakeComment(id=COMMENT, by=BOT, body="Thanks."))
    line = FakeComment(id=LINE_COMMENT, by=BOT, body="Thanks.", on=f"{ON_A_LINE}:1")
    repository[PULL].line_comments.append(line)
    return repository


def seen_over_http(issue: Seen) -> Seen:
    """What stands there, in the terms of both."""
    comments, on_lines = issue["comments"], issue["review_comments"]
    return {
        "labels": issue["labels"],
        "assignees": sorted(issue["assignees"]),
        "state": (issue["state"], issue["state_reason"]),
        "lock": (issue["locked"], issue["lock_reason"]),
        "milestone": issue["milestone"],
        "reactions": [content for _, content in issue["reactions"]],
        "comments": [
            _said(each, [content for _, content in each["reactions"]]) for each in comments
        ],
        "on lines": [(each["path"], *_said(each, [])[:2]) for each in on_lines],
        "asked": (issue["reviewers"], issue["teams"]),
    }


def _said(comment: Seen, reactions: list[str]) -> tuple[str, str, list[str]]:
    return comment["user"], comment["body"].partition(MARKER)[0].strip(), reactions


def seen_in_memory(there: FakeConversation) -> Seen:
    return {
        "labels": there.labels,
        "assignees": sorted(there.assignees),
        "state": (there.state, there.state_reason),
        "lock": (there.is_locked, there.lock_reason),
        "milestone": there.milestone,
        "reactions": there.reactions,
        "comments": [(each.by, each.body, each.reactions) for each in there.comments],
        "on lines": [
            (each.on.partition(":")[0], each.by, each.body) for each in there.line_comments
        ],
        "asked": (there.reviewers, there.teams),
    }


def test_every_kind_of_effect_is_compared() -> None:
    assert {type(case.effect) for case in CASES} == set(EFFECT_TYPES)


@pytest.mark.parametrize("case", CASES, ids=str)
async def test_an_effect_comes_to_the_same(
    over_http: FakeGitHub, in_memory: FakeRepository, app_key: AppKey, case: Case
) -> None:
    login = Login(app_id=APP_ID, private_key=app_key.private_pem)

    async with sending(over_http.url, login) as send:
        for effect in (*case.before, case.effect):
            await send(effect, case.number)
            in_memory.make(effect, case.number)

    there = over_http.state()
    assert seen_in_memory(in_memory[case.number]) == seen_over_http(
        there["issues"][str(case.number)]
    )
    opened = [issue["title"] for issue in there["issues"].values() if issue["user"] == BOT]
    assert [each.title for each in in_memory if each.by == BOT] == opened
    assert len(in_memory.dispatches) == len(there["dispatches"])
    assert {each.name for each in in_memory.checks} == {  # type: ignore[attr-defined]
        each["name"] for each in there["checks"]
    }
