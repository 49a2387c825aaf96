"""Three rule actions, the standard load: judge an issue, escalate it, label it.

A component package as a team would write it; `installation.installed` makes an entry point of it.
"""

from pydantic import BaseModel, ConfigDict

from reactor import action, component
from reactor.github import AddLabels, Issue, IssueOpened


class Judged(BaseModel):
    """What the text of an issue says."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    urgency: float
    labels: tuple[str, ...]


@component(name="three", effects=(AddLabels,), events=("issues.opened",))
class ThreeRules:
    """Three actions, of which each waits for the one before."""

    @action(value=0.9)
    async def judge(self, event: IssueOpened, issue: Issue) -> Judged:
        """Look for words."""
        text = f"{issue.title} {issue.body}".lower()
        return Judged(
            urgency=0.9 if "data loss" in text else 0.1,
            labels=("bug",) if "crash" in text else (),
        )

    @action(pre=["judged.urgency > 0.5"], value=0.8)
    async def escalate(self, issue: Issue, judged: Judged) -> AddLabels:
        """Mark what is urgent."""
        return AddLabels(labels=("urgent",))

    @action(pre=["size(judged.labels) > 0"], value=0.6)
    async def label(self, issue: Issue, judged: Judged) -> AddLabels:
        """Put on what was found."""
        return AddLabels(labels=judged.labels)


COMPONENTS = (ThreeRules,)
