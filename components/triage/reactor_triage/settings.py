"""What an operator can set for the triage component: the section `components.triage`."""

from collections.abc import Mapping
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field, field_validator

from reactor.github import LabelName, Login
from reactor_triage.lexicon import LABELS


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
    most_labels: int = Field(3, ge=0, le=10, description="Most labels chosen for one text.")
    urgent_label: LabelName = Field("urgent", description="Put on what is escalated.")
    incomplete_label: LabelName = Field(
        "needs-information", description="Put on while the author is asked, taken off afterwards."
    )
    on_call: tuple[Login, ...] = Field(
        (), max_length=10, description="Logins to whom urgent issues are assigned."
    )

    model: Literal["never", "assess", "reply"] = Field(
        "assess",
        description="What a language model is asked for, where there is one: nothing, how to "
        "judge what is new, or that and an answer to its author.",
    )

    @field_validator("labels")
    @classmethod
    def _words(cls, labels: Mapping[str, tuple[str, ...]]) -> Mapping[str, tuple[str, ...]]:
        for name, words in labels.items():
            if not all(word.strip(" *") for word in words):
                raise ValueError(f"label {name!r} has an empty word, which every text would hold")
        return labels
