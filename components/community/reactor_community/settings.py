"""What an operator can set for the community component: the section `components.community`."""

from pydantic import BaseModel, ConfigDict, Field, PositiveInt

from reactor.github import LabelName, Login


class CommunitySettings(BaseModel):
    """Texts and thresholds.  Everything has a default."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    welcome: str = Field(
        "Welcome, and thank you for your first contribution here! "
        "Somebody will look at it soon; until then, feel free to add whatever may help.",
        min_length=1,
        max_length=10_000,
        description="What first-time contributors are greeted with, as Markdown.",
    )
    star_event: str = Field(
        "star_received",
        min_length=1,
        max_length=100,
        description="The repository_dispatch event that thanks for a star; a workflow of the "
        "repository that listens to it decides how.",
    )
    star_milestones: tuple[PositiveInt, ...] = Field(
        (10, 50, 100, 500, 1_000, 5_000, 10_000, 50_000, 100_000),
        max_length=100,
        description="Numbers of stars that are told of, each once ever; none: they never are.",
    )
    milestone_event: str = Field(
        "star_milestone",
        min_length=1,
        max_length=100,
        description="The repository_dispatch event that tells of one, with its number as `stars`.",
    )
    first_merge: str | None = Field(
        "Thank you, this was your first contribution to be merged here! We hope to see you again.",
        min_length=1,
        max_length=10_000,
        description="What is said when the first pull request of a person was merged, as Markdown;"
        " null: nothing.",
    )
    large_above_files: int = Field(
        10, ge=0, description="A pull request is large when it changes more files than this."
    )
    large_label: LabelName = Field("large", description="Put on large pull requests.")
    large_reviewers: tuple[Login, ...] = Field(
        (), max_length=15, description="Logins that are asked to review large pull requests."
    )
