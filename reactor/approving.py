"""Approving where people are: what a command on an issue or pull request rules on.

    ids, or nothing for what was listed there -> what waits -> rulings on the signals topic

A service of the platform, for the actions of commands.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Protocol

from reactor.approvals import ID_LENGTH, Approvals
from reactor.ledger import Held
from reactor.prompt import Prompts


@dataclass(frozen=True, slots=True, kw_only=True)
class Spoken:
    """What somebody says, and where."""

    subject: str  # `Subject.key` of the issue or pull request
    by: str  # the login
    at: datetime | None = None  # when, by the host's clock; None: nobody knows
    is_approved: bool = True
    ids: tuple[str, ...] = ()  # none: what the last prompt listed


@dataclass(frozen=True, slots=True, kw_only=True)
class Taken:
    """What came of it."""

    ruled: tuple[str, ...] = ()  # keys of the effects
    unknown: tuple[str, ...] = ()  # ids of which nothing waits in that repository


class ApprovalDesk(Protocol):
    """Takes rulings on what waits."""

    async def take(self, spoken: Spoken) -> Taken:
        """Return once the rulings are durable.  Raises `InfrastructureError`; safe to repeat."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class SubjectApprovals:
    """Fits `ApprovalDesk`.

    An id is good for its whole repository, and for no other one: who may approve here need not
    be anybody there.
    """

    approvals: Approvals
    prompts: Prompts

    async def take(self, spoken: Spoken) -> Taken:
        """Find what is meant, and rule on each."""
        waiting = await self.approvals.waiting_in(spoken.subject.partition("#")[0])
        if spoken.ids:
            meant, unknown = _named(spoken.ids, waiting)
        else:
            keys = await self._listed(spoken)
            meant, unknown = [each for each in waiting if each.intent.key in keys], []
        for held in meant:
            await self.approvals.rule_on(held, is_approved=spoken.is_approved, by=spoken.by)
        return Taken(ruled=tuple(each.intent.key for each in meant), unknown=tuple(unknown))

    async def _listed(self, spoken: Spoken) -> frozenset[str]:
        """What the newest prompt listed that was there to be read when this was said."""
        prompts = await self.prompts.of(spoken.subject)
        ledger = self.approvals.ledger
        fates = await ledger.fates(spoken.subject, [prompt.key for prompt in prompts])
        for prompt in prompts:
            fate = fates.get(prompt.key)
            is_there = fate is not None and fate.state == "done"
            if fate and is_there and (spoken.at is None or fate.changed_at <= spoken.at):
                return frozenset(each.key for each in prompt.listed)
        return frozenset()


def _named(ids: Sequence[str], waiting: Sequence[Held]) -> tuple[list[Held], list[str]]:
    """What each id means, once each; and the ids that mean nothing, or more than one thing."""
    meant: dict[str, Held] = {}
    unknown = []
    for wanted in ids:
        found = [each for each in waiting if _is(wanted.lower(), each.intent.key)]
        if len(found) == 1:
            meant[found[0].intent.key] = found[0]
        else:
            unknown.append(wanted)
    return list(meant.values()), unknown


def _is(wanted: str, key: str) -> bool:
    return len(wanted) >= ID_LENGTH and key.startswith(wanted)
