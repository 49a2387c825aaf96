"""`/approve` and `/reject`: what somebody says of the changes that wait for a person.

/approve                 what the last prompt on this issue listed
/approve 5f0c1e9a77b2    that one, wherever it waits in this repository
"""

from dataclasses import replace
from datetime import datetime
from typing import Annotated, ClassVar

from pydantic import StringConstraints

from reactor import (
    ApprovalDesk,
    Asker,
    Command,
    Declined,
    Role,
    Spoken,
    Taken,
    action,
    component,
)
from reactor.github import CommentEvent, ConversationEvent, PullRequestReviewEvent

ApprovalId = Annotated[
    str, StringConstraints(to_lower=True, pattern=r"^[0-9A-Fa-f]{12,32}$", strip_whitespace=True)
]
"""The beginning of an effect's key, in which its content is: it names one content and no other."""


class ApproveCommand(Command):
    """Have changes made that wait for approval: those listed last, or those that you name."""

    name: ClassVar[str] = "approve"
    needs: ClassVar[Role] = Role.MAINTAIN

    ids: tuple[ApprovalId, ...] = ()


class RejectCommand(Command):
    """Have changes dropped that wait for approval: those listed last, or those that you name."""

    name: ClassVar[str] = "reject"
    needs: ClassVar[Role] = Role.MAINTAIN

    ids: tuple[ApprovalId, ...] = ()


@component(name="approvals", events=("issue_comment", "issues", "pull_request"))
class ApprovalCommands:
    """Takes what maintainers say of changes that wait for them."""

    def __init__(self, desk: ApprovalDesk) -> None:
        self._desk = desk

    @action(trigger=ApproveCommand, can_rerun=True, value=0.5)
    async def approve(
        self, command: ApproveCommand, event: ConversationEvent, asker: Asker
    ) -> Declined | None:
        """Have them made; they are sent before what nobody waits for."""
        return _declined(await self._desk.take(_spoken(command.ids, event, asker)))

    @action(trigger=RejectCommand, can_rerun=True, value=0.5)
    async def reject(
        self, command: RejectCommand, event: ConversationEvent, asker: Asker
    ) -> Declined | None:
        """Have them dropped."""
        spoken = _spoken(command.ids, event, asker)
        return _declined(await self._desk.take(replace(spoken, is_approved=False)))


def _spoken(ids: tuple[str, ...], event: ConversationEvent, asker: Asker) -> Spoken:
    return Spoken(subject=event.subject_key, by=asker.login, at=said_at(event), ids=ids)


def said_at(event: ConversationEvent) -> datetime | None:
    """When it was written or edited, by GitHub's clock.

    The time of the issue would not do: it moves on with what others write meanwhile.
    """
    if isinstance(event, CommentEvent):
        return event.comment.updated_at or event.comment.created_at
    if isinstance(event, PullRequestReviewEvent):
        return event.review.updated_at or event.review.submitted_at
    return event.subject.updated_at if event.subject is not None else None


def _declined(taken: Taken) -> Declined | None:
    """What nothing came of; None: all of it was taken."""
    if taken.unknown:
        several = "; the others that you named are taken" if taken.ruled else ""
        named = ", ".join(taken.unknown)
        return Declined(reason=f"nothing waits for approval in this repository as {named}{several}")
    if not taken.ruled:
        return Declined(
            reason="nothing waits for approval that was listed here when you wrote;"
            " name what you mean by its id"
        )
    return None
