import json
import pickle
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from reactor.delivery import Delivery
from reactor.github import (
    GenericEvent,
    IssueCommentCreated,
    IssueOpened,
    IssuesEvent,
    IssueTransferred,
    Label,
    Push,
    RefCreated,
    StarCreated,
)
from reactor.github.conversation_events import ConversationEvent
from reactor.github.events import KEPT_BYTES, TYPED, UnreadableEvent, is_typed, read_event
from reactor.github.models import Issue, PullRequest

MakeDelivery = Callable[..., Delivery]
Payload = dict[str, Any]


def test_an_action_of_interest_has_a_class_of_its_own(
    make_delivery: MakeDelivery, issue: Payload
) -> None:
    event = read_event(make_delivery("issues", action="opened", issue=issue))

    assert type(event) is IssueOpened
    assert (event.kind, event.delivery_id, event.host) == ("issues.opened", "d-1", "github.com")
    assert event.subject_key == "github.com/1296269#17"
    assert event.subject == event.issue


def test_a_new_action_is_the_event_by_name_with_the_unknown_field_kept(
    make_delivery: MakeDelivery, issue: Payload
) -> None:
    event = read_event(
        make_delivery("issues", action="typed", issue=issue, type={"id": 1, "name": "Bug"})
    )

    assert type(event) is IssuesEvent
    assert event.model_extra == {"type": {"id": 1, "name": "Bug"}}


def test_an_event_without_a_model_keeps_everything(make_delivery: MakeDelivery) -> None:
    event = read_event(make_delivery("quantum_widget", action="spun", widget={"id": 1}))

    assert type(event) is GenericEvent
    assert event.repository is not None
    assert event.model_extra == {"widget": {"id": 1}}


@pytest.mark.parametrize("link", [{"url": "https://example.test"}, {}, None, "yes", {"new": [1]}])
def test_the_key_pull_request_makes_the_subject_one_whatever_it_holds(
    make_delivery: MakeDelivery, issue: Payload, comment: Payload, link: object
) -> None:
    issue["pull_request"] = link

    event = read_event(
        make_delivery("issue_comment", action="created", issue=issue, comment=comment)
    )

    assert isinstance(event, IssueCommentCreated)
    assert event.issue is None
    assert isinstance(event.subject, PullRequest)
    assert event.subject.number == 17


def test_events_without_an_action_are_read(make_delivery: MakeDelivery) -> None:
    push = read_event(
        make_delivery("push", ref="refs/heads/main", commits=[], head_commit=None, sender=None)
    )
    created = read_event(make_delivery("create", ref="v1.2.0", ref_type="tag"))

    assert isinstance(push, Push)
    assert (push.action, push.kind, push.sender) == (None, "push", None)
    assert isinstance(created, RefCreated)


def test_a_missing_sender_and_installation_are_none(
    make_delivery: MakeDelivery, issue: Payload
) -> None:
    delivery = make_delivery("issues", action="opened", issue=issue)
    payload = {name: value for name, value in delivery.payload.items() if name != "sender"}

    event = read_event(make_delivery("issues", **payload | {"sender": None}))

    assert event.sender is None
    assert event.installation is None


def test_an_optional_field_of_a_strange_shape_is_dropped_and_named(
    make_delivery: MakeDelivery, issue: Payload
) -> None:
    issue |= {
        "milestone": {"id": 1, "number": "three"},
        "labels": [{"name": "bug"}, {"title": "no name"}, "not even an object"],
        "title": None,
    }

    event = read_event(make_delivery("issues", action="opened", issue=issue))

    assert isinstance(event, IssueOpened)
    assert event.issue is not None
    assert event.issue.milestone is None
    assert event.issue.labels == (Label(name="bug"),)
    assert event.issue.title == ""
    assert set(event.unread) >= {"issue.title", "issue.labels.1", "issue.milestone.number"}


@pytest.mark.parametrize(
    "payload",
    [
        {},
        {"issue": None},
        {"issue": "17"},
        {"issue": {"title": "no number"}},
        {"issue": {"id": [], "number": 1}},
    ],
)
def test_an_event_without_what_it_is_about_is_unreadable_and_says_so(
    make_delivery: MakeDelivery, payload: Payload
) -> None:
    with pytest.raises(UnreadableEvent) as caught:
        read_event(make_delivery("issues", action="opened", **payload))

    assert "delivery d-1 is no issues.opened event" in str(caught.value)
    assert str(pickle.loads(pickle.dumps(caught.value))) == str(caught.value)


