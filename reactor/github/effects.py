"""The effects that GitHub knows, as data.  They change the issue or pull request of the process.

Checked when they are made: what GitHub would refuse can't be asked for, text is cut to its
limit, and nobody is mentioned by accident.  Nothing is sent from here.
"""

from typing import Literal

from pydantic import Field, model_validator

from reactor.effect import Effect
from reactor.github.effect_fields import (
    AnyLabels,
    GitHubEffect,
    LabelName,
    Labels,
    Login,
    Logins,
    Sha,
    Slot,
    TeamSlug,
    WithText,
    listed,
    shown,
)
from reactor.github.repository_effects import (
    CreateCheck,
    CreateIssue,
    DispatchWorkflow,
    UpdateCheck,
)

__all__ = [
    "EFFECT_TYPES",
    "AddLabels",
    "Assign",
    "Close",
    "CreateCheck",
    "CreateIssue",
    "Dispatch",
    "DispatchWorkflow",
    "GitHubEffect",
    "LabelName",
    "Lock",
    "Login",
    "PostComment",
    "React",
    "RemoveLabels",
    "Reopen",
    "RequestReview",
    "ReviewComment",
    "SetLabels",
    "SetMilestone",
    "StickyComment",
    "Unassign",
    "Unlock",
    "UpdateCheck",
    "UpdateComment",
]


class AddLabels(GitHubEffect):
    """Put labels on; those already there stay."""

    labels: Labels

    def describe(self) -> str:
        """`add labels bug, urgent`."""
        return f"add {listed(self.labels)}"


class RemoveLabels(GitHubEffect):
    """Take labels off; those not there are no fault."""

    labels: Labels

    def describe(self) -> str:
        """`remove label needs-information`."""
        return f"remove {listed(self.labels)}"


class SetLabels(GitHubEffect):
    """Let it have these labels and no others, unless a person changed its labels since."""

    labels: AnyLabels

    def describe(self) -> str:
        """`set labels bug, urgent`."""
        return f"set {listed(self.labels)}" if self.labels else "clear labels"


class Assign(GitHubEffect):
    """Give the issue or pull request to people; GitHub takes at most ten."""

    logins: Logins

    def describe(self) -> str:
        """`assign octocat`."""
        return f"assign {', '.join(self.logins)}"


class Unassign(GitHubEffect):
    """Take it from people."""

    logins: Logins

    def describe(self) -> str:
        """`unassign octocat`."""
        return f"unassign {', '.join(self.logins)}"


class PostComment(WithText):
    """Write a comment."""

    def describe(self) -> str:
        """`comment "Thanks for the report. ..."`."""
        return f'comment "{shown(self.body)}"'


class UpdateComment(WithText):
    """Write a comment of ours anew."""

    comment_id: int

    def describe(self) -> str:
        """`change comment 6 to "..."`."""
        return f'change comment {self.comment_id} to "{shown(self.body)}"'


class StickyComment(WithText):
    """Keep one comment of ours under a name: written once, and from then on written anew."""

    slot: Slot

    def describe(self) -> str:
        """`keep comment triage: "Thanks. ..."`."""
        return f'keep comment {self.slot}: "{shown(self.body)}"'


class ReviewComment(WithText):
    """Write a comment on a line of the pull request's diff, or answer one there."""

    commit_id: Sha | None = None
    path: str | None = Field(None, min_length=1, max_length=4096)
    line: int | None = Field(None, ge=1)
    start_line: int | None = Field(None, ge=1)
    """The first of several lines."""
    side: Literal["LEFT", "RIGHT"] = "RIGHT"
    in_reply_to: int | None = Field(None, ge=1)
    """Id of the review comment that it answers; the rest is left out then."""

    @model_validator(mode="after")
    def _has_one_place(self) -> "ReviewComment":
        place = (self.commit_id, self.path, self.line)
        if self.in_reply_to is not None:
            if any(part is not None for part in (*place, self.start_line)):
                raise ValueError("an answer stands where the comment is that it answers")
            return self
        if None in place:
            raise ValueError("name commit_id, path and line, or in_reply_to")
        if self.start_line is not None and self.line is not None and self.start_line >= self.line:
            raise ValueError("start_line comes before line")
        return self

    def describe(self) -> str:
        """`comment on a.py:3 "Is this used?"`."""
        if self.in_reply_to is not None:
            return f'answer review comment {self.in_reply_to} "{shown(self.body)}"'
        return f'comment on {self.path}:{self.line} "{shown(self.body)}"'


