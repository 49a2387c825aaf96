"""Requests that are under way at once do not know of each other."""

import json

import pytest

from reactor.adapters.github.transport import OneRequest, shared_session
from tests.fixtures.github.fake import ISSUE, REPOSITORY, TOKEN, FakeGitHub
from tests.fixtures.github.state import rename

COMMENTS = f"/repos/{REPOSITORY}/issues/{ISSUE}/comments"
HEADERS = {"Authorization": f"token {TOKEN}", "Content-Type": "application/json"}


def test_each_request_is_sent_that_was_noted_before_any_was_sent(fake_github: FakeGitHub) -> None:
    with shared_session(pool=2) as session:
        requests = [OneRequest(session, fake_github.url, 5) for _ in range(3)]
        for number, request in enumerate(requests):
            request.request("POST", COMMENTS, json.dumps({"body": str(number)}), HEADERS)
        statuses = [request.getresponse().status for request in requests]

    assert statuses == [201, 201, 201]
    assert [each["body"] for each in fake_github.issue()["comments"]] == ["0", "1", "2"]


@pytest.mark.parametrize("method", ["GET", "POST"])
def test_nothing_is_followed_behind_our_back(fake_github: FakeGitHub, method: str) -> None:
    rename(fake_github.world, REPOSITORY, "octo/renamed")

    with shared_session(pool=1) as session:
        request = OneRequest(session, fake_github.url, 5)
        request.request(method, COMMENTS, json.dumps({"body": "x"}), HEADERS)
        answer = request.getresponse()

    assert answer.status in (307, 308)
    assert len(fake_github.requests()) == 1
