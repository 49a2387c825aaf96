from datetime import UTC, datetime

import pytest
from pydantic import ValidationError

from reactor.github.models import Account, Comment, Conversation, Issue, PullRequest, Repository


@pytest.mark.parametrize(
    "written",
    ["2024-01-02T03:04:05Z", "2024-01-01T22:04:05.000-05:00", 1704164645, "2024-01-02T03:04:05"],
)
def test_iso_texts_and_epoch_seconds_are_the_same_aware_moment(written: object) -> None:
    repository = Repository.model_validate(
        {"id": 1, "full_name": "octo/hello", "created_at": written}
    )

    assert repository.created_at == datetime(2024, 1, 2, 3, 4, 5, tzinfo=UTC)
    assert repository.created_at.tzinfo is UTC


def test_a_time_that_no_zone_can_hold_is_a_fault_of_the_payload() -> None:
    fields = {"id": 1, "full_name": "octo/hello", "created_at": "0001-01-01T00:00:00+14:00"}

    with pytest.raises(ValidationError, match="outside the years"):
        Repository.model_validate(fields)


def test_what_is_null_stays_none_and_text_for_rules_is_still_text() -> None:
    issue = Issue.model_validate({"id": 1, "number": 2, "title": "t", "body": None, "user": None})

    assert issue.body is None
    assert issue.user is None
    assert issue.text == "t"


def test_ids_beyond_64_bits_are_kept() -> None:
    comment = Comment.model_validate({"id": 2**70})

    assert Comment.model_validate_json(comment.model_dump_json()).id == 2**70


def test_unknown_fields_are_no_fault() -> None:
    account = Account.model_validate({"id": 1, "login": "octocat", "shoe_size": 43})

    assert account == Account(id=1, login="octocat")


def test_a_pull_request_is_no_issue_and_both_are_conversations() -> None:
    pull_request = PullRequest(id=1, number=2)

    assert not isinstance(pull_request, Issue)
    assert isinstance(pull_request, Conversation)


def test_labels_are_compared_without_case() -> None:
    issue = Issue.model_validate({"id": 1, "number": 2, "labels": [{"name": "Bug"}]})

    assert issue.label_names == {"bug"}


def test_only_the_type_makes_a_bot_not_the_login() -> None:
    assert not Account(id=1, login="helpful-app[bot]", type="User").is_bot
    assert Account(id=1, login="helpful-app", type="Bot").is_bot
