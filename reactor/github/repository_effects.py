"""Effects on a repository rather than on one issue: check runs, workflows, new issues.

Checked when they are made, as those of `reactor.github.effects`.  Nothing is sent from here.
"""

from typing import Annotated, Literal

from pydantic import Field, StringConstraints, ValidationInfo, field_validator, model_validator

from reactor.github.effect_fields import (
    AnyLabels,
    AnyLogins,
    GitHubEffect,
    Mention,
    Sha,
    Slot,
    WithText,
    shown,
)
from reactor.github.text import cut, neutralise_mentions

CHECK_TEXT_LIMIT = 65_535  # characters of a check's summary, and of its text
_CHECK_CUT_NOTE = "\n\n*(The rest was cut: a check can't say more.)*"
_TITLE_LIMIT = 256  # characters

Title = Annotated[
    str, StringConstraints(strip_whitespace=True, min_length=1, pattern=r"^[^\x00-\x1f]+$")
]

Conclusion = Literal[
    "success", "failure", "neutral", "cancelled", "skipped", "timed_out", "action_required"
]


class _Check(GitHubEffect):
    """A check run of ours: its place is its name, the commit, and a slot of the bot's own."""

    name: str = Field(min_length=1, max_length=100)
    head_sha: Sha
    slot: Slot | None = None
    """Tells several of one name on one commit apart."""
    status: Literal["queued", "in_progress", "completed"] = "completed"
    conclusion: Conclusion | None = None
    mentions: tuple[Mention, ...] = ()
    title: str = ""
    summary: str = ""
    text: str = ""

    @field_validator("title", "summary", "text")
    @classmethod
    def _safe(cls, text: str, info: ValidationInfo) -> str:
        limit = _TITLE_LIMIT if info.field_name == "title" else CHECK_TEXT_LIMIT
        note = "..." if info.field_name == "title" else _CHECK_CUT_NOTE
        return cut(
            neutralise_mentions(text, allowed=info.data.get("mentions", ())), limit=limit, note=note
        )

    @model_validator(mode="after")
    def _ends_with_a_conclusion(self) -> "_Check":
        if (self.status == "completed") != (self.conclusion is not None):
            raise ValueError("a completed check has a conclusion, and only that one")
        if (self.summary or self.text) and not self.title:
            raise ValueError("a check that says something needs a title")
        if self.title and not self.summary:
            raise ValueError("a check with a title needs a summary")
        return self

    @property
    def _said(self) -> str:
        return f"{self.name} on {self.head_sha[:7]}: {self.conclusion or self.status}"


class CreateCheck(_Check):
    """Start a check run on a commit, or tell its result at once.  Only an app can."""

    def describe(self) -> str:
        """`create check triage on 1a2b3c4: success`."""
        return f"create check {self._said}"


class UpdateCheck(_Check):
    """Tell more of the newest check run of ours with this name, commit and slot."""

    def describe(self) -> str:
        """`update check triage on 1a2b3c4: failure`."""
        return f"update check {self._said}"


class DispatchWorkflow(GitHubEffect):
    """Run a workflow of the repository that has a `workflow_dispatch` trigger."""

    workflow: str = Field(pattern=r"^[A-Za-z0-9][A-Za-z0-9._ -]*$", max_length=255)
    """The name of its file, as `ci.yml`, or its id."""
    ref: str = Field(min_length=1, max_length=255)
    inputs: tuple[tuple[str, str], ...] = Field((), max_length=25)

    def describe(self) -> str:
        """`run workflow ci.yml on main (level 3)`."""
        said = ", ".join(f"{name} {value}" for name, value in self.inputs)
        return f"run workflow {self.workflow} on {self.ref}" + (f" ({said})" if said else "")


class CreateIssue(WithText):
    """Open an issue in the repository of the process."""

    title: Title
    labels: AnyLabels = ()
    assignees: AnyLogins = ()

    @field_validator("title")
    @classmethod
    def _fits(cls, title: str, info: ValidationInfo) -> str:
        allowed = info.data.get("mentions", ())
        return cut(neutralise_mentions(title, allowed=allowed), limit=_TITLE_LIMIT, note="...")

    def describe(self) -> str:
        """`open issue "Weekly report"`."""
        return f'open issue "{shown(self.title)}"'
