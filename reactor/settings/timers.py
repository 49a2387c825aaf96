"""Events that the clock sends."""

from datetime import UTC, datetime

from pydantic import Field, JsonValue, model_validator

from reactor.settings.section import Section
from reactor.timer import BadSchedule, Cron, Every, Schedule

_SOME_DAY = datetime(2026, 1, 1, tzinfo=UTC)


class TimerSettings(Section):
    """An event of our own, again and again: reactions to it name it, as `on: timer.NAME`."""

    name: str = Field(pattern=r"^[a-z0-9_]{1,64}$", description="The action of its event.")
    every_s: float | None = Field(None, ge=1, description="Seconds from one to the next.")
    cron: str | None = Field(None, description="Five fields, as 0 3 * * 1-5; instead of every_s.")
    zone: str = Field("UTC", description="Whose clocks the cron fields mean: Europe/Berlin, ...")
    payload: dict[str, JsonValue] = Field(
        default_factory=dict, description="What its event carries along."
    )

    @model_validator(mode="after")
    def _can_be_kept(self) -> "TimerSettings":
        if (self.every_s is None) == (self.cron is None):
            raise ValueError("give either every_s or cron")
        try:
            self.schedule.after(_SOME_DAY, _SOME_DAY)
        except BadSchedule as bad:
            raise ValueError(f"it is no schedule: {bad.why}") from None
        return self

    @property
    def schedule(self) -> Schedule:
        """When it is due."""
        return Cron(self.cron, self.zone) if self.cron else Every(self.every_s or 0)
