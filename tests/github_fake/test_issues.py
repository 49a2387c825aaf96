"""Issues, pull requests and what is on them behave as GitHub's do, seen by PyGithub."""

import pytest
from github import GithubException
from github.Repository import Repository

from tests.fixtures.github.fake import (
    HEAD,
    ISSUE,
    OUTSIDER,
    PULL,
    REPOSITORY,
    REPOSITORY_ID,
    FakeGitHub,
)
from tests.fixtures.github.state import move_issue, rename
from tests.github_fake.conftest import Connect


def test_a_label_is_one_whatever_its_case_and_made_where_there_is_none(
    hello: Repository, fake_github: FakeGitHub
) -> None:
    issue = hello.get_issue(ISSUE)

    issue.add_to_labels("BUG", "brand new")
    issue.add_to_labels("bug")

    assert fake_github.issue()["labels"] == ["bug", "brand new"]
    assert [label.name for label in hello.get_labels()] == ["bug", "question", "brand new"]


def test_a_label_that_is_not_there_can_not_be_taken_off(hello: Repository) -> None:
    with pytest.raises(GithubException) as refused:
        hello.get_issue(ISSUE).remove_from_labels("bug")

    assert (refused.value.status, refused.value.message) == (404, "Label does not exist")


def test_who_is_no_collaborator_is_silently_not_assigned(
    hello: Repository, fake_github: FakeGitHub
) -> None:
    hello.get_issue(ISSUE).add_to_assignees("triager", "nobody-here")

    assert fake_github.issue()["assignees"] == ["triager"]


def test_comments_come_in_pages(hello: Repository) -> None:
    issue = hello.get_issue(ISSUE)
    for number in range(35):
        issue.create_comment(f"{number}")

    found = [int(comment.body) for comment in issue.get_comments()]

    assert found == list(range(35))


def test_the_same_reaction_twice_is_one_and_answered_200(
    hello: Repository, fake_github: FakeGitHub
) -> None:
    issue = hello.get_issue(ISSUE)

    first, second = issue.create_reaction("eyes"), issue.create_reaction("eyes")

    assert first.id == second.id
    assert [each.status for each in fake_github.requests("POST")] == [201, 200]


@pytest.mark.parametrize(
    ("body", "status"),
    [
        ({}, 422),
        ({"body": ""}, 422),
        ({"body": 5}, 422),
        ({"body": "x" * 65_537}, 422),
        (["body"], 400),
        ({"body": "x" * 65_536}, 201),
    ],
)
def test_a_comment_has_a_text_of_some_length(hello: Repository, body: object, status: int) -> None:
    path = f"/repos/{REPOSITORY}/issues/{ISSUE}/comments"

    answered, _, _ = hello.requester.requestJson("POST", path, input=body)

    assert answered == status


def test_closing_keeps_the_reason_and_is_an_event(
    hello: Repository, fake_github: FakeGitHub
) -> None:
    issue = hello.get_issue(ISSUE)

    issue.edit(state="closed", state_reason="not_planned")

    assert fake_github.issue()["state_reason"] == "not_planned"
    assert [(event.event, event.actor.login) for event in issue.get_events()] == [
        ("closed", "maintainer")
    ]
    with pytest.raises(GithubException) as refused:
        issue.edit(state="closed", state_reason="because")
    assert refused.value.status == 422


def test_a_reviewer_is_a_collaborator_and_not_the_author(hello: Repository) -> None:
    pull = hello.get_pull(PULL)

    for login in ("stranger", "contributor"):
        with pytest.raises(GithubException) as refused:
            pull.create_review_request([login])
        assert refused.value.status == 422


def test_a_comment_on_a_line_is_on_a_file_that_the_pull_request_changes(
    hello: Repository,
) -> None:
    pull, commit = hello.get_pull(PULL), hello.get_commit(HEAD)

    pull.create_review_comment("Why?", commit, "src/main.py", line=1)
    with pytest.raises(GithubException) as refused:
        pull.create_review_comment("Why?", commit, "README.md", line=1)

    assert refused.value.status == 422


def test_an_outsider_may_comment_and_not_label(connect: Connect, fake_github: FakeGitHub) -> None:
    issue = connect(OUTSIDER).get_repo(REPOSITORY).get_issue(ISSUE)

    issue.create_comment("Me too.")
    with pytest.raises(GithubException) as refused:
        issue.add_to_labels("bug")

    assert refused.value.status == 403
    assert fake_github.issue()["labels"] == []


