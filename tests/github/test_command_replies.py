"""Whoever asks is told what became of it, once, and with nothing of theirs alive in it."""

from collections.abc import Callable
from typing import Any, ClassVar

import pytest
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from reactor.command import (
    Asker,
    Command,
    NotAllowed,
    Role,
    UnknownCommand,
    WrongWords,
)
from reactor.commanded import CalledCommand, CommandDone, HeardCommands
from reactor.github.allowing import Heard, Overheard, Refusal
from reactor.github.command_replies import replies, results
from reactor.github.effects import PostComment, React
from reactor.github.event import Event
from reactor.github.events import GenericEvent, read_event
from tests.github.conftest import COMMENT, ISSUE, MakeDelivery

MakeEvent = Callable[..., Event]


class CloseCommand(Command):
    """Close it."""

    name: ClassVar[str] = "close"


CALL = CalledCommand(name="close")
GOOD = Heard(call=CALL, command=CloseCommand())
FORBIDDEN = NotAllowed(CloseCommand, Asker(login="stranger", role=Role.NONE))
UNKNOWN = UnknownCommand("clsoe", "close")


def refused(refusal: Refusal) -> Heard:
    return Heard(call=CALL, refusal=refusal)


def told(*heard: Heard) -> HeardCommands:
    return Overheard(heard=heard).told


@pytest.fixture
def event(make_delivery: MakeDelivery) -> MakeEvent:
    """`event("issues", action=..., ...)`: as a worker reads it."""
    return lambda *names, **payload: read_event(make_delivery(*names, **payload))


@pytest.fixture
def comment(event: MakeEvent) -> Event:
    return event("issue_comment", action="created", issue=dict(ISSUE), comment=dict(COMMENT))


def on_comment(content: Any) -> React:
    return React(content=content, comment_id=COMMENT["id"])


def test_where_nothing_was_asked_nothing_is_said(comment: Event) -> None:
    assert replies(comment, told()) == ()


def test_what_is_done_is_seen_and_then_confirmed(comment: Event) -> None:
    assert replies(comment, told(GOOD, GOOD)) == (on_comment("eyes"),)
    assert results(comment, told(GOOD, GOOD), ()) == (on_comment("+1"),)


def test_who_may_not_is_told_in_one_comment(comment: Event) -> None:
    said = replies(comment, told(refused(FORBIDDEN), refused(FORBIDDEN)))

    assert said == (on_comment("-1"), PostComment(body=f"- `{FORBIDDEN}`"))


def test_of_several_each_gets_what_is_due(comment: Event) -> None:
    said = replies(comment, told(GOOD, refused(FORBIDDEN), refused(UNKNOWN)))

    assert said == (
        on_comment("eyes"),
        on_comment("confused"),
        PostComment(body=f"- `{FORBIDDEN}`\n- `{UNKNOWN}`"),
    )


def test_what_an_action_declined_is_told_beside_what_is_done(comment: Event) -> None:
    why = PostComment(body="- `#7 is this one`")

    assert results(comment, told(GOOD, GOOD), [], ["#7 is this one"]) == (
        on_comment("+1"),
        on_comment("confused"),
        why,
    )
    assert results(comment, told(GOOD), [], ["#7 is this one"]) == (on_comment("confused"), why)


def test_what_is_not_allowed_there_or_waits_for_approval_is_told(comment: Event) -> None:
    refused = CommandDone(action="a.b", refused=("add label x: the operator allows no x",))
    held = CommandDone(action="a.c", held=("close as completed",))

    assert results(comment, told(GOOD, GOOD), [refused, held]) == (
        on_comment("-1"),
        PostComment(
            body="- `add label x: the operator allows no x`\n"
            "- `close as completed: waits for approval`"
        ),
    )


def test_comments_on_a_diff_have_ids_of_their_own(event: MakeEvent) -> None:
    on_diff = event(
        "pull_request_review_comment",
        action="created",
        pull_request=dict(ISSUE),
        comment=dict(COMMENT),
    )

    assert results(on_diff, told(GOOD), ()) == (
        React(content="+1", comment_id=COMMENT["id"], on="review_comment"),
    )


@pytest.mark.parametrize(
    ("name", "payload"),
    [
        ("issues", {"action": "opened", "issue": ISSUE}),
        (
            "pull_request_review",
            {"action": "submitted", "pull_request": ISSUE, "review": {"id": 9}},
        ),
    ],
)
def test_bodies_and_reviews_are_answered_at_the_issue_or_pull_request(
    event: MakeEvent, name: str, payload: dict[str, Any]
) -> None:
    assert results(event(name, **payload), told(GOOD), ()) == (React(content="+1"),)


@given(
    st.lists(
        st.sampled_from(
            ["`", "```", "![x](https://x.example)", "@octocat", "#1", "<b>", "](", "\n", "\\", "a"]
        ),
        min_size=1,
        max_size=12,
    ).map("".join)
)
def test_what_strangers_wrote_is_shown_as_code_and_nothing_else(word: str) -> None:
    wrong = WrongWords("close", f'has no place for "{word}"', "/close")

    *_, reply = replies(_bare_event(), told(refused(wrong)))

    assert isinstance(reply, PostComment)
    shown = [token for token in MarkdownIt("commonmark").parse(reply.body) if token.children]
    assert [[child.type for child in token.children or ()] for token in shown] == [["code_inline"]]


def _bare_event() -> Event:
    return GenericEvent.model_validate(
        {
            "delivery_id": "d-1",
            "host": "github.com",
            "event": "star",
            "subject_key": "github.com/1",
            "received_at": "2026-03-01T12:00:00Z",
            "digest": "0" * 64,
        }
    )
