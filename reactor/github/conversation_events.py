"""Events about issues and pull requests, and about what is said on them.

One class per event name, narrower ones per action that matters: `issues` with an action that has
no class of its own is an `IssuesEvent`; what takes `issues` runs, what takes `issues.opened`
does not.
"""

from typing import Self

from pydantic import model_validator

from reactor.github.event import Event, timed
from reactor.github.models import (
    Account,
    Changes,
    Comment,
    Issue,
    Label,
    PullRequest,
    Review,
)


class ConversationEvent(Event):
    """About an issue or a pull request: exactly one of `issue` and `pull_request` is there."""

    issue: Issue | None = None
    pull_request: PullRequest | None = None
    label: Label | None = None  # with labeled, unlabeled
    assignee: Account | None = None  # with assigned, unassigned
    changes: Changes | None = None

    @model_validator(mode="after")
    def _has_a_subject(self) -> Self:
        if self.issue is None and self.pull_request is None:
            raise ValueError("neither issue nor pull_request is there")
        return self

    @property
    def subject(self) -> Issue | PullRequest | None:
        """The issue or the pull request."""
        return self.pull_request if self.issue is None else self.issue

    def identity(self) -> tuple[object, ...]:
        """The conversation, its time, and who or what was put on or taken off."""
        label = self.label.name if self.label else None
        assignee = self.assignee.id if self.assignee else None
        return (*timed(self.subject), label, assignee)


class IssuesEvent(ConversationEvent):
    """`issues`: something happened to an issue."""


class IssueOpened(IssuesEvent):
    """An issue was opened, or came from another repository (see `came_by_transfer`)."""

    @property
    def came_by_transfer(self) -> bool:
        """Whether the issue existed before, elsewhere.  GitHub does not always say so."""
        changes = self.changes
        return changes is not None and (
            changes.old_issue is not None or changes.old_repository is not None
        )


class IssueEdited(IssuesEvent):
    """Title or body of an issue changed."""


class IssueClosed(IssuesEvent):
    """An issue was closed."""


class IssueReopened(IssuesEvent):
    """An issue was opened again."""


class IssueLabeled(IssuesEvent):
    """An issue got `label`."""


class IssueUnlabeled(IssuesEvent):
    """An issue lost `label`."""


class IssueAssigned(IssuesEvent):
    """An issue was given to `assignee`."""


class IssueUnassigned(IssuesEvent):
    """An issue was taken from `assignee`."""


class IssueTransferred(IssuesEvent):
    """An issue went to another repository: `changes.new_issue`, `changes.new_repository`."""


class PullRequestEvent(ConversationEvent):
    """`pull_request`: something happened to a pull request."""


class PullRequestOpened(PullRequestEvent):
    """A pull request was opened."""


class PullRequestEdited(PullRequestEvent):
    """Title, body or base of a pull request changed."""


class PullRequestClosed(PullRequestEvent):
    """A pull request was closed; `pull_request.merged` says how."""


class PullRequestReopened(PullRequestEvent):
    """A pull request was opened again."""


class PullRequestSynchronized(PullRequestEvent):
    """Commits were pushed to a pull request."""


class PullRequestReadyForReview(PullRequestEvent):
    """A pull request is no draft any more."""


class PullRequestLabeled(PullRequestEvent):
    """A pull request got `label`."""


class PullRequestUnlabeled(PullRequestEvent):
    """A pull request lost `label`."""


class CommentEvent(ConversationEvent):
    """Somebody wrote about an issue or a pull request."""

    comment: Comment

    def identity(self) -> tuple[object, ...]:
        """The comment and its time."""
        return timed(self.comment)


class IssueCommentEvent(CommentEvent):
    """`issue_comment`: on an issue, or on the conversation of a pull request."""


class IssueCommentCreated(IssueCommentEvent):
    """A comment was written."""


class IssueCommentEdited(IssueCommentEvent):
    """A comment was changed."""


class IssueCommentDeleted(IssueCommentEvent):
    """A comment was deleted."""


class PullRequestReviewCommentEvent(CommentEvent):
    """`pull_request_review_comment`: on the diff of a pull request."""


class PullRequestReviewCommentCreated(PullRequestReviewCommentEvent):
    """A comment on a diff was written."""


class PullRequestReviewEvent(ConversationEvent):
    """`pull_request_review`: something happened to a review."""

    review: Review

    def identity(self) -> tuple[object, ...]:
        """The review and its time."""
        return (self.review.id, self.review.updated_at or self.review.submitted_at)


class PullRequestReviewSubmitted(PullRequestReviewEvent):
    """A review was handed in."""