def test_the_author_of_an_issue_may_close_it_and_another_outsider_may_not(
    connect: Connect, fake_github: FakeGitHub
) -> None:
    fake_github.seed({"tokens": {"of-the-author": "octocat"}})

    with pytest.raises(GithubException) as refused:
        connect(OUTSIDER).get_repo(REPOSITORY).get_issue(ISSUE).edit(state="closed")
    connect("of-the-author").get_repo(REPOSITORY).get_issue(ISSUE).edit(
        state="closed", labels=["bug"]
    )

    assert refused.value.status == 403
    assert fake_github.issue()["state"] == "closed"
    assert fake_github.issue()["labels"] == []


def test_a_repository_that_was_renamed_is_found_by_its_old_name(
    hello: Repository, fake_github: FakeGitHub
) -> None:
    rename(fake_github.world, REPOSITORY, "octo/goodbye")

    found = hello.get_issue(ISSUE)

    assert found.url == f"{fake_github.url}/repos/octo/goodbye/issues/{ISSUE}"
    assert [(each.path, each.status) for each in fake_github.requests()][-2:] == [
        (f"/repos/octo/hello/issues/{ISSUE}", 301),
        (f"/repositories/{REPOSITORY_ID}/issues/{ISSUE}", 200),
    ]


def test_an_issue_that_was_moved_leads_on_and_one_that_was_deleted_is_gone(
    hello: Repository, fake_github: FakeGitHub
) -> None:
    fake_github.seed({"repositories": [{"full_name": "octo/other", "id": 5}]})
    fake_github.repository().issues[PULL].deleted = True
    number = move_issue(fake_github.world, REPOSITORY, ISSUE, "octo/other")

    moved = hello.get_issue(ISSUE)
    with pytest.raises(GithubException) as gone:
        hello.get_issue(PULL)

    assert moved.url == f"{fake_github.url}/repos/octo/other/issues/{number}"
    assert gone.value.status == 410


def test_a_private_repository_is_not_there_for_strangers(
    connect: Connect, fake_github: FakeGitHub
) -> None:
    fake_github.repository().private = True

    with pytest.raises(GithubException) as refused:
        connect(OUTSIDER).get_repo(REPOSITORY)

    assert refused.value.status == 404


def test_an_archived_repository_takes_nothing_and_a_blocked_one_says_why(
    hello: Repository, fake_github: FakeGitHub
) -> None:
    issue = hello.get_issue(ISSUE)

    fake_github.repository().archived = True
    with pytest.raises(GithubException) as archived:
        issue.create_comment("Hello?")
    fake_github.repository().blocked = True
    with pytest.raises(GithubException) as blocked:
        hello.get_issue(ISSUE)

    assert (archived.value.status, blocked.value.status) == (403, 451)


def test_a_file_is_answered_304_to_whoever_has_it(
    hello: Repository, fake_github: FakeGitHub
) -> None:
    fake_github.repository().files[".github/reactor.yml"] = "mode: live\n"
    path = f"/repos/{REPOSITORY}/contents/.github/reactor.yml"
    _, headers, _ = hello.requester.requestJson("GET", path)
    known = {"If-None-Match": headers["etag"]}

    unchanged, _, _ = hello.requester.requestJson("GET", path, headers=dict(known))
    fake_github.repository().files[".github/reactor.yml"] = "mode: observe\n"
    changed, _, _ = hello.requester.requestJson("GET", path, headers=dict(known))

    assert (unchanged, changed) == (304, 200)


def test_a_workflow_runs_on_a_branch_that_there_is(
    hello: Repository, fake_github: FakeGitHub
) -> None:
    path = f"/repos/{REPOSITORY}/actions/workflows/ci.yml/dispatches"

    statuses = [
        hello.requester.requestJson("POST", path, input={"ref": ref})[0]
        for ref in ("main", "nowhere")
    ]

    assert statuses == [204, 422]
    assert fake_github.state()["dispatches"] == [{"workflow": "ci.yml", "ref": "main"}]


def test_what_the_fake_does_not_know_is_404_and_noted(
    hello: Repository, fake_github: FakeGitHub
) -> None:
    status, _, _ = hello.requester.requestJson("GET", f"/repos/{REPOSITORY}/no/such/thing")

    assert status == 404
    assert [each.is_known for each in fake_github.requests()][-1] is False
