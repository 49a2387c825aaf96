"""When a component that fails is left alone for a while."""

from pydantic import Field

from reactor.settings.section import Section


class BreakerSettings(Section):
    """When a component that fails in one process after the other rests, in each worker."""

    failures: int = Field(
        20, ge=0, description="Processes in a row in which a component failed; 0: it never rests."
    )
    within_s: float = Field(300.0, gt=0, description="Failures that lie back longer do not count.")
    rest_s: float = Field(
        30.0,
        gt=0,
        description="How long its actions are left out; then one process tries it, and where it"
        " fails again it rests twice as long.",
    )
    longest_rest_s: float = Field(600.0, gt=0, description="No rest is longer.")
