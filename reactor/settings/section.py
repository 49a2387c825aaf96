"""What all groups of settings have in common."""

from pydantic import BaseModel, ConfigDict


class Section(BaseModel):
    """A closed group of settings: an unknown name is an error, not a silent nothing."""

    model_config = ConfigDict(extra="forbid", frozen=True)
