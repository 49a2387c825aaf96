"""Its limits are GitHub's: told with every answer, and kept."""

import pytest
from github import GithubException, RateLimitExceededException
from github.Repository import Repository

from tests.fixtures.github.answers import Refusal
from tests.fixtures.github.fake import ISSUE, REPOSITORY, FakeGitHub
from tests.fixtures.github.limits import Limits, Meter


def test_every_answer_says_what_is_left(hello: Repository, fake_github: FakeGitHub) -> None:
    fake_github.limit(an_hour=10)

    _, first, _ = hello.requester.requestJson("GET", f"/repos/{REPOSITORY}")
    _, second, _ = hello.requester.requestJson("GET", "/repos/octo/nothing")

    assert first["x-ratelimit-limit"] == "10"
    assert [each["x-ratelimit-remaining"] for each in (first, second)] == ["9", "8"]


def test_one_who_has_used_up_the_hour_is_refused_until_it_is_over(
    hello: Repository, fake_github: FakeGitHub
) -> None:
    fake_github.limit(an_hour=1)
    hello.get_issue(ISSUE)

    with pytest.raises(RateLimitExceededException) as refused:
        hello.get_issue(ISSUE)

    assert (refused.value.headers or {})["x-ratelimit-remaining"] == "0"
    assert fake_github.meter.primary_hits == 1


def test_too_many_comments_in_a_minute_are_refused_with_a_time_to_wait(
    hello: Repository, fake_github: FakeGitHub
) -> None:
    fake_github.limit(content_a_minute=3)
    issue = hello.get_issue(ISSUE)
    for number in range(3):
        issue.create_comment(f"{number}")

    with pytest.raises(RateLimitExceededException) as refused:
        issue.create_comment("One too many.")

    assert "secondary rate limit" in str(refused.value)
    assert 1 <= int((refused.value.headers or {})["retry-after"]) <= 60
    assert len(fake_github.issue()["comments"]) == 3


def test_a_write_counts_as_five_reads(hello: Repository, fake_github: FakeGitHub) -> None:
    fake_github.limit(points_a_minute=11)
    issue = hello.get_issue(ISSUE)  # 1
    issue.add_to_labels("a")  # 6
    issue.add_to_labels("b")  # 11

    with pytest.raises(RateLimitExceededException):
        hello.get_issue(ISSUE)


def test_so_many_at_once_and_no_more() -> None:
    meter = Meter(limits=Limits(concurrent=2))

    def enter() -> None:
        meter.enter("me", 0.0, is_write=False, makes_content=False)

    enter()
    enter()
    with pytest.raises(Refusal) as refused:
        enter()
    for _ in range(3):
        meter.leave("me")
    enter()

    assert refused.value.status == 403
    assert (meter.most_at_once, meter.secondary_hits) == (3, 1)


def test_what_was_not_changed_costs_nothing(hello: Repository, fake_github: FakeGitHub) -> None:
    fake_github.limit(an_hour=10)
    path = f"/repos/{REPOSITORY}"
    _, headers, _ = hello.requester.requestJson("GET", path)

    tag = {"If-None-Match": headers["etag"]}
    status, after, _ = hello.requester.requestJson("GET", path, headers=tag)

    assert (status, after["x-ratelimit-remaining"]) == (304, "9")


def test_a_shorter_hour_is_over_sooner(hello: Repository, fake_github: FakeGitHub) -> None:
    fake_github.limit(an_hour=1, scale=3600 * 20)  # an hour of a twentieth of a second

    def ask() -> int:
        return hello.requester.requestJson("GET", f"/repos/{REPOSITORY}")[0]

    first = ask()
    while (status := ask()) != 200:
        assert status == 403

    assert first == 200


def test_a_secondary_limit_may_be_429_as_well(hello: Repository, fake_github: FakeGitHub) -> None:
    fake_github.limit(points_a_minute=0, secondary_status=429)

    with pytest.raises(GithubException) as refused:
        hello.get_issue(ISSUE)

    assert refused.value.status == 429
