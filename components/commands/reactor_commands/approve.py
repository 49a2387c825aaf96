"""`/approve` and `/reject`: what somebody says of the changes that wait for a person.

/approve                 what the last prompt on this issue listed
/approve 5f0c1e9a77b2    that one, wherever it waits in this repository
"""

from typing import Annotated, ClassVar

from pydantic import StringConstraints

from reactor import (
    ActionContext,
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
        self, command: ApproveCommand, asker: Asker, context: ActionContext
    ) -> Declined | None:
        """Have them made; they are sent before what nobody waits for."""
        return await self._rule(command.ids, asker, context, is_approved=True)

    @action(trigger=RejectCommand, can_rerun=True, value=0.5)
    async def reject(
        self, command: RejectCommand, asker: Asker, context: ActionContext
    ) -> Declined | None:
        """Have them dropped."""
        return await self._rule(command.ids, asker, context, is_approved=False)

    async def _rule(
        self, ids: tuple[str, ...], asker: Asker, context: ActionContext, *, is_approved: bool
    ) -> Declined | None:
        said_in = context.process
        spoken = Spoken(
            subject=said_in.subject,
            by=asker.login,
            at=said_in.happened_at,
            is_approved=is_approved,
            ids=ids,
        )
        return _declined(await self._desk.take(spoken))


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