def test_an_event_that_is_about_nothing_is_refused_in_a_plain_sentence(
    make_delivery: MakeDelivery,
) -> None:
    with pytest.raises(
        UnreadableEvent, match=r"event \(neither issue nor pull_request is there\);"
    ):
        read_event(make_delivery("issues", action="opened"))


def test_a_payload_made_of_faults_is_given_up_at_once(
    make_delivery: MakeDelivery, issue: Payload
) -> None:
    issue["labels"] = [{}] * 1000

    with pytest.raises(UnreadableEvent):
        read_event(make_delivery("issues", action="opened", issue=issue))


def test_of_a_huge_body_only_what_has_a_model_is_kept(make_delivery: MakeDelivery) -> None:
    event = read_event(make_delivery("quantum_widget", widget="x" * KEPT_BYTES))

    assert event.model_extra == {}
    assert event.unread == ("*",)
    assert event.repository is not None


def test_a_payload_cannot_pass_itself_off_as_another_delivery(make_delivery: MakeDelivery) -> None:
    event = read_event(
        make_delivery("quantum_widget", delivery_id="forged", host="evil", digest="0", unread=["*"])
    )

    assert (event.delivery_id, event.host) == ("d-1", "github.com")
    assert event.digest != "0"
    assert event.unread == ()


def test_a_transfer_tells_where_the_issue_went(make_delivery: MakeDelivery, issue: Payload) -> None:
    changes = {"new_issue": issue | {"number": 4}, "new_repository": {"id": 2, "full_name": "o/b"}}

    event = read_event(make_delivery("issues", action="transferred", issue=issue, changes=changes))

    assert isinstance(event, IssueTransferred)
    assert event.changes is not None
    assert event.changes.new_issue is not None
    assert event.changes.new_issue.number == 4


@pytest.mark.parametrize(
    ("changes", "came"),
    [
        (
            {"old_issue": {"id": 1, "number": 3}, "old_repository": {"id": 2, "full_name": "o/b"}},
            True,
        ),
        ({"old_issue": {"id": 1, "number": 3}, "old_repository": None}, True),
        ({"old_issue": None, "old_repository": {"id": 2, "full_name": "o/b"}}, True),
        ({"old_issue": None, "old_repository": None}, False),
        ({}, False),
        (None, False),
    ],
)
def test_an_issue_that_came_by_transfer_says_so_where_github_does(
    make_delivery: MakeDelivery, issue: Payload, changes: Payload | None, came: bool
) -> None:
    event = read_event(make_delivery("issues", action="opened", issue=issue, changes=changes))

    assert isinstance(event, IssueOpened)
    assert event.came_by_transfer is came


def test_typed_is_what_a_star_in_a_reaction_means() -> None:
    assert is_typed("issues")
    assert is_typed("create")
    assert not is_typed("quantum_widget")
    assert not is_typed("issues.opened")


def test_every_class_of_an_action_is_a_kind_of_its_events_class() -> None:
    wrong = [
        kind
        for kind in TYPED
        if "." in kind and not issubclass(TYPED[kind], TYPED[kind.split(".")[0]])
    ]

    assert wrong == []


def test_every_published_example_is_read_and_comes_back_from_json_as_it_was(
    make_delivery: MakeDelivery, octokit_examples: list[tuple[str, Payload]]
) -> None:
    for name, payload in octokit_examples:
        event = read_event(make_delivery(name, **payload))

        assert event.unread == (), (name, event.unread)
        assert type(event).model_validate_json(event.model_dump_json()) == event
        if isinstance(event, ConversationEvent):
            assert isinstance(event.subject, Issue | PullRequest)


def test_the_odd_deliveries_are_typed_as_they_must_be(
    make_delivery: MakeDelivery, odd_inputs: Path
) -> None:
    def read(case: str, event: str) -> object:
        payload = json.loads((odd_inputs / case / "body.json").read_text(encoding="utf-8"))
        return read_event(make_delivery(event, **payload))

    assert isinstance(read("23_push_epoch_timestamps", "push"), Push)
    assert isinstance(read("25_star_and_watch", "star"), StarCreated)
    assert isinstance(read("28_null_user_null_body", "issues"), IssueOpened)
    assert type(read("39_unknown_event", "quantum_widget")) is GenericEvent
    assert type(read("40_unknown_action", "issues")) is IssuesEvent
