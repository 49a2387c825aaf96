"""What people may ask for in comments."""

from pydantic import Field

from reactor.effect import Mode
from reactor.settings.section import Section


class CommandSettings(Section):
    """The reaction `commands`, which is there by itself."""

    enabled: bool = Field(True, description="Hear commands, where a component package has any.")
    effects: Mode | None = Field(
        None,
        description="What happens to effects of commands, as in a reaction. None: live, for who"
        " asks is the person whose approval there would be to wait for; observe where every"
        " reaction observes.",
    )
    min_confidence: float = Field(
        0.6,
        ge=0,
        le=1,
        description="How confident a model has to be of the agent that is meant by `/ask`, or by"
        " what is said to us by name and is no command. Heard only where `llm` has a model and an"
        " agent exports a goal.",
    )
