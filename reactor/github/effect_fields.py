"""What effects on GitHub are made of: fields that hold only what GitHub takes, and their base.

Limits are GitHub's own.  Source: GitHub docs, "REST API endpoints", by kind.
"""

from typing import Annotated, Self

from pydantic import (
    AfterValidator,
    Field,
    StringConstraints,
    ValidationInfo,
    field_validator,
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

Sha = Annotated[str, StringConstraints(pattern=r"^[0-9a-f]{40}([0-9a-f]{24})?$")]
"""A commit: 40 hex digits, or 64."""

Slot = Annotated[str, StringConstraints(pattern=r"^[a-z0-9][a-z0-9._-]{0,39}$")]
"""A name within a bot's own things, by which it finds them again."""


def _set_of_names(names: tuple[str, ...]) -> tuple[str, ...]:
    """Each name once, whatever its case, in one order: the same wish has the same digest."""
    return tuple(sorted({name.lower(): name for name in reversed(names)}.values()))


AnyLabels = Annotated[tuple[LabelName, ...], Field(max_length=100), AfterValidator(_set_of_names)]
Labels = Annotated[AnyLabels, Field(min_length=1)]
AnyLogins = Annotated[tuple[Login, ...], Field(max_length=10), AfterValidator(_set_of_names)]
Logins = Annotated[AnyLogins, Field(min_length=1)]


class GitHubEffect(Effect):
    """A change on GitHub: of the issue or pull request of the process, or of its repository."""


class WithText(GitHubEffect):
    """A comment's text: not empty, cut to GitHub's limit, mentioning nobody but `mentions`."""

    mentions: tuple[Mention, ...] = ()
    """Who may be notified."""
    body: str

    @field_validator("body")
    @classmethod
    def _safe(cls: type[Self], body: str, info: ValidationInfo) -> str:
        if not body.strip():
            raise ValueError("a comment has to say something")
        return cut(neutralise_mentions(body, allowed=info.data.get("mentions", ())))


def listed(names: tuple[str, ...]) -> str:
    """`label bug` or `labels bug, urgent`."""
    return f"label{'s' if len(names) > 1 else ''} {', '.join(names)}"


def shown(text: str) -> str:
    """The text in one line, short."""
    line = " ".join(text.split())
    return line if len(line) <= SHOWN else line[: SHOWN - 3] + "..."
