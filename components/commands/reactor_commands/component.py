"""What is asked for is done: each command has one action, which runs once for each of them.

/label bug -> LabelCommand(names=("bug",)) -> label -> AddLabels
"""

from reactor import Asker, Commands, Declined, action, component
from reactor.github import (
    AddLabels,
    Assign,
    Close,
    ConversationEvent,
    PostComment,
    RemoveLabels,
    Reopen,
    Unassign,
)
from reactor_commands.words import (
    AssignCommand,
    CloseCommand,
    DuplicateOfCommand,
    HelpCommand,
    LabelCommand,
    RemoveLabelCommand,
    ReopenCommand,
    UnassignCommand,
)

MOST_ASSIGNEES = 10  # that GitHub takes
MOST_LABELS = 100  # on one issue, as GitHub has it


@component(
    name="commands",
    effects=(AddLabels, Assign, Close, PostComment, RemoveLabels, Reopen, Unassign),
    events=("issue_comment", "issues", "pull_request", "pull_request_review"),
)
class CommandsComponent:
    """Does what people ask for: labels, assignees, closing and reopening; tells what there is."""

    @action(trigger=LabelCommand, can_rerun=True, value=0.5)
    async def label(self, command: LabelCommand) -> AddLabels | Declined:
        """Put the labels on."""
        names = command.names
        return AddLabels(labels=names) if len(names) <= MOST_LABELS else _too_many_labels()

    @action(trigger=RemoveLabelCommand, can_rerun=True, value=0.5)
    async def remove_label(self, command: RemoveLabelCommand) -> RemoveLabels | Declined:
        """Take the labels off."""
        names = command.names
        return RemoveLabels(labels=names) if len(names) <= MOST_LABELS else _too_many_labels()

    @action(trigger=AssignCommand, can_rerun=True, value=0.5)
    async def assign(self, command: AssignCommand, asker: Asker) -> Assign | Declined:
        """Give it to those who are named, or to who asks."""
        people = command.people or (asker.login,)
        return Assign(logins=people) if len(people) <= MOST_ASSIGNEES else _too_many()

    @action(trigger=UnassignCommand, can_rerun=True, value=0.5)
    async def unassign(self, command: UnassignCommand, asker: Asker) -> Unassign | Declined:
        """Take it from those who are named, or from who asks."""
        people = command.people or (asker.login,)
        return Unassign(logins=people) if len(people) <= MOST_ASSIGNEES else _too_many()

    @action(trigger=CloseCommand, can_rerun=True, value=0.5)
    async def close(self, command: CloseCommand) -> Close:
        """Close it with the reason."""
        return Close(reason=command.reason)

    @action(trigger=ReopenCommand, can_rerun=True, value=0.5)
    async def reopen(self, command: ReopenCommand) -> Reopen:
        """Open it again."""
        return Reopen()

    @action(trigger=DuplicateOfCommand, can_rerun=True, value=0.5)
    async def close_as_duplicate(
        self, command: DuplicateOfCommand, event: ConversationEvent
    ) -> Close | Declined:
        """Close it as a duplicate, unless it would be one of itself."""
        if event.subject is not None and event.subject.number == command.number:
            return Declined(reason=f"#{command.number} is this one; name the other issue")
        return Close(reason="duplicate", duplicate_of=command.number)

    @action(trigger=HelpCommand, can_rerun=True, value=0.5)
    async def tell_help(
        self, command: HelpCommand, asker: Asker, commands: Commands
    ) -> PostComment:
        """List the commands that who asks may use here."""
        return PostComment(body=commands.help(asker.may))


def _too_many_labels() -> Declined:
    return Declined(reason=f"an issue has {MOST_LABELS} labels at most")


def _too_many() -> Declined:
    return Declined(reason=f"GitHub takes {MOST_ASSIGNEES} people at most")
