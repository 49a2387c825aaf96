"""Staleness: what nobody has touched for long is marked, and closed later where that is wanted.

    any activity -> watch_for_silence -> (days) -> mark_stale -> (days) -> close_stale

Each thing that happens puts the reminder off, and takes the mark off again; so one that comes
finds that nothing has happened since.
"""

from datetime import datetime, timedelta

from pydantic import JsonValue

from reactor import ActionContext, Reminder, Reminders, TimerFired, action
from reactor.github import (
    AddLabels,
    Close,
    Conversation,
    ConversationEvent,
    PostComment,
    RemoveLabels,
    snapshot_of,
)
from reactor_triage.looking import StillOpen
from reactor_triage.replies import STALE_CLOSED, stale_words
from reactor_triage.settings import TriageSettings
from reactor_triage.silence import since, stale_after

STALE = "triage_stale"  # the name of the reminder
MARK, CLOSE = "mark", "close"  # what is done then
GONE = frozenset({"deleted", "transferred"})

IS_WATCHED = "size(settings.stale.rules) > 0"
IS_TO_MARK = f'event.name == "{STALE}" && event.payload.then == "{MARK}"'
IS_TO_CLOSE = f'event.name == "{STALE}" && event.payload.then == "{CLOSE}"'


class Stale:
    """The part of the component that looks for silence."""

    _settings: TriageSettings
    _reminders: Reminders

    @action(pre=[IS_WATCHED], cost=0.05, value=0.1)
    async def watch_for_silence(
        self, event: ConversationEvent, subject: Conversation, context: ActionContext
    ) -> RemoveLabels | None:
        """Something has happened: put off what would be done about silence."""
        after = None if event.action in GONE else stale_after(subject, self._settings.stale)
        if after is None:
            await self._reminders.drop(context.process.reaction, context.process.subject, STALE)
            return None
        if event.sender is not None and event.sender.is_bot:
            return None  # what a bot does is no sign of life
        last = since(subject, context)
        about = snapshot_of(subject, event.repository, event.installation)
        is_marked = self._settings.stale.label.lower() in subject.label_names
        if is_marked and self._is_marking(event):
            await self._close_later(about, context, after=last)
            return None
        await self._reminders.put(
            Reminder.of(
                context.process, STALE, at=last + after, payload={"then": MARK}, about=about
            )
        )
        return RemoveLabels(labels=(self._settings.stale.label,)) if is_marked else None

    @action(pre=[IS_TO_MARK], cost=0.1, value=0.5)
    async def mark_stale(
        self, still_open: StillOpen, event: TimerFired, context: ActionContext
    ) -> tuple[AddLabels, PostComment]:
        """Say that nothing has happened for long, and what follows."""
        stale = self._settings.stale
        await self._close_later(still_open.about, context, after=event.due_at)
        words = stale_words(stale.close_after_days)
        return AddLabels(labels=(stale.label,)), PostComment(body=words)

    @action(pre=[IS_TO_CLOSE], cost=0.1, value=0.5)
    async def close_stale(
        self, still_open: StillOpen, event: TimerFired
    ) -> tuple[PostComment, Close]:
        """Close it; whoever still wants it says so."""
        return PostComment(body=STALE_CLOSED), Close(reason="not_planned")

    async def _close_later(
        self, about: dict[str, JsonValue], context: ActionContext, *, after: datetime
    ) -> None:
        """Where that is wanted; else it stays marked."""
        days = self._settings.stale.close_after_days
        if days is None:
            await self._reminders.drop(context.process.reaction, context.process.subject, STALE)
            return
        at = after + timedelta(days=days)
        await self._reminders.put(
            Reminder.of(context.process, STALE, at=at, payload={"then": CLOSE}, about=about)
        )

    def _is_marking(self, event: ConversationEvent) -> bool:
        """Whether somebody puts the mark on by hand."""
        label = event.label
        is_ours = label is not None and label.name.lower() == self._settings.stale.label.lower()
        return event.action == "labeled" and is_ours
