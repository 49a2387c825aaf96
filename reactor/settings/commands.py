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
