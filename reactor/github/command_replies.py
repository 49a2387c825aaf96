"""What somebody gets back for commands: reactions, and one short comment where one was refused.

    eyes        it was heard, and is being done
    +1          it is done
    -1          they may not, or nobody can tell whether they may; or it is not allowed there
    confused    there is no such command, or not with these words

Pure: events and what was heard in, effects out.
"""

from collections.abc import Iterable, Sequence

from reactor.commanded import CommandDone, HeardCommands
from reactor.github.conversation_events import CommentEvent, PullRequestReviewCommentEvent
from reactor.github.effects import PostComment, React
from reactor.github.event import Event
from reactor.github.text import in_code


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
    held = [what for each in done for what in each.held]
    sentences = [*declined, *refused, *map(_held, held)]
    reactions = [
        *(["+1"] if len(sentences) < len(heard.calls) else []),
        *(["-1"] if refused else []),
        *(["confused"] if declined else []),
    ]
    explained = (_explained(sentences),) if sentences else ()
    return (*(_react(event, each) for each in reactions), *explained)


def corrections(
    done: React, refused: Sequence[str], held: Sequence[str]
) -> tuple[React | PostComment, ...]:
    """Beside or in place of `done`, the +1: which changes were not made, as it turned out later."""
    if not refused and not held:
        return ()
    reactions = (done.model_copy(update={"content": "-1"}),) if refused else ()
    return (*reactions, _explained([*refused, *map(_held, held)]))


def _held(what: str) -> str:
    return f"{what}: waits for approval"


def _explained(sentences: Iterable[str]) -> PostComment:
    """They repeat what strangers wrote."""
    once = dict.fromkeys(sentences)
    return PostComment(body="\n".join(f"- {in_code(each)}" for each in once))


def _react(event: Event, content: str) -> React:
    """To what was written; a review can't be reacted to, so there to the pull request."""
    if not isinstance(event, CommentEvent):
        return React.model_validate({"content": content})
    is_on_diff = isinstance(event, PullRequestReviewCommentEvent)
    kind = "review_comment" if is_on_diff else "issue_comment"
    return React.model_validate({"content": content, "comment_id": event.comment.id, "on": kind})
