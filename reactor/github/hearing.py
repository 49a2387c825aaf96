"""Which commands an event asks for, who asks, and what to say where it can't be done.

    event -> its new text -> calls -> ours? -> let in there? -> what may the asker do?
          -> commands and refusals

Only what was just written counts: comments, reviews, and bodies of what was opened; of an edit,
what it added.  Who wrote it is the sender: whoever edits another's comment asks for himself.
"""

import asyncio
from collections.abc import Collection, Mapping
from dataclasses import dataclass

from reactor.command import Asker, Command, Commands, NotAllowed, UnknownCommand, WrongWords
from reactor.commanded import CalledCommand, HeardCommands, RefusedCommand
from reactor.errors import ReactorError
from reactor.github.commands import Call, commands_added, commands_in, may_hold_commands
from reactor.github.conversation_events import (
    CommentEvent,
    ConversationEvent,
    IssueOpened,
    IssuesEvent,
    PullRequestEvent,
    PullRequestReviewEvent,
)
from reactor.github.event import Event
from reactor.github.models import Account
from reactor.permissions import Permissions, PermissionUnknown, RepositoryRef
from reactor.repository_rules import RulesOfRepositories


class NotLetIn(ReactorError):
    """The repository's own rules name the commands that it wants, and this is none of them."""

    def __init__(self, name: str, repository: str) -> None:
        super().__init__(name, repository)
        self.name, self.repository = name, repository

    def __str__(self) -> str:
        return f"/{self.name} is not in use in {self.repository}; /help lists what is"


Refusal = UnknownCommand | WrongWords | NotAllowed | PermissionUnknown | NotLetIn
"""Each says in a sentence what is wrong, for whoever asked."""

_ABOUT_RIGHTS = (NotAllowed, PermissionUnknown, NotLetIn)

