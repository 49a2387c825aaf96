"""`/retriage`: an issue or pull request is looked at anew, as if it had just been opened."""

from typing import Any, ClassVar

from reactor import (
    ActionContext,
    Asker,
    Command,
    Declined,
    Restart,
    Restarts,
    Role,
    action,
    component,
)
from reactor.github import ConversationEvent, PullRequest


class RetriageCommand(Command):
    """Look at it anew, as it is now."""

    name: ClassVar[str] = "retriage"
    needs: ClassVar[Role] = Role.TRIAGE


@component(name="retriage", events=("issue_comment", "issues", "pull_request"))
class RetriageCommands:
    """Starts the reactions to what was opened once more."""

    def __init__(self, restarts: Restarts) -> None:
        self._restarts = restarts

    @action(trigger=RetriageCommand, can_rerun=True, value=0.5)
    async def look_anew(
        self,
        command: RetriageCommand,
        event: ConversationEvent,
        asker: Asker,
        context: ActionContext,
    ) -> Declined | None:
        """Have it delivered once more, with what this event says of it."""
        if event.subject is None or event.repository is None:
            return Declined(reason="there is nothing here to look at")
        restart = Restart(
            event="pull_request" if isinstance(event.subject, PullRequest) else "issues",
            action="opened",
            payload=opened_again(event),
            by=asker.login,
            asked_in=context.process,
        )
        await self._restarts.start(restart)
        return None


def opened_again(event: ConversationEvent) -> dict[str, Any]:
    """The payload of its opening, as it would be now; its author is the sender, as then.

    What a comment does not say of a pull request (its branches, its size) is not there.
    """
    subject = event.subject
    kind = "pull_request" if isinstance(subject, PullRequest) else "issue"
    parts = {
        kind: subject,
        "repository": event.repository,
        "sender": subject.user if subject is not None else None,
        "organization": event.organization,
        "installation": event.installation,
    }
    return {
        name: part.model_dump(mode="json", exclude_none=True)
        for name, part in parts.items()
        if part is not None
    }
