"""An index of the issues of a repository, which every worker shares: which are like this one?

What is kept of an issue are its title, whether it is open, and its terms (`reactor.likeness`); of a
repository the `MOST` that were changed last.
"""

import asyncio
from collections.abc import Sequence
from datetime import datetime
from typing import Protocol

from pydantic import BaseModel, ConfigDict, Field

from reactor.likeness import likeness, terms_of

MOST = 2_000  # issues of one repository; those that were changed first make room
_LONGEST_TITLE = 300
_MOST_FOUND = 10


class IssueText(BaseModel):
    """An issue as it is now."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    number: int
    title: str
    text: str
    is_open: bool
    changed_at: datetime


class IndexedIssue(BaseModel):
    """What is kept of an issue."""

    model_config = ConfigDict(frozen=True)

    number: int
    title: str
    is_open: bool
    terms: dict[str, int]
    changed_at: datetime


class LikeIssue(BaseModel):
    """An issue that is like another one."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    number: int
    title: str  # as somebody wrote it
    is_open: bool
    likeness: float = Field(ge=0, le=1)


class IssueShelf(Protocol):
    """Where they are kept, by repository ("github.com/1296269").

    Every method may raise `InfrastructureError`.
    """

    async def put(self, repository: str, issue: IndexedIssue) -> None:
        """In the place of an earlier one of its number; the oldest make room."""
        ...

    async def remove(self, repository: str, number: int) -> None:
        """It is there no longer."""
        ...

    async def all(self, repository: str) -> Sequence[IndexedIssue]:
        """At most `MOST`, in any order."""
        ...


class IssueIndex:
    """Remembers issues, and finds those that are alike."""

    def __init__(self, shelf: IssueShelf) -> None:
        self._shelf = shelf

    async def remember(self, repository: str, issue: IssueText) -> None:
        """As it is now.  Raises `InfrastructureError`."""
        terms = await asyncio.to_thread(terms_of, issue.title, issue.text)
        indexed = IndexedIssue(
            number=issue.number,
            title=issue.title[:_LONGEST_TITLE],
            is_open=issue.is_open,
            terms=terms,
            changed_at=issue.changed_at,
        )
        await self._shelf.put(repository, indexed)

    async def forget(self, repository: str, number: int) -> None:
        """It was deleted, or is elsewhere now.  Raises `InfrastructureError`."""
        await self._shelf.remove(repository, number)

    async def like(
        self, repository: str, issue: IssueText, *, at_least: float
    ) -> tuple[LikeIssue, ...]:
        """Others that are at least so alike, from 0 to 1, the most alike first; at most ten.

        Raises `InfrastructureError`.
        """
        known = await self._shelf.all(repository)
        others = [each for each in known if each.number != issue.number]
        terms = await asyncio.to_thread(terms_of, issue.title, issue.text)
        return await asyncio.to_thread(_like, terms, others, at_least)


def _like(
    terms: dict[str, int], others: Sequence[IndexedIssue], at_least: float
) -> tuple[LikeIssue, ...]:
    found = [
        LikeIssue(
            number=issue.number,
            title=issue.title,
            is_open=issue.is_open,
            likeness=round(alike, 4),
        )
        for issue, alike in zip(others, likeness(terms, [o.terms for o in others]), strict=True)
        if alike >= at_least
    ]
    return tuple(sorted(found, key=lambda each: (-each.likeness, each.number))[:_MOST_FOUND])
