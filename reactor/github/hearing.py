"""Which commands an event asks us for, whoever asks.

    event -> its new text -> calls -> ours?

Only what was just written counts: comments, reviews, and bodies of what was opened; of an edit,
what it added.  Who may have it done is found out later, by `reactor.github.allowing`.
"""

import asyncio
from collections.abc import Collection, Mapping

from reactor.command import Commands, FreeRequest, UnknownCommand
from reactor.github.commands import (
    Call,
    FreeText,
    commands_added,
    commands_in,
    may_hold_commands,
)
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

_WRITTEN = frozenset({"created", "submitted", "opened"})


class Hearing:
    """Finds what is meant for us.

    A call of nobody's command is passed over: `/etc` in a comment may be a path, or meant for
    another bot.  It counts only where it was said to us by name or is one letter away from a
    command of ours.  Where `FreeRequest` is among the commands, what is said to us by name in
    other words is one.
    """

    def __init__(
        self,
        commands: Commands,
        *,
        us: Mapping[str, str],
        trusted_bots: Collection[str] = (),
    ) -> None:
        """`us`: our login on each host, known later perhaps; `trusted_bots`: logins that may ask as people do."""
        self._commands, self._us = commands, us
        self._trusted = frozenset(login.lower() for login in trusted_bots)
        self._free = FreeText(FreeRequest.name, self._is_meant) if _has_free(commands) else None

    def may_hear(self, event: Event) -> bool:
        """Whether something may be heard in it; quick."""
        sender, text = event.sender, _text(event)
        if sender is None or event.repository is None or text is None:
            return False
        return self._is_heard(sender) and may_hold_commands(text, us=self._ours(event))

    async def __call__(self, event: Event) -> tuple[Call, ...]:
        """All of an event, in order: how many of them are run is up to others."""
        if not self.may_hear(event):
            return ()
        # In a thread: a hostile text takes up to two seconds to be read.
        calls = await asyncio.to_thread(calls_of, event, self._ours(event), self._free)
        return tuple(call for call in calls if self._is_ours(call))

    def _ours(self, event: Event) -> Collection[str]:
        """The logins by which we are addressed there."""
        us = self._us.get(event.host)
        return () if us is None else (us,)

    def _is_heard(self, sender: Account) -> bool:
        return not sender.is_bot or sender.login.lower() in self._trusted

    def _is_ours(self, call: Call) -> bool:
        return call.is_addressed or self._is_meant(call.name)

    def _is_meant(self, name: str) -> bool:
        """Whether it is a command of ours, or a slip of one."""
        try:
            self._commands.find(name)
        except UnknownCommand as unknown:
            return unknown.is_slip
        return True


def _has_free(commands: Commands) -> bool:
    return any(kind is FreeRequest for kind in commands)


def calls_of(
    event: Event, us: Collection[str] = (), free: FreeText | None = None
) -> tuple[Call, ...]:
    """What an event newly says, whoever may say it; `us`: logins by which we are addressed."""
    if isinstance(event, IssueOpened) and event.came_by_transfer:
        return ()  # it was opened before, elsewhere
    text = _text(event)
    if text is None:
        return ()
    if event.action in _WRITTEN:
        return commands_in(text, us=us, free=free)
    if event.action == "edited" and isinstance(event, ConversationEvent):
        before = _before(event)
        if before is not None:
            return commands_added(text, before=before, us=us, free=free)
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
