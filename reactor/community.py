"""What component packages share beyond GitHub's own types: the only place where they meet.

Who is seen for the first time, how an issue or a pull request was judged, and whether somebody
has been answered already.  A package that needs a fact of another's takes it from here, and
never imports the other.
"""

from collections.abc import Sequence
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field

from reactor.changed_files import ChangedFiles as ChangedFiles
from reactor.conversations import Conversations as Conversations
from reactor.github.models import Account, Conversation, PullRequest
from reactor.issue_index import IssueIndex as IssueIndex
from reactor.issue_index import IssueText as IssueText
from reactor.issue_index import LikeIssue as LikeIssue
from reactor.permissions import RepositoryRef as RepositoryRef
from reactor.ports import Firsts

FIRST_RESPONSE = "first response"  # the purpose for which an opened event claims its subject


class Fact(BaseModel):
    """Base of the facts below: immutable, with no field but those declared."""

    model_config = ConfigDict(frozen=True, extra="forbid", defer_build=True)


class Entity(Fact):
    """Something that can be seen for the first time."""

    kind: Literal["issue", "pull_request", "person", "milestone"]
    key: str  # "github.com/1296269#7", "github.com/1296269/@583231": ids, which never change
    name: str  # "#7 Sled brakes do not engage", "octocat": for people


class NewEntity(Fact):
    """What this event brought that nobody had claimed before: at least one thing."""

    entities: tuple[Entity, ...] = Field(min_length=1)

    def has(self, kind: str) -> bool:
        """Whether a thing of this kind is among them."""
        return any(entity.kind == kind for entity in self.entities)


class Assessment(Fact):
    """How a text was judged, by rules or by a model."""

    comment: str  # a sentence or two: why it was judged so
    urgency: float = Field(ge=0, le=1)
    sentiment: float = Field(ge=0, le=1)  # 0 hostile, 0.5 neutral, 1 delighted
    labels: tuple[str, ...] = ()  # from the configured list, no others


class IssueAssessment(Assessment):
    """How an issue was judged."""

    quality: float = Field(ge=0, le=1)  # 1: everything is there that one needs to act
    missing: tuple[str, ...] = ()  # what is not: "steps to reproduce", "version", ...


class PullRequestAssessment(Assessment):
    """How a pull request was judged."""

    changed_files: int = Field(ge=0)  # counted by GitHub, never guessed


class FirstResponse(Fact):
    """Somebody was answered with a comment on account of this event.

    An action that answers returns it beside its comment.  Being the result of several actions
    it makes them alternatives, so that one event is answered once, by the best of them.
    """

    by: str  # the component that answered


class CommunityStore:
    """Which issues and people were seen before.  "New" is a claim, not a look.

    What one process claimed is new to it, always, also when it resumes after a crash, and known
    to all others.
    """

    def __init__(self, firsts: Firsts) -> None:
        self._firsts = firsts

    async def claim_new(
        self, entities: Sequence[Entity], *, purpose: str, process_id: str
    ) -> tuple[Entity, ...]:
        """Claim all; return those that are new.  Claims for other purposes don't matter.

        Raises `InfrastructureError`.
        """
        return tuple(
            [
                entity
                for entity in entities
                if await self._firsts.claim_new(entity.key, purpose=purpose, process_id=process_id)
            ]
        )


def subject_entity(subject: Conversation, *, key: str) -> Entity:
    """The issue or pull request as an entity; `key` is the subject's."""
    kind: Literal["pull_request", "issue"] = (
        "pull_request" if isinstance(subject, PullRequest) else "issue"
    )
    return Entity(kind=kind, key=key, name=f"#{subject.number} {subject.title}"[:200])


def person_entity(person: Account, *, host: str, repository_id: int) -> Entity:
    """A person within one repository, where they can be new though they are known elsewhere."""
    return Entity(kind="person", key=f"{host}/{repository_id}/@{person.id}", name=person.login)
