"""The reaction to what people ask for: what it hears, which actions it has, how it is run.

    delivery -> hearing -> SpokenCommands -> a process of its own, of the commands' actions

One reaction for all packages, so that a command runs once, however many reactions a delivery
starts.  No other reaction has actions that need a command, since it would never have one.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from reactor.command import Command
from reactor.commanded import REACTION, CalledCommand, Declined, HeardCommands, SpokenCommands
from reactor.effect import Mode
from reactor.github.event import Event
from reactor.github.facts import FACT_TYPES
from reactor.github.hearing import Hearing
from reactor.installed import Action
from reactor.platform import Platform
from reactor.reaction import Reaction
from reactor.restarting import Retriaged
from reactor.result import facts_of
from reactor.scope import Scope
from reactor.timer import TimerFired
from reactor.worker import Listener, Reading

_TEXTS = (
    "issues.opened", "issues.edited", "pull_request.opened", "pull_request.edited",
    "issue_comment.created", "issue_comment.edited",
    "pull_request_review.submitted", "pull_request_review.edited",
    "pull_request_review_comment.created", "pull_request_review_comment.edited",
)  # fmt: skip
_MOST_COMMANDS = 10  # of one text; who writes more is told that they are not run
_MOST_ACTIONS = 100  # of so many commands, with what follows from them
_MOST_WAKES = 30  # while what a command needs is away: for a day
_OF_COMMANDS = (Command, HeardCommands, SpokenCommands)
_NOBODYS = (*FACT_TYPES, Declined)  # that they are there says nothing of a command


@dataclass(frozen=True, slots=True)
class CommandEar:
    """Fits `reactor.worker.Ear`."""

    hearing: Hearing

    def may_hear(self, reading: Reading) -> bool:
        """Whether a closer look is worth it; costs nothing.

        Nothing is said anew by what is only looked at anew: its commands have been run or refused.
        """
        event = _event_of(reading)
        is_new = not any(isinstance(fact, Retriaged) for _, fact in reading.facts)
        return event is not None and is_new and self.hearing.may_hear(event)

    async def hear(self, reading: Reading) -> Sequence[tuple[str, object]]:
        """What a process of commands begins with; nothing where nothing is asked of us."""
        event = _event_of(reading)
        calls = () if event is None else await self.hearing(event)
        if not calls:
            return ()
        called = (
            CalledCommand(name=call.name, words=call.words, is_addressed=call.is_addressed)
            for call in calls[:_MOST_COMMANDS]
        )
        left_out = max(0, len(calls) - _MOST_COMMANDS)
        return [("", SpokenCommands(calls=tuple(called), left_out=left_out))]


def command_listener(platform: Platform, hearing: Hearing, *, effects: Mode) -> Listener | None:
    """The reaction to commands; None where no package has any."""
    if not any(True for _ in platform.commands):
        return None
    names = actions_of_commands(platform.actions.values())
    return Listener(
        reaction=Reaction(
            name=REACTION,
            on=_TEXTS,
            effects=effects,
            max_actions=_MOST_ACTIONS,
            max_wakes=_MOST_WAKES,
        ),
        scope=Scope.platform().where(lambda item: item.name in names, "commands"),
        when=None,
        ear=CommandEar(hearing),
    )


def without_commands(scope: Scope, platform: Platform) -> Scope:
    """The scope as another reaction has it."""
    theirs = {action.name for action in platform.actions.values() if _needs_command(action)}
    return Scope(scope.label, lambda item: item.name not in theirs and scope.selects(item))


def actions_of_commands(actions: Iterable[Action]) -> frozenset[str]:
    """Those that need a command, or what such an action gives; and so on.

    Also those of their components that are for timers: what a command has asked to be reminded of.
    """
    left = {action.name: action for action in actions if not action.component.mark.is_agent}
    found = _with_followers({n: each for n, each in left.items() if _needs_command(each)}, left)
    theirs = {action.component.name for action in found.values()}
    reminded = {
        name: action
        for name, action in left.items()
        if action.component.name in theirs and _needs(action, TimerFired)
    }
    return frozenset(_with_followers({**found, **reminded}, left))


def _with_followers(
    first: Mapping[str, Action], others: Mapping[str, Action]
) -> Mapping[str, Action]:
    """And who needs what they give."""
    found, new = dict(first), dict(first)
    while new:
        given = {kind for action in new.values() for kind in facts_of(action.signature.result)}
        given = {kind for kind in given if kind not in _NOBODYS}
        new = {
            name: action
            for name, action in others.items()
            if name not in found and any(_needs(action, kind) for kind in given)
        }
        found |= new
    return found


def _needs_command(action: Action) -> bool:
    kinds = (action.trigger, *(taken.kind for taken in action.signature.required))
    return any(kind is not None and issubclass(kind, _OF_COMMANDS) for kind in kinds)


def _needs(action: Action, given: type) -> bool:
    kinds = [taken.kind for taken in action.signature.required]
    return any(issubclass(given, kind) and kind not in _NOBODYS for kind in kinds)


def _event_of(reading: Reading) -> Event | None:
    event = dict(reading.facts).get("event")
    return event if isinstance(event, Event) else None
