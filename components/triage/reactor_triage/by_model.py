"""Having a model read what was opened: what it is asked, and which of its words may be written.

The model sees what a stranger wrote, fenced, and has no tools; of its answer counts what `reading`
and `wording` let through.
"""

from typing import TypeVar

from pydantic import BaseModel, ConfigDict

from reactor.ai import Ai
from reactor.github import Conversation
from reactor_triage.reading import Reading
from reactor_triage.settings import TriageSettings
from reactor_triage.wording import plain_words

R = TypeVar("R", bound=Reading)

ROLE = "triage"  # what the model is wanted for, in `llm.roles` of the operator
WITHIN_S = 240.0  # four calls of a minute each
INSIDERS = frozenset({"OWNER", "MEMBER", "COLLABORATOR"})  # who need no answer from us


class Reply(BaseModel):
    """Words of a model that may be written on GitHub."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    words: str


class Reader:
    """A model as a reader of issues and pull requests."""

    def __init__(self, settings: TriageSettings) -> None:
        self._settings = settings

    async def read(self, template: str, subject: Conversation, ai: Ai, kind: type[R]) -> R:
        """What the model says of it.  Raises what `Ai.create_object` raises."""
        asked = ai.with_role(ROLE).creating(kind)
        return await asked.from_template(
            template,
            subject=subject,
            author=subject.user.login if subject.user else "",
            labels=self._settings.labels,
            most_labels=self._settings.most_labels,
            wants_reply=self._wants_reply(subject),
        )

    def reply(self, reading: Reading, subject: Conversation) -> Reply | None:
        """Its reply to the author, where one is wanted and fit to be written."""
        if not self._wants_reply(subject):
            return None
        words = plain_words(reading.reply, said=f"{subject.title}\n{subject.body or ''}")
        return Reply(words=words) if words else None

    def _wants_reply(self, subject: Conversation) -> bool:
        return self._settings.model == "reply" and subject.author_association not in INSIDERS
