"""What somebody gets back for commands: reactions, and one short comment where one was refused.

    eyes        it was heard, and is being done
    +1          it is done
    -1          they may not, or nobody can tell whether they may; or it is not allowed there
    confused    there is no such command, or not with these words

Pure: events and what was heard in, effects out.
"""

import re
from collections.abc import Iterable, Sequence

from reactor.commanded import CommandDone, HeardCommands
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
    event: Event, heard: HeardCommands, done: Sequence[CommandDone], declined: Sequence[str] = ()
) -> tuple[React | PostComment, ...]:
    """For the end, when all has been run: that it is done, and why what of it is not."""
    refused = [sentence for each in done for sentence in each.refused]
    held = [f"{what}: waits for approval" for each in done for what in each.held]
    sentences = [*declined, *refused, *held]
    reactions = [
        *(["+1"] if len(sentences) < len(heard.calls) else []),
        *(["-1"] if refused else []),
        *(["confused"] if declined else []),
    ]
    explained = (_explained(sentences),) if sentences else ()
    return (*(_react(event, each) for each in reactions), *explained)


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
