"""One class, one action: every new issue gets a label.  One that was moved here is not new.

Change `LABEL`, run the demo again, and see what would happen now.
"""

from reactor import action, component
from reactor.github import AddLabels, Issue, IssueOpened

LABEL = "new"


@component(name="hello", effects=(AddLabels,), events=("issues.opened",))
class HelloComponent:
    """Marks what nobody has looked at yet."""

    @action(cost=0.05, value=0.2)
    async def mark_as_new(self, event: IssueOpened, issue: Issue) -> AddLabels | None:
        """Put the label on a new issue."""
        if event.came_by_transfer:
            return None
        return AddLabels(labels=(LABEL,))
