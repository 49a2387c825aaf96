"""The journal: how long its index and its archive reach back."""

from pydantic import Field

from reactor.settings.section import Section


class JournalSettings(Section):
    """What is kept in the folder `data` of decision records and deliveries."""

    retention_days: float = Field(
        30,
        gt=0,
        description="How long the console's index and the archive beside the embedded broker keep"
        " them; what was imported counts from then on.",
    )
