"""What an operator can set for the triage component: the section `components.triage`."""

from collections.abc import Mapping
from typing import Literal

from pathspec import GitIgnoreSpec
from pydantic import BaseModel, ConfigDict, Field, field_validator

from reactor.github import LabelName, Login
from reactor_triage.lexicon import LABELS


class StaleRule(BaseModel):
    """One way to be stale."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    after_days: float = Field(gt=0, description="So long nothing has happened.")
    labels: tuple[LabelName, ...] = Field(
        (), description="It has at least one of these; none named: whatever it has."
    )
    on: Literal["issue", "pull_request", "both"] = "issue"


class StaleSettings(BaseModel):
    """What counts as stale, and what becomes of it.  Without rules nothing does."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    rules: tuple[StaleRule, ...] = Field(
        (), max_length=20, description="It is stale as soon as any of these says so."
    )
    exempt_labels: tuple[LabelName, ...] = Field(
        ("pinned", "security"), description="What has one of these is never stale."
    )
    exempt_assigned: bool = Field(False, description="Nor is what somebody is assigned to.")
    exempt_milestones: bool = Field(False, description="Nor is what is in a milestone.")
    label: LabelName = Field("stale", description="Put on, and taken off when something happens.")
    close_after_days: float | None = Field(
        None, gt=0, description="It is closed after so much more silence; none: never."
    )


class TriageSettings(BaseModel):
    """Thresholds, labels and people.  Everything has a default."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    urgent_at: float = Field(
        0.7, ge=0, le=1, description="An issue is escalated when its urgency is above this."
    )
    incomplete_below: float = Field(
        0.5,
        ge=0,
        le=1,
        description="The author is asked for more when the quality of the report is below this.",
    )
    labels: Mapping[LabelName, tuple[str, ...]] = Field(
        LABELS,
        description="The labels that may be put on by what a text says, and the words that speak "
        "for each; `crash*` stands for every word that begins so. No other label is ever chosen.",
    )
    paths: Mapping[LabelName, tuple[str, ...]] = Field(
        {},
        max_length=50,
        description="Labels for pull requests, each with patterns of the files that speak for it,"
        " as in .gitignore: `docs/`, `*.md`, `/src/**/test_*.py`, `!` to take back.",
    )
    most_labels: int = Field(3, ge=0, le=10, description="Most labels chosen for one text.")
    urgent_label: LabelName = Field("urgent", description="Put on what is escalated.")
    incomplete_label: LabelName = Field(
        "needs-information", description="Put on while the author is asked, taken off afterwards."
    )
    reproduction_label: LabelName = Field(
        "needs-reproduction",
        description="Who puts it on has the author asked for an example; taken off afterwards.",
    )
    remind_after_days: float | None = Field(
        None, gt=0, description="An author who was asked is reminded after so long; none: never."
    )
    close_after_days: float | None = Field(
        None, gt=0, description="An issue is closed after so much more silence; none: never."
    )
    stale: StaleSettings = Field(
        StaleSettings(), description="What is done about issues that nobody touches."
    )
    on_call: tuple[Login, ...] = Field(
        (), max_length=10, description="Logins to whom urgent issues are assigned."
    )

    model: Literal["never", "assess", "reply"] = Field(
        "assess",
        description="What a language model is asked for, where there is one: nothing, how to "
        "judge what is new, or that and an answer to its author.",
    )

    @field_validator("paths")
    @classmethod
    def _patterns(cls, paths: Mapping[str, tuple[str, ...]]) -> Mapping[str, tuple[str, ...]]:
        for name, patterns in paths.items():
            try:
                spec = GitIgnoreSpec.from_lines(patterns)
            except ValueError as error:
                raise ValueError(f"label {name!r}: {error}") from None
            if not any(pattern.include for pattern in spec.patterns):
                raise ValueError(f"label {name!r} has no pattern that takes a file")
        return paths

    @field_validator("labels")
    @classmethod
    def _words(cls, labels: Mapping[str, tuple[str, ...]]) -> Mapping[str, tuple[str, ...]]:
        for name, words in labels.items():
            if not all(word.strip(" *") for word in words):
                raise ValueError(f"label {name!r} has an empty word, which every text would hold")
        return labels
