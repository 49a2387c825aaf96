"""What somebody gets back for commands: reactions, and one short comment where one was refused.

    eyes        it was heard, and is being done
    +1          it is done
    -1          they may not, or nobody can tell whether they may
    confused    there is no such command, or not with these words

Pure: events and what was heard in, effects out.
"""

import re
from collections.abc import Sequence

from reactor.command import NotAllowed
from reactor.github.conversation_events import CommentEvent, PullRequestReviewCommentEvent
from reactor.github.effects import PostComment, React
from reactor.github.event import Event
from reactor.github.hearing import Heard, Refusal
from reactor.permissions import PermissionUnknown

_LONGEST_SENTENCE = 400  # characters; a word that somebody wrote is in it


def replies(event: Event, heard: Sequence[Heard]) -> tuple[React | PostComment, ...]:
    """At once: that it was heard, and what of it is refused.  None for an event without calls."""
    refusals = [each.refusal for each in heard if each.refusal is not None]
    seen = (_react(event, "eyes"),) if any(each.command for each in heard) else ()
    if not refusals:
        return seen
    is_about_rights = all(isinstance(each, NotAllowed | PermissionUnknown) for each in refusals)
    return (
        *seen,
        _react(event, "-1" if is_about_rights else "confused"),
        PostComment(body="\n".join(f"- {_as_code(str(each))}" for each in _once(refusals))),
    )


def done(event: Event) -> React:
    """For the end."""
    return _react(event, "+1")


def _react(event: Event, content: str) -> React:
    """To what was written; a review can't be reacted to, so there to the pull request."""
    if not isinstance(event, CommentEvent):
        return React.model_validate({"content": content})
    is_on_diff = isinstance(event, PullRequestReviewCommentEvent)
    kind = "review_comment" if is_on_diff else "issue_comment"
    return React.model_validate({"content": content, "comment_id": event.comment.id, "on": kind})


def _once(refusals: Sequence[Refusal]) -> list[Refusal]:
    return list({str(each): each for each in refusals}.values())


def _as_code(sentence: str) -> str:
    """It repeats what strangers wrote: in code nothing is a link, an image, or a reference."""
    line = " ".join(sentence.split())[:_LONGEST_SENTENCE]
    fence = "`" * (1 + max(map(len, re.findall("`+", line)), default=0))
    return f"{fence} {line} {fence}" if "`" in line else f"`{line}`"
