"""From a delivery to a typed event.

Which names and actions have a class of their own is the table below.  Reading is tolerant where
that costs no meaning: an optional field of an unexpected shape is dropped and named in
`Event.unread`; what the event is about has to be there.
"""

from collections.abc import Mapping, Sequence
from typing import cast

from pydantic import ValidationError
from pydantic_core import ErrorDetails

from reactor.delivery import Delivery
from reactor.errors import ReactorError
from reactor.github import conversation_events as about
from reactor.github import repository_events as at
from reactor.github.event import UNKEPT, Event, GenericEvent, Ping

__all__ = ["TYPED", "Event", "GenericEvent", "UnreadableEvent", "is_typed", "read_event"]

KEPT_BYTES = 256 * 1024  # of a body: above it, fields without a model stay on the topic only

_ROUNDS = 8  # of dropping; deeper than any object nests in a model
_MOST_FAULTS = 100  # dropped in one round: a payload with more is not GitHub's

Path = tuple[int | str, ...]

TYPED: Mapping[str, type[Event]] = {
    "commit_comment": at.CommitCommentEvent,
    "create": at.RefCreated,
    "delete": at.RefDeleted,
    "discussion": at.DiscussionEvent,
    "discussion.created": at.DiscussionCreated,
    "discussion_comment": at.DiscussionCommentEvent,
    "discussion_comment.created": at.DiscussionCommentCreated,
    "fork": at.Forked,
    "installation": at.InstallationEvent,
    "installation_repositories": at.InstallationRepositoriesEvent,
    "issue_comment": about.IssueCommentEvent,
    "issue_comment.created": about.IssueCommentCreated,
    "issue_comment.deleted": about.IssueCommentDeleted,
    "issue_comment.edited": about.IssueCommentEdited,
    "issues": about.IssuesEvent,
    "issues.assigned": about.IssueAssigned,
    "issues.closed": about.IssueClosed,
    "issues.edited": about.IssueEdited,
    "issues.labeled": about.IssueLabeled,
    "issues.opened": about.IssueOpened,
    "issues.reopened": about.IssueReopened,
    "issues.transferred": about.IssueTransferred,
    "issues.unassigned": about.IssueUnassigned,
    "issues.unlabeled": about.IssueUnlabeled,
    "label": at.LabelEvent,
    "milestone": at.MilestoneEvent,
    "ping": Ping,
    "pull_request": about.PullRequestEvent,
    "pull_request.closed": about.PullRequestClosed,
    "pull_request.edited": about.PullRequestEdited,
    "pull_request.labeled": about.PullRequestLabeled,
    "pull_request.opened": about.PullRequestOpened,
    "pull_request.ready_for_review": about.PullRequestReadyForReview,
    "pull_request.reopened": about.PullRequestReopened,
    "pull_request.synchronize": about.PullRequestSynchronized,
    "pull_request.unlabeled": about.PullRequestUnlabeled,
    "pull_request_review": about.PullRequestReviewEvent,
    "pull_request_review.submitted": about.PullRequestReviewSubmitted,
    "pull_request_review_comment": about.PullRequestReviewCommentEvent,
    "pull_request_review_comment.created": about.PullRequestReviewCommentCreated,
    "push": at.Push,
    "release": at.ReleaseEvent,
    "release.published": at.ReleasePublished,
    "repository": at.RepositoryEvent,
    "star": at.StarEvent,
    "star.created": at.StarCreated,
    "star.deleted": at.StarDeleted,
    "watch": at.WatchStarted,
}
"""Event name, or name and action -> class.  Read only; ask with `is_typed`."""


class UnreadableEvent(ReactorError):
    """A payload lacks what its event is about: GitHub never sends that, so it is given up on."""

    def __init__(self, delivery: str, kind: str, faults: tuple[str, ...]) -> None:
        super().__init__(delivery, kind, faults)
        self.delivery, self.kind, self.faults = delivery, kind, faults

    def __str__(self) -> str:
        return (
            f"delivery {self.delivery} is no {self.kind} event ({'; '.join(self.faults)}); "
            "look at its body on the dead-letter topic, and at who sent it"
        )


def is_typed(event: str) -> bool:
    """Whether the event name (without an action) has a model: what `*` in a reaction means."""
    return "." not in event and event in TYPED


def read_event(delivery: Delivery) -> Event:
    """The typed event of a delivery.  Raises `UnreadableEvent`."""
    kind = TYPED.get(delivery.kind) or TYPED.get(delivery.event) or GenericEvent
    fields = _shaped(delivery.payload)
    unread: tuple[str, ...] = ()
    if len(delivery.body) > KEPT_BYTES:
        fields = {name: fields[name] for name in kind.model_fields if name in fields}
        unread = (UNKEPT,)
    fields |= {
        "delivery_id": delivery.id,
        "host": delivery.host,
        "event": delivery.event,
        "action": delivery.action,
        "subject_key": delivery.subject.key,
        "received_at": delivery.received_at,
        "digest": delivery.digest,
    }
    return _read_tolerantly(kind, fields, unread, delivery)


def _read_tolerantly(
    kind: type[Event], fields: Mapping[str, object], unread: tuple[str, ...], delivery: Delivery
) -> Event:
    """Validate; drop optional fields that do not fit, and name them in `unread`."""
    faults: Sequence[ErrorDetails] = ()
    for _ in range(_ROUNDS):
        try:
            return kind.model_validate({**fields, "unread": unread})
        except ValidationError as error:
            faults = error.errors(include_url=False, include_context=False, include_input=False)
        paths = {_to_drop(fault) for fault in faults}
        if () in paths or len(paths) > _MOST_FAULTS:
            break
        # deepest and last first, so that the places of what is still to be dropped hold
        for path in sorted(paths, reverse=True):
            fields = cast("Mapping[str, object]", _without(fields, path))
        unread = (*unread, *sorted(".".join(map(str, path)) for path in paths))
    raise UnreadableEvent(delivery.id, delivery.kind, tuple(map(_sentence, faults[:5])))


def _sentence(fault: ErrorDetails) -> str:
    """What is wrong, and where; a fault of the whole has no place."""
    where = ".".join(map(str, fault["loc"]))
    problem = fault["msg"].removeprefix("Value error, ")
    return f"{where}: {problem}" if where else problem


def _shaped(payload: Mapping[str, object]) -> dict[str, object]:
    """A copy in which `issue` is never a pull request.

    Where `issue` has the key `pull_request`, whatever it holds, it *is* a pull request.
    """
    fields = dict(payload)
    issue = fields.get("issue")
    if isinstance(issue, Mapping) and "pull_request" in issue:
        del fields["issue"]
        fields["pull_request"] = issue
    return fields


def _to_drop(fault: ErrorDetails) -> Path:
    """The path of the smallest thing without which the rest may be read; () for the whole."""
    path = fault["loc"]
    return path[:-1] if fault["type"] == "missing" else path


def _without(value: object, path: Path) -> object:
    """A copy of nested dicts and lists that lacks what is at `path`."""
    first, *rest = path
    if isinstance(value, Mapping) and first in value:
        kept = {name: item for name, item in value.items() if name != first}
        return kept | {first: _without(value[first], tuple(rest))} if rest else kept
    if isinstance(value, Sequence) and isinstance(first, int) and first < len(value):
        changed = (_without(value[first], tuple(rest)),) if rest else ()
        return [*value[:first], *changed, *value[first + 1 :]]
    return value
