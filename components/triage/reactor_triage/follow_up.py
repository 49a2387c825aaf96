"""Following up: an author who was asked is waited for, reminded once, and let go at last.

    asked -> wait_for_author -> (days) -> remind_author -> (days) -> close_unanswered
      the author answers -> note_answer, note_edit     closed, moved, unlabelled -> forget_...

What is waited for is a reminder, which restarts do not lose; whatever happens meanwhile puts it
off, so that one that comes finds the question unanswered.
"""

from datetime import timedelta

from pydantic import BaseModel, ConfigDict

from reactor import ActionContext, Reminder, Reminders, TimerFired, action
from reactor.github import (
    Close,
    Comment,
    Issue,
    IssueClosed,
    IssueCommentCreated,
    IssueEdited,
    IssueLabeled,
    IssuesEvent,
    IssueTransferred,
    IssueUnlabeled,
    PostComment,
    RemoveLabels,
    snapshot_of,
)
from reactor_triage.looking import StillOpen
from reactor_triage.phrases import shows_how
from reactor_triage.replies import REPRODUCTION, UNANSWERED, reminding_words
from reactor_triage.rules import Rules
from reactor_triage.settings import TriageSettings
from reactor_triage.silence import since

AUTHOR_SILENT = "triage_author_silent"  # the name of the reminder
REMIND, CLOSE = "remind", "close"  # what is done then

WANTS_REPRODUCTION = "event.label != null && event.label.name == settings.reproduction_label"
IS_OPEN = 'issue.state == "open"'
BY_A_PERSON = 'issue.user != null && issue.user.type != "Bot"'
IS_ASKED_ABOUT = (
    "issue.labels.exists(label, label.name == settings.incomplete_label"
    " || label.name == settings.reproduction_label)"
)
BY_ITS_AUTHOR = "comment.user != null && issue.user != null && comment.user.id == issue.user.id"
EDITED_BY_ITS_AUTHOR = (
    "event.sender != null && issue.user != null && event.sender.id == issue.user.id"
)
WAITS = "settings.remind_after_days != null || settings.close_after_days != null"
IS_TO_REMIND = f'event.name == "{AUTHOR_SILENT}" && event.payload.then == "{REMIND}"'
IS_TO_CLOSE = f'event.name == "{AUTHOR_SILENT}" && event.payload.then == "{CLOSE}"'


class AuthorAsked(BaseModel):
    """Fact: the author was asked for something, and it is on them to answer."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    label: str  # that says so


class FollowUp:
    """The part of the component that waits for authors."""

    _settings: TriageSettings
    _reminders: Reminders
    _rules: Rules

    @action(pre=[WANTS_REPRODUCTION, IS_OPEN, BY_A_PERSON], cost=0.1, value=0.5)
    async def ask_for_reproduction(
        self, event: IssueLabeled, issue: Issue
    ) -> tuple[PostComment, AuthorAsked]:
        """Ask the author how to make it happen, where somebody puts on the label for it."""
        label = self._settings.reproduction_label
        return PostComment(body=REPRODUCTION), AuthorAsked(label=label)

    @action(pre=[WAITS], cost=0.05, value=0.3)
    async def wait_for_author(
        self, author_asked: AuthorAsked, event: IssuesEvent, issue: Issue, context: ActionContext
    ) -> None:
        """Come back if the author says nothing for long."""
        remind, close = self._settings.remind_after_days, self._settings.close_after_days
        days = close if remind is None else remind
        assert days is not None, "it is a precondition"
        asked_at, labels = since(issue, context), (author_asked.label,)
        await self._reminders.put(
            Reminder.of(
                context.process,
                AUTHOR_SILENT,
                at=asked_at + timedelta(days=days),
                payload={"then": CLOSE if remind is None else REMIND},
                about=snapshot_of(issue, event.repository, event.installation, labels=labels),
            )
        )

    @action(pre=[IS_ASKED_ABOUT, BY_ITS_AUTHOR], cost=0.05, value=0.4)
    async def note_answer(
        self, event: IssueCommentCreated, issue: Issue, comment: Comment, context: ActionContext
    ) -> RemoveLabels:
        """The author has answered: it is on us again."""
        await self._stop_waiting(context)
        return RemoveLabels(labels=self._asking(issue))

    @action(pre=[IS_ASKED_ABOUT, EDITED_BY_ITS_AUTHOR], cost=0.05, value=0.4)
    async def note_edit(
        self, event: IssueEdited, issue: Issue, context: ActionContext
    ) -> RemoveLabels | None:
        """The author has added to the text: look again whether it has now what was asked for."""
        still = {
            self._settings.incomplete_label: not self._is_complete(issue),
            self._settings.reproduction_label: not shows_how(issue.body or ""),
        }
        answered = tuple(name for name in self._asking(issue) if not still[name])
        if not answered:
            return None
        if len(answered) == len(self._asking(issue)):
            await self._stop_waiting(context)
        return RemoveLabels(labels=answered)

    @action(cost=0.05, value=0.2)
    async def forget_closed(self, event: IssueClosed, context: ActionContext) -> None:
        """Somebody has closed it: nobody is waited for any more."""
        await self._stop_waiting(context)

    @action(cost=0.05, value=0.2)
    async def forget_moved(self, event: IssueTransferred, context: ActionContext) -> None:
        """It is elsewhere now."""
        await self._stop_waiting(context)

    @action(cost=0.05, value=0.2)
    async def forget_unlabeled(
        self, event: IssueUnlabeled, issue: Issue, context: ActionContext
    ) -> None:
        """Somebody has taken the label off, the last one by which its author was asked."""
        if not self._asking(issue):
            await self._stop_waiting(context)

    @action(pre=[IS_TO_REMIND], cost=0.1, value=0.5)
    async def remind_author(
        self, still_open: StillOpen, event: TimerFired, context: ActionContext
    ) -> PostComment:
        """Ask once more; what follows is told, if anything does."""
        days = self._settings.close_after_days
        if days is not None:
            await self._reminders.put(
                Reminder.of(
                    context.process,
                    AUTHOR_SILENT,
                    at=event.due_at + timedelta(days=days),
                    payload={"then": CLOSE},
                    about=still_open.about,
                )
            )
        return PostComment(body=reminding_words(closes_in=days))

    @action(pre=[IS_TO_CLOSE], cost=0.1, value=0.5)
    async def close_unanswered(
        self, still_open: StillOpen, event: TimerFired
    ) -> tuple[PostComment, Close]:
        """Let it go: nobody can look into it as it is."""
        return PostComment(body=UNANSWERED), Close(reason="not_planned")

    async def _stop_waiting(self, context: ActionContext) -> None:
        await self._reminders.drop(context.process.reaction, context.process.subject, AUTHOR_SILENT)

    def _asking(self, issue: Issue) -> tuple[str, ...]:
        """The labels by which its author is asked."""
        ours = (self._settings.incomplete_label, self._settings.reproduction_label)
        return tuple(name for name in ours if name.lower() in issue.label_names)

    def _is_complete(self, issue: Issue) -> bool:
        judged = self._rules.judge(issue.title, issue.body)
        return judged.quality >= self._settings.incomplete_below
