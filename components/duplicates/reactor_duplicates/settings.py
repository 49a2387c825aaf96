"""What an operator can set for the duplicates component: the section `components.duplicates`."""

from typing import Self

from pydantic import BaseModel, ConfigDict, Field, model_validator


class DuplicatesSettings(BaseModel):
    """Everything has a default."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    like_at: float = Field(
        0.35, ge=0, le=1, description="How alike an issue has to be, for a model to judge it."
    )
    same_at: float = Field(
        0.6, ge=0, le=1, description="How alike it has to be, to be named where no model judges."
    )
    most: int = Field(3, ge=1, le=10, description="Issues that a comment names.")
    model: bool = Field(True, description="Whether a model is asked, where there is one.")
    before: str = Field(
        "This may have been reported before:",
        min_length=1,
        max_length=2_000,
        description="What stands above the list, as Markdown.",
    )
    after: str = Field(
        "If it is one of these, please say so there; nothing is closed by itself.",
        max_length=2_000,
        description="What stands below it.",
    )

    @model_validator(mode="after")
    def _the_same_are_alike(self) -> Self:
        if self.same_at < self.like_at:
            raise ValueError("same_at is below like_at: what is the same is alike as well")
        return self
