"""How changes are sent, and what keeps them from being too many."""

from pydantic import Field

from reactor.settings.section import Section


class EffectSettings(Section):
    """How changes are sent, in reactions whose `effects` are live or approve."""

    concurrency: int = Field(8, ge=1, description="Changes that a worker sends at once.")
    timeout_s: float = Field(30.0, gt=0, description="How long sending one may take.")
    attempts: int = Field(
        10, ge=1, description="How often one may fail, with growing pauses, before it is given up."
    )
    give_up_after_s: float = Field(
        86_400.0,
        gt=0,
        le=30 * 86_400,
        description="How long one is tried while the other side is away, or puts it off; its pauses"
        " count.",
    )
    per_event: int = Field(20, ge=1, description="Most changes that one event may bring about.")
    per_day: int = Field(1000, ge=1, description="Most changes of one repository in a day.")
    per_subject: int = Field(
        40, ge=1, description="Most changes of one issue or pull request within `window_s`."
    )
    window_s: float = Field(600.0, gt=0, description="See `per_subject`.")
    prompt: bool = Field(
        False,
        description="Whether changes that wait for a person are listed in a comment on their issue"
        " or pull request, which tells how they are approved; everybody there can read it.",
    )
    approval_days: float = Field(7.0, gt=0, description="How long a change waits for a person.")


class StormSettings(Section):
    """What keeps a reactor from answering itself, or another bot, for ever."""

    max_causation: int = Field(
        5, ge=1, description="Longest chain of events of which each was caused by the one before."
    )
    per_subject: int = Field(
        60, ge=1, description="Most events by bots of one subject within `window_s`."
    )
    window_s: float = Field(600.0, gt=0, description="See `per_subject`.")
