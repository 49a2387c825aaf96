"""Which of the calls may be done: let in by the repository, for who asks, with these words.

    calls -> ours? -> let in there? -> what may the asker do? -> commands and refusals

Who asks is the sender of the event: whoever edits another's comment asks for himself.
"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass

from reactor.command import Asker, Command, Commands, NotAllowed, UnknownCommand, WrongWords
from reactor.commanded import CalledCommand, HeardCommands, RefusedCommand
from reactor.errors import InfrastructureError, ReactorError
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


@dataclass(frozen=True, slots=True, kw_only=True)
class Heard:
    """A call that is meant for us: a command that may be run, or why not; never both."""

    call: CalledCommand
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
            calls=tuple(each.call for each in self.heard if each.command is not None),
            refused=tuple(
                RefusedCommand(
                    sentence=str(each.refusal),
                    is_about_rights=isinstance(each.refusal, _ABOUT_RIGHTS),
                )
                for each in self.heard
                if each.refusal is not None
            ),
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Allowing:
    """Sorts calls by what may be done."""

    commands: Commands
    permissions: Permissions
    rules: RulesOfRepositories | None = None  # None: every repository lets all commands in

    async def __call__(self, calls: Sequence[CalledCommand], event: Event) -> Overheard:
        """What an event asks for, each of it allowed or refused.

        Raises `InfrastructureError` while nobody can tell what the asker may do.
        """
        sender, repository = event.sender, event.repository
        if sender is None or repository is None:
            return Overheard()
        where = RepositoryRef(host=event.host, id=repository.id, name=repository.full_name)
        usable = None if self.rules is None else await self._usable(where, self.rules)
        known = [self._known(call) for call in calls]
        heard = tuple(h for each in known if (h := _let_in(each, usable, where)) is not None)
        if all(each.refusal is not None for each in heard):
            return Overheard(heard=heard)  # nothing to be allowed
        try:
            role = await self.permissions.role(where, sender.login)
        except PermissionUnknown as unknown:
            return Overheard(heard=tuple(_refused(each, unknown) for each in heard))
        is_author = _is_author(sender, event)
        asker = Asker(login=sender.login, role=role, is_author=is_author, usable=usable)
        bound = (each if each.refusal else self._bound(each.call, asker) for each in heard)
        return Overheard(heard=tuple(bound), asker=asker)

    async def _usable(
        self, where: RepositoryRef, rules: RulesOfRepositories
    ) -> frozenset[str] | None:
        now = await rules.of(where)
        if now.unknown:
            raise InfrastructureError(where.host, now.unknown)
        return now.commands

    def _known(self, call: CalledCommand) -> Heard:
        """The call alone where the command exists."""
        try:
            self.commands.find(call.name)
        except UnknownCommand as unknown:
            return Heard(call=call, refusal=unknown)
        return Heard(call=call)

    def _bound(self, call: CalledCommand, asker: Asker) -> Heard:
        kind = self.commands.find(call.name)
        if not asker.may(kind):
            return Heard(call=call, refusal=NotAllowed(kind, asker))
        try:
            return Heard(call=call, command=self.commands.bind(call.name, call.words))
        except WrongWords as wrong:
            return Heard(call=call, refusal=wrong)


def _refused(heard: Heard, refusal: Refusal) -> Heard:
    return heard if heard.refusal else Heard(call=heard.call, refusal=refusal)


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


def _is_author(sender: Account, event: Event) -> bool:
    author = event.subject.user if event.subject is not None else None
    return author is not None and author.id == sender.id
