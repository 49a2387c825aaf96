"""The effects that GitHub knows, as data.  They change the issue or pull request of the process.

Checked when they are made: what GitHub would refuse can't be asked for, text is cut to its
limit, and nobody is mentioned by accident.  Nothing is sent from here.
"""

from typing import Annotated, Literal

from pydantic import (
    AfterValidator,
    Field,
    StringConstraints,
    ValidationInfo,
    field_validator,
    model_validator,
)

from reactor.effect import Effect
from reactor.github.text import cut, neutralise_mentions

SHOWN = 80  # characters of a text in a one-line description

LabelName = Annotated[
    str,
    StringConstraints(
        strip_whitespace=True, min_length=1, max_length=50, pattern=r"^[^\x00-\x1f]+$"
    ),
]
"""GitHub takes 1 to 50 characters and compares them without case."""

Login = Annotated[
    str, StringConstraints(pattern=r"^[A-Za-z0-9][A-Za-z0-9_-]*(\[bot\])?$", max_length=64)
]
"""Letters, digits and hyphens; managed users have an underscore in it, apps `[bot]` behind it."""

Mention = Annotated[
    str, StringConstraints(pattern=r"^[A-Za-z0-9][A-Za-z0-9_-]*(/[A-Za-z0-9_.-]+)?$")
]
"""A login, or a team as `org/team`."""

TeamSlug = Annotated[str, StringConstraints(pattern=r"^[a-z0-9][a-z0-9_.-]*$", max_length=100)]


def _set_of_names(names: tuple[str, ...]) -> tuple[str, ...]:
    """Each name once, whatever its case, in one order: the same wish has the same digest."""
    return tuple(sorted({name.lower(): name for name in reversed(names)}.values()))


Labels = Annotated[
    tuple[LabelName, ...], Field(min_length=1, max_length=100), AfterValidator(_set_of_names)
]
Logins = Annotated[
    tuple[Login, ...], Field(min_length=1, max_length=10), AfterValidator(_set_of_names)
]


class AddLabels(Effect):
    """Put labels on; those already there stay."""

    labels: Labels

    def describe(self) -> str:
        """`add labels bug, urgent`."""
        return f"add {_labels(self.labels)}"


class RemoveLabels(Effect):
    """Take labels off; those not there are no fault."""

    labels: Labels

    def describe(self) -> str:
        """`remove label needs-information`."""
        return f"remove {_labels(self.labels)}"


class Assign(Effect):
    """Give the issue or pull request to people; GitHub takes at most ten."""

    logins: Logins

    def describe(self) -> str:
        """`assign octocat`."""
        return f"assign {', '.join(self.logins)}"


class Unassign(Effect):
    """Take it from people."""

    logins: Logins

    def describe(self) -> str:
        """`unassign octocat`."""
        return f"unassign {', '.join(self.logins)}"


class _Text(Effect):
    """A comment's text: not empty, cut to GitHub's limit, mentioning nobody but `mentions`."""

    mentions: tuple[Mention, ...] = ()
    """Who may be notified."""
    body: str

    @field_validator("body")
    @classmethod
    def _safe(cls, body: str, info: ValidationInfo) -> str:
        if not body.strip():
            raise ValueError("a comment has to say something")
        return cut(neutralise_mentions(body, allowed=info.data.get("mentions", ())))


class PostComment(_Text):
    """Write a comment."""

    def describe(self) -> str:
        """`comment "Thanks for the report. ..."`."""
        return f'comment "{_shown(self.body)}"'


class UpdateComment(_Text):
    """Write a comment of ours anew."""

    comment_id: int

    def describe(self) -> str:
        """`change comment 6 to "..."`."""
        return f'change comment {self.comment_id} to "{_shown(self.body)}"'


class React(Effect):
    """React with an emoji: to a comment, or to the issue or pull request itself."""

    content: Literal["+1", "-1", "laugh", "confused", "heart", "hooray", "rocket", "eyes"]
    comment_id: int | None = None

    def describe(self) -> str:
        """`react with eyes to comment 6`."""
        where = f" to comment {self.comment_id}" if self.comment_id is not None else ""
        return f"react with {self.content}{where}"


class Close(Effect):
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


class Reopen(Effect):
    """Open the issue or pull request again."""

    def describe(self) -> str:
        """`reopen`."""
        return "reopen"


class SetMilestone(Effect):
    """Put it into a milestone, or take it out."""

    number: int | None = Field(ge=1, description="Number of the milestone; None takes it out.")

    def describe(self) -> str:
        """`set milestone 3`."""
        return "clear milestone" if self.number is None else f"set milestone {self.number}"


class RequestReview(Effect):
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


class Dispatch(Effect):
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
    Dispatch,
    PostComment,
    React,
    RemoveLabels,
    Reopen,
    RequestReview,
    SetMilestone,
    Unassign,
    UpdateComment,
)
"""Every kind above: what a store must be able to read back."""


def _labels(names: tuple[str, ...]) -> str:
    return f"label{'s' if len(names) > 1 else ''} {', '.join(names)}"


def _shown(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= SHOWN else line[: SHOWN - 3] + "..."