_WRITTEN = frozenset({"created", "submitted", "opened"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Heard:
    """A call that is meant for us: a command that may be run, or why not; never both."""

    call: Call
    command: Command | None = None
    refusal: Refusal | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Overheard:
    """What an event asks of us, in order, and who asks."""

    heard: tuple[Heard, ...] = ()
    asker: Asker | None = None  # None: nothing is asked that somebody would have to be allowed

    @property
    def told(self) -> HeardCommands:
        """As it is kept on a blackboard."""
        return HeardCommands(
            calls=tuple(
                CalledCommand(name=each.call.name, words=each.call.words)
                for each in self.heard
                if each.command is not None
            ),
            refused=tuple(
                RefusedCommand(
                    sentence=str(each.refusal),
                    is_about_rights=isinstance(each.refusal, _ABOUT_RIGHTS),
                )
                for each in self.heard
                if each.refusal is not None
            ),
        )


class Hearing:
    """Makes commands of events.

    A call of nobody's command is passed over: `/etc` in a comment may be a path, or meant for
    another bot.  It is refused, and so answered, only where it was said to us by name or is one
    letter away from a command of ours.
    """

    def __init__(
        self,
        commands: Commands,
        permissions: Permissions,
        *,
        us: Mapping[str, str],
        trusted_bots: Collection[str] = (),
        rules: RulesOfRepositories | None = None,
    ) -> None:
        """`us`: our login on each host; `trusted_bots`: logins that may ask as people do.

        `rules`: which commands a repository wants; None: all of them, everywhere.
        """
        self._commands, self._permissions, self._rules = commands, permissions, rules
        self._us = dict(us)
        self._trusted = frozenset(login.lower() for login in trusted_bots)

    def may_hear(self, event: Event) -> bool:
        """Whether something may be heard in it; quick."""
        sender, text = event.sender, _text(event)
        if sender is None or event.repository is None or text is None:
            return False
        return self._is_heard(sender) and may_hold_commands(text)

    async def __call__(self, event: Event) -> Overheard:
        """Raises `InfrastructureError` while nobody can tell what the asker may do."""
        sender, repository = event.sender, event.repository
        if sender is None or repository is None or not self._is_heard(sender):
            return Overheard()
        us = self._us.get(event.host)
        # In a thread: a hostile text takes up to two seconds to be read.
        calls = await asyncio.to_thread(calls_of, event, () if us is None else (us,))
        known = [heard for call in calls if (heard := self._known(call)) is not None]
        if not known:
            return Overheard()
        where = RepositoryRef(host=event.host, id=repository.id, name=repository.full_name)
        usable = await self._usable(where)
        known = [heard for each in known if (heard := _let_in(each, usable, where)) is not None]
        if all(heard.refusal is not None for heard in known):
            return Overheard(heard=tuple(known))  # nothing to be allowed
        try:
            role = await self._permissions.role(where, sender.login)
        except PermissionUnknown as unknown:
            return Overheard(
                heard=tuple(
                    heard if heard.refusal else Heard(call=heard.call, refusal=unknown)
                    for heard in known
                )
            )
        asker = Asker(
            login=sender.login, role=role, is_author=_is_author(sender, event), usable=usable
        )
        return Overheard(
            heard=tuple(
                heard if heard.refusal else self._bound(heard.call, asker) for heard in known
            ),
            asker=asker,
        )

    async def _usable(self, where: RepositoryRef) -> frozenset[str] | None:
        return None if self._rules is None else (await self._rules.of(where)).commands

    def _is_heard(self, sender: Account) -> bool:
        return not sender.is_bot or sender.login.lower() in self._trusted

    def _known(self, call: Call) -> Heard | None:
        """The call alone where the command exists; None where it is nobody's."""
        try:
            self._commands.find(call.name)
        except UnknownCommand as unknown:
            if call.is_addressed or unknown.is_slip:
                return Heard(call=call, refusal=unknown)
            return None
        return Heard(call=call)

    def _bound(self, call: Call, asker: Asker) -> Heard:
        kind = self._commands.find(call.name)
        if not asker.may(kind):
            return Heard(call=call, refusal=NotAllowed(kind, asker))
        try:
            return Heard(call=call, command=self._commands.bind(call.name, call.words))
        except WrongWords as wrong:
            return Heard(call=call, refusal=wrong)


def _let_in(heard: Heard, usable: Collection[str] | None, where: RepositoryRef) -> Heard | None:
    """The call, refused or passed over where the repository does not want the command.

    Where it wants none at all, the commands there are somebody else's, unless they are said to us.
    """
    if usable is None:
        return heard
    if not usable and not heard.call.is_addressed:
        return None
    if heard.refusal is not None or heard.call.name in usable:
        return heard
    return Heard(call=heard.call, refusal=NotLetIn(heard.call.name, where.name))


def calls_of(event: Event, us: Collection[str] = ()) -> tuple[Call, ...]:
    """What an event newly says, whoever may say it; `us`: logins by which we are addressed."""
    if isinstance(event, IssueOpened) and event.came_by_transfer:
        return ()  # it was opened before, elsewhere
    text = _text(event)
    if text is None:
        return ()
    if event.action in _WRITTEN:
        return commands_in(text, us=us)
    if event.action == "edited" and isinstance(event, ConversationEvent):
        before = _before(event)
        return () if before is None else commands_added(text, before=before, us=us)
    return ()


def _text(event: Event) -> str | None:
    """The text that the event is about."""
    match event:
        case CommentEvent():
            return event.comment.body
        case PullRequestReviewEvent():
            return event.review.body
        case IssuesEvent() | PullRequestEvent() if event.subject is not None:
            return event.subject.body
    return None


def _before(event: ConversationEvent) -> str | None:
    """The text before an edit; None: it was not the text that was edited, or nobody can tell."""
    change = getattr(event.changes, "body", None)  # without a model: plain JSON data
    if not isinstance(change, Mapping) or "from" not in change:
        return None
    before = change["from"]
    if before is None:
        return ""
    return before if isinstance(before, str) else None


def _is_author(sender: Account, event: Event) -> bool:
    author = event.subject.user if event.subject is not None else None
    return author is not None and author.id == sender.id