class React(GitHubEffect):
    """React with an emoji: to a comment, or to the issue or pull request itself."""

    content: Literal["+1", "-1", "laugh", "confused", "heart", "hooray", "rocket", "eyes"]
    comment_id: int | None = None
    on: Literal["issue_comment", "review_comment"] = "issue_comment"
    """Which kind of comment: they have two rows of ids."""

    def describe(self) -> str:
        """`react with eyes to comment 6`."""
        kind = "review comment" if self.on == "review_comment" else "comment"
        where = f" to {kind} {self.comment_id}" if self.comment_id is not None else ""
        return f"react with {self.content}{where}"


class Close(GitHubEffect):
    """Close the issue or pull request."""

    reason: Literal["completed", "not_planned", "duplicate"] = "completed"
    duplicate_of: int | None = Field(None, ge=1, description="Number of an issue beside this one.")

    @model_validator(mode="after")
    def _reason_fits(self) -> "Close":
        if (self.reason == "duplicate") != (self.duplicate_of is not None):
            raise ValueError("duplicate_of belongs to the reason duplicate, and the reason to it")
        return self

    def describe(self) -> str:
        """`close as duplicate of #7`."""
        if self.duplicate_of is not None:
            return f"close as duplicate of #{self.duplicate_of}"
        return f"close as {self.reason.replace('_', ' ')}"


class Reopen(GitHubEffect):
    """Open the issue or pull request again."""

    def describe(self) -> str:
        """`reopen`."""
        return "reopen"


class Lock(GitHubEffect):
    """Let only people with write access comment."""

    reason: Literal["off-topic", "too heated", "resolved", "spam"] | None = None

    def describe(self) -> str:
        """`lock as too heated`."""
        return f"lock as {self.reason}" if self.reason else "lock"


class Unlock(GitHubEffect):
    """Let everybody comment again."""

    def describe(self) -> str:
        """`unlock`."""
        return "unlock"


class SetMilestone(GitHubEffect):
    """Put it into a milestone, or take it out."""

    number: int | None = Field(ge=1, description="Number of the milestone; None takes it out.")

    def describe(self) -> str:
        """`set milestone 3`."""
        return "clear milestone" if self.number is None else f"set milestone {self.number}"


class RequestReview(GitHubEffect):
    """Ask people or teams to review the pull request."""

    reviewers: tuple[Login, ...] = ()
    teams: tuple[TeamSlug, ...] = ()

    @model_validator(mode="after")
    def _asks_somebody(self) -> "RequestReview":
        if not self.reviewers and not self.teams:
            raise ValueError("name at least one reviewer or team")
        return self

    def describe(self) -> str:
        """`request review by octocat, team core`."""
        names = (*self.reviewers, *(f"team {team}" for team in self.teams))
        return f"request review by {', '.join(names)}"


class Dispatch(GitHubEffect):
    """Send a `repository_dispatch` event, which starts the repository's own workflows."""

    event_type: str = Field(min_length=1, max_length=100)
    payload: tuple[tuple[str, str], ...] = Field((), max_length=10)
    """Names and values of the client payload; GitHub takes at most ten."""

    def describe(self) -> str:
        """`dispatch star_received (login octocat)`."""
        said = ", ".join(f"{name} {value}" for name, value in self.payload)
        return f"dispatch {self.event_type}" + (f" ({said})" if said else "")


EFFECT_TYPES: tuple[type[Effect], ...] = (
    AddLabels,
    Assign,
    Close,
    CreateCheck,
    CreateIssue,
    Dispatch,
    DispatchWorkflow,
    Lock,
    PostComment,
    React,
    RemoveLabels,
    Reopen,
    RequestReview,
    ReviewComment,
    SetLabels,
    SetMilestone,
    StickyComment,
    Unassign,
    Unlock,
    UpdateCheck,
    UpdateComment,
)
"""Every kind above: what a store must be able to read back."""
