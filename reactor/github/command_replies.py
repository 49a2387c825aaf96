"""What somebody gets back for commands: reactions, and one short comment where one was refused.

    eyes        it was heard, and is being done
    +1          it is done
    -1          they may not, or nobody can tell whether they may
    confused    there is no such command, or not with these words

Pure: events and what was heard in, effects out.
"""

import re
from collections.abc import Iterable

from reactor.commanded import HeardCommands
from reactor.github.conversation_events import CommentEvent, PullRequestReviewCommentEvent
from reactor.github.effects import PostComment, React
from reactor.github.event import Event

_LONGEST_SENTENCE = 400  # characters; a word that somebody wrote is in it


def replies(event: Event, heard: HeardCommands) -> tuple[React | PostComment, ...]:
    """At once: that it was heard, and what of it is refused.  None for an event without calls."""
    seen = (_react(event, "eyes"),) if heard.calls else ()
    if not heard.refused:
        return seen
    is_about_rights = all(each.is_about_rights for each in heard.refused)
    sentences = [each.sentence for each in heard.refused]
    return (*seen, _react(event, "-1" if is_about_rights else "confused"), _explained(sentences))


def results(
    event: Event, heard: HeardCommands, declined: Iterable[str]
) -> tuple[React | PostComment, ...]:
    """For the end, when all has been run: that it is done, and why what of it is not."""
    sentences = list(declined)
    done = (_react(event, "+1"),) if len(sentences) < len(heard.calls) else ()
    return (*done, _react(event, "confused"), _explained(sentences)) if sentences else done


def _explained(sentences: Iterable[str]) -> PostComment:
    once = dict.fromkeys(sentences)
    return PostComment(body="\n".join(f"- {_as_code(each)}" for each in once))


def _react(event: Event, content: str) -> React:
    """To what was written; a review can't be reacted to, so there to the pull request."""
    if not isinstance(event, CommentEvent):
        return React.model_validate({"content": content})
    is_on_diff = isinstance(event, PullRequestReviewCommentEvent)
    kind = "review_comment" if is_on_diff else "issue_comment"
    return React.model_validate({"content": content, "comment_id": event.comment.id, "on": kind})


def _as_code(sentence: str) -> str:
    """It repeats what strangers wrote: in code nothing is a link, an image, or a reference."""
    line = " ".join(sentence.split())[:_LONGEST_SENTENCE]
    fence = "`" * (1 + max(map(len, re.findall("`+", line)), default=0))
    return f"{fence} {line} {fence}" if "`" in line else f"`{line}`"
