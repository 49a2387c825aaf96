"""Looking again: what a reminder is about may be closed by now, by a command or another component."""

from pydantic import BaseModel, ConfigDict, JsonValue

from reactor import ActionContext, TimerFired, action
from reactor.community import Conversations, RepositoryRef
from reactor.github import Conversation, Repository, snapshot_of

OURS = 'event.name in ["triage_author_silent", "triage_stale"]'


class StillOpen(BaseModel):
    """Fact: nobody has closed it since, as far as anybody can tell."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    about: dict[str, JsonValue]  # for a further reminder


class LookingAgain:
    """The part of the component that looks before it speaks days later."""

    @action(pre=[OURS], cost=0.05, value=0.9)
    async def look_again(
        self,
        event: TimerFired,
        subject: Conversation,
        repository: Repository,
        conversations: Conversations,
        context: ActionContext,
    ) -> StillOpen | None:
        """Ask GitHub whether it is open; where nobody can be asked, it is as it was."""
        host = context.process.host
        place = RepositoryRef(host=host, id=repository.id, name=repository.full_name)
        is_open = await conversations.is_open(place, subject.number)
        return None if is_open is False else StillOpen(about=snapshot_of(subject, repository))
