"""Who does what people ask for is other people's code; that it is allowed and in turn, is this.

    hear -> take_next -> (the action of the command) -> take_next -> ... -> finish

One command after the other, in the order in which they were written: the next one's turn has come
when the one before is done and nothing else is left to do.  A component like any other.
"""

from reactor.action import action, component, condition
from reactor.blackboard import Blackboard
from reactor.command import Asker, Commands
from reactor.commanded import (
    CommandDone,
    Declined,
    HeardCommands,
    RefusedCommand,
    SpokenCommands,
    TakenCommand,
)
from reactor.context import ActionContext
from reactor.errors import InfrastructureError
from reactor.failure import PassingError
from reactor.github.allowing import Allowing
from reactor.github.command_replies import replies, results
from reactor.github.conversation_events import ConversationEvent
from reactor.github.effects import PostComment, React
from reactor.package import Package
from reactor.permissions import Permissions
from reactor.repository_rules import RulesOfRepositories

DESK = "reactor-commanding"  # what is shown as its package
_LAST = 1.0  # cost of what is done when nothing else is left


@component(name="command_desk", effects=(PostComment, React))
class CommandDesk:
    """Lets the commands of a text in one by one, and answers who asked."""

    def __init__(self, permissions: Permissions, rules: RulesOfRepositories | None = None) -> None:
        self._permissions, self._rules = permissions, rules

    @action(trigger=SpokenCommands, value=1.0)
    async def hear(
        self, spoken: SpokenCommands, event: ConversationEvent, commands: Commands
    ) -> list[Asker | HeardCommands | React | PostComment]:
        """Ask what who asks may do; show that it was heard, and tell what of it is refused."""
        allowing = Allowing(commands=commands, permissions=self._permissions, rules=self._rules)
        try:
            overheard = await allowing(spoken.calls, event)
        except InfrastructureError as away:
            raise PassingError(str(away)) from away  # the process waits, and nobody else does
        heard = overheard.told
        if spoken.left_out and overheard.heard:
            heard = heard.model_copy(update={"refused": (*heard.refused, _left_out(spoken))})
        asker = [] if overheard.asker is None else [overheard.asker]
        return [*asker, heard, *replies(event, heard)]

    @condition
    def is_next_due(self, heard: HeardCommands, board: Blackboard) -> bool:
        """Whether a command is left, and the one before is done."""
        return _is_free(board) and _taken(board) < len(heard.calls)

    @condition
    def is_all_done(self, heard: HeardCommands, board: Blackboard) -> bool:
        """Whether there were commands, and the last one is done."""
        return bool(heard.calls) and _is_free(board) and _taken(board) == len(heard.calls)

    @action(pre=["is_next_due"], can_rerun=True, cost=_LAST)
    async def take_next(
        self, heard: HeardCommands, commands: Commands, context: ActionContext
    ) -> TakenCommand:
        """Put the next command onto the blackboard."""
        number = _taken(context.board) + 1
        call = heard.calls[number - 1]
        context.add(commands.bind(call.name, call.words))
        return TakenCommand(number=number)

    @action(pre=["is_all_done"], cost=_LAST)
    async def finish(
        self,
        heard: HeardCommands,
        event: ConversationEvent,
        done: list[CommandDone],
        declined: list[Declined] | None,
    ) -> list[React | PostComment]:
        """Show that it is done, or tell why not."""
        reasons = [each.reason for each in declined or ()]
        return list(results(event, heard, done, reasons))


def _left_out(spoken: SpokenCommands) -> RefusedCommand:
    several = "is" if spoken.left_out == 1 else "are"
    sentence = f"a text has {len(spoken.calls)} commands at most; {spoken.left_out} more {several}"
    return RefusedCommand(sentence=f"{sentence} not run", is_about_rights=False)


def desk_package() -> Package:
    """The desk, as it is installed beside what others bring."""
    return Package(name=DESK, components=(CommandDesk,), distribution="webhook-reactor")


def _taken(board: Blackboard) -> int:
    return sum(isinstance(entry.value, TakenCommand) for entry in board.newest_first())


def _is_free(board: Blackboard) -> bool:
    """Whether nothing was taken, or something was done since."""
    steps = (
        e.value for e in board.newest_first() if isinstance(e.value, TakenCommand | CommandDone)
    )
    return not isinstance(next(steps, None), TakenCommand)
