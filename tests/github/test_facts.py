from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

import pytest

from reactor.blackboard import Blackboard
from reactor.catalog import TypeCatalog
from reactor.delivery import Delivery
from reactor.github import Account, Comment, Event, Issue, PullRequest, Repository
from reactor.github.events import read_event
from reactor.github.facts import FACT_TYPES, cause_of, facts_of, happened_at

MakeDelivery = Callable[..., Delivery]
Payload = dict[str, Any]


def seeded(event: Event) -> Blackboard:
    board = Blackboard(now=lambda: datetime(2026, 3, 1, tzinfo=UTC))
    for name, value in facts_of(event):
        board.bind(name, value)
    return board


def test_a_comment_seeds_event_subject_comment_repository_and_sender(
    make_delivery: MakeDelivery, issue: Payload, comment: Payload
) -> None:
    event = read_event(
        make_delivery("issue_comment", action="created", issue=issue, comment=comment)
    )

    board = seeded(event)

    assert board.get("event") is event
    assert board.get("sender") == Account(id=583231, login="octocat", type="User")
    assert [type(entry.value).__name__ for entry in board.visible] == [
        "IssueCommentCreated",
        "Issue",
        "Comment",
        "Repository",
        "Account",
    ]


def test_a_pull_request_is_seeded_as_no_issue(
    make_delivery: MakeDelivery, issue: Payload, comment: Payload
) -> None:
    issue["pull_request"] = {}

    board = seeded(
        read_event(make_delivery("issue_comment", action="created", issue=issue, comment=comment))
    )

    assert board.has(PullRequest)
    assert not board.has(Issue)


def test_what_is_absent_is_not_on_the_board(make_delivery: MakeDelivery) -> None:
    board = seeded(read_event(make_delivery("ping", zen="...", repository=None, sender=None)))

    assert [entry.name for entry in board.visible] == ["event"]
    assert not board.has(Repository)
    assert not board.has(Comment)


def test_a_store_can_read_back_whatever_a_delivery_brings(
    make_delivery: MakeDelivery, octokit_examples: list[tuple[str, Payload]]
) -> None:
    catalog = TypeCatalog(FACT_TYPES)

    for name, payload in octokit_examples:
        for _, value in facts_of(read_event(make_delivery(name, **payload))):
            catalog.check(value)


def test_a_second_hook_on_the_same_event_has_the_same_cause(
    make_delivery: MakeDelivery, issue: Payload
) -> None:
    by_repository = make_delivery("issues", "d-1", action="opened", issue=issue)
    by_app = make_delivery("issues", "d-2", action="opened", issue=issue, installation={"id": 1})

    assert cause_of(read_event(by_repository)) == cause_of(read_event(by_app))


@pytest.mark.parametrize(
    ("event", "fields"),
    [
        ("quantum_widget", {"widget": {"id": 1, "name": "a"}}),
        ("label", {"action": "created", "label": {"id": 1, "name": "bug"}}),
        ("push", {"ref": "refs/heads/main", "before": "a", "after": "b"}),
        ("star", {"action": "created", "starred_at": "2026-03-01T10:00:00Z"}),
        ("fork", {"forkee": {"id": 2, "full_name": "cat/hello"}}),
    ],
)
def test_every_kind_of_event_has_one_cause_through_two_hooks(
    make_delivery: MakeDelivery, event: str, fields: Payload
) -> None:
    by_repository = make_delivery(event, "d-1", **fields)
    by_app = make_delivery(event, "d-2", installation={"id": 1}, **fields)

    assert cause_of(read_event(by_repository)) == cause_of(read_event(by_app))


def test_the_same_done_again_later_has_another_cause(
    make_delivery: MakeDelivery, issue: Payload
) -> None:
    label = {"name": "bug"}
    later = issue | {"updated_at": "2026-03-01T10:00:01Z"}

    first = cause_of(
        read_event(make_delivery("issues", action="labeled", issue=issue, label=label))
    )
    again = cause_of(
        read_event(make_delivery("issues", action="labeled", issue=later, label=label))
    )

    assert first != again


def test_two_labels_put_on_in_one_second_are_two_causes(
    make_delivery: MakeDelivery, issue: Payload
) -> None:
    causes = {
        cause_of(read_event(make_delivery("issues", action="labeled", issue=issue, label=label)))
        for label in ({"name": "bug"}, {"name": "urgent"})
    }

    assert len(causes) == 2


def test_the_same_ids_on_another_host_are_another_cause(
    make_delivery: MakeDelivery, issue: Payload
) -> None:
    causes = {
        cause_of(read_event(make_delivery("issues", "d-1", host, action="opened", issue=issue)))
        for host in ("github.com", "ghe.acme.example")
    }

    assert len(causes) == 2


def test_a_comment_on_an_issue_and_the_issue_itself_are_two_causes(
    make_delivery: MakeDelivery, issue: Payload, comment: Payload
) -> None:
    comment["id"] = issue["id"]

    causes = {
        cause_of(read_event(make_delivery("issues", action="created", issue=issue))),
        cause_of(
            read_event(
                make_delivery("issue_comment", action="created", issue=issue, comment=comment)
            )
        ),
    }

    assert len(causes) == 2


def test_it_happened_when_the_newest_thing_it_is_about_changed(
    make_delivery: MakeDelivery, issue: Payload, comment: Payload
) -> None:
    older = issue | {"updated_at": "2026-03-01T10:00:00Z"}
    newer = comment | {"updated_at": "2026-03-01T11:00:00Z"}
    commented = make_delivery("issue_comment", action="created", issue=older, comment=newer)

    assert happened_at(read_event(commented)) == datetime(2026, 3, 1, 11, tzinfo=UTC)


def test_what_has_no_time_of_its_own_happened_when_it_came(make_delivery: MakeDelivery) -> None:
    event = read_event(make_delivery("star", action="created"))

    assert happened_at(event) == event.received_at
