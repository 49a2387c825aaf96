"""What goes wrong on purpose goes wrong for the request that it is meant for, and is noted."""

import pytest
import requests
from github import GithubException
from github.Repository import Repository

from tests.fixtures.github.fake import ISSUE, MAINTAINER, FakeGitHub
from tests.fixtures.github.faults import Fault, Kind, bad_credentials, secondary_limit

COMMENTS = rf"/repos/octo/hello/issues/{ISSUE}/comments"


@pytest.mark.parametrize(("kind", "n_written"), [("after", 1), ("before", 0)])
def test_an_error_is_answered_after_the_write_or_before_it(
    hello: Repository, fake_github: FakeGitHub, kind: Kind, n_written: int
) -> None:
    fake_github.fail(Fault(kind=kind, method="POST", path=COMMENTS))

    with pytest.raises(GithubException) as failed:
        hello.get_issue(ISSUE).create_comment("Hello.")

    assert failed.value.status == 502
    assert len(fake_github.issue()["comments"]) == n_written
    assert [(each.fault, each.status) for each in fake_github.writes()] == [(kind, 502)]


@pytest.mark.parametrize(("kind", "n_written"), [("drop_after", 1), ("drop", 0)])
def test_a_connection_is_cut_after_the_write_or_before_it(
    hello: Repository, fake_github: FakeGitHub, kind: Kind, n_written: int
) -> None:
    fake_github.fail(Fault(kind=kind, method="POST", path=COMMENTS))

    with pytest.raises(requests.ConnectionError):
        hello.get_issue(ISSUE).create_comment("Hello.")

    assert len(fake_github.issue()["comments"]) == n_written
    assert [each.status for each in fake_github.writes()] == [0]


def test_a_server_that_hangs_does_not_answer(fake_github: FakeGitHub) -> None:
    fake_github.fail(Fault(kind="hang_after", method="POST"))
    comments = f"{fake_github.url}/repos/octo/hello/issues/{ISSUE}/comments"
    mine = {"Authorization": f"token {MAINTAINER}"}

    with pytest.raises(requests.Timeout):
        requests.post(comments, json={"body": "Hello."}, headers=mine, timeout=0.3)

    assert [each["body"] for each in fake_github.issue()["comments"]] == ["Hello."]


def test_limits_and_refused_tokens_can_be_asked_for(
    hello: Repository, fake_github: FakeGitHub
) -> None:
    issue = hello.get_issue(ISSUE)
    fake_github.fail(secondary_limit(7, method="POST"), bad_credentials(method="PUT"))

    with pytest.raises(GithubException) as limited:
        issue.create_comment("Hello.")
    with pytest.raises(GithubException) as refused:
        issue.lock("spam")
    issue.lock("spam")

    assert (limited.value.status, (limited.value.headers or {})["retry-after"]) == (403, "7")
    assert refused.value.status == 401
    assert fake_github.issue()["locked"] is True


def test_a_fault_befalls_as_many_requests_as_it_says_after_those_that_it_skips(
    hello: Repository, fake_github: FakeGitHub
) -> None:
    issue = hello.get_issue(ISSUE)
    fake_github.fail(Fault(path=COMMENTS, skip=1, times=2))

    issue.create_comment("a")
    for body in "bc":
        with pytest.raises(GithubException):
            issue.create_comment(body)
    issue.create_comment("d")

    assert [each["body"] for each in fake_github.issue()["comments"]] == ["a", "d"]
