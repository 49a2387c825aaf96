"""What a model makes of a text, and what of that counts.

Pure.  A model proposes and this disposes: its answer is of a type, labels are taken from the
operator's list and no others, what is missing comes from ours, and the quality that decides
whether the author is asked is reckoned here.
"""

from collections.abc import Mapping
from enum import StrEnum

from pydantic import BaseModel, ConfigDict, Field

from reactor.community import IssueAssessment, PullRequestAssessment
from reactor_triage.rules import EXPECTATION, NO_DESCRIPTION, NO_REASON, STEPS, VERSION
from reactor_triage.settings import TriageSettings

LONGEST_REASON = 300  # characters; it is kept with the decision


class Kind(StrEnum):
    """What an issue is about."""

    FAULT = "fault"
    WISH = "wish"
    QUESTION = "question"
    OTHER = "other"


class Missing(StrEnum):
    """What an issue may lack; nothing else is ever asked for."""

    DESCRIPTION = "description"
    STEPS = "steps"
    EXPECTATION = "expectation"
    VERSION = "version"
    REASON = "reason"


WORDS: Mapping[Missing, str] = {
    Missing.DESCRIPTION: NO_DESCRIPTION,
    Missing.STEPS: STEPS,
    Missing.EXPECTATION: EXPECTATION,
    Missing.VERSION: VERSION,
    Missing.REASON: NO_REASON,
}
"""The words in which each is asked for: those of the rules."""

SHARES: Mapping[Missing, float] = {
    Missing.DESCRIPTION: 0.85,  # without one the title is all there is
    Missing.STEPS: 0.25,
    Missing.EXPECTATION: 0.15,
    Missing.VERSION: 0.15,
    Missing.REASON: 0.2,
}
"""What the lack of each takes from the quality, as it does by the rules."""

FITTING: Mapping[Kind, tuple[Missing, ...]] = {
    Kind.FAULT: (Missing.DESCRIPTION, Missing.STEPS, Missing.EXPECTATION, Missing.VERSION),
    Kind.WISH: (Missing.DESCRIPTION, Missing.REASON),
    Kind.QUESTION: (Missing.DESCRIPTION,),
    Kind.OTHER: (),
}
"""What can be missing of each kind: nobody is asked for the version of a wish."""


class Reading(BaseModel):
    """A model's answer about a text."""

    model_config = ConfigDict(frozen=True)

    urgency: float = Field(ge=0, le=1, description="0: can wait for ever, 1: cannot wait.")
    sentiment: float = Field(ge=0, le=1, description="0: hostile, 0.5: neutral, 1: delighted.")
    labels: tuple[str, ...] = Field((), description="Names from the list of labels.")
    reason: str = Field("", description="One sentence: why you judge so.")
    reply: str = Field("", description="As told above; empty where nothing is told of it.")


class IssueReading(Reading):
    """A model's answer about an issue."""

    kind: Kind
    missing: tuple[Missing, ...] = Field((), description="What has to be asked for.")


class PullRequestReading(Reading):
    """A model's answer about a pull request."""


def issue_assessment(reading: IssueReading, settings: TriageSettings) -> IssueAssessment:
    """What counts of it."""
    missing = tuple(it for it in FITTING[reading.kind] if it in reading.missing)
    quality = round(max(0.0, 1 - sum(SHARES[it] for it in missing)), 3)
    return IssueAssessment(
        comment=f"{_told(reading)}, a {reading.kind} of quality {quality:.2f}",
        urgency=reading.urgency,
        sentiment=reading.sentiment,
        labels=allowed(reading.labels, settings),
        quality=quality,
        missing=tuple(WORDS[it] for it in missing),
    )


def pull_request_assessment(
    reading: PullRequestReading, settings: TriageSettings, *, changed_files: int
) -> PullRequestAssessment:
    """What counts of it; the number of files is GitHub's."""
    return PullRequestAssessment(
        comment=_told(reading),
        urgency=reading.urgency,
        sentiment=reading.sentiment,
        labels=allowed(reading.labels, settings),
        changed_files=changed_files,
    )


def allowed(wanted: tuple[str, ...], settings: TriageSettings) -> tuple[str, ...]:
    """Those that the operator lists, as spelled there, each once, and no more than the most."""
    listed = {name.strip().lower(): name for name in settings.labels}
    found = (listed.get(name.strip().lower()) for name in wanted)
    return tuple(dict.fromkeys(name for name in found if name))[: settings.most_labels]


def _told(reading: Reading) -> str:
    """For the decision record, on one line: a model's words, which are never written on GitHub."""
    words = " ".join(reading.reason.split())
    reason = "".join(filter(str.isprintable, words))[:LONGEST_REASON] or "no reason given"
    return f"by a model: urgency {reading.urgency:.2f} ({reason})"
