"""The life of places: an issue is deleted or moves away, a repository is archived, an app taken off.

    delivery -> `Change`: which places it is about, which absence begins or is over there

A place is a subject (`Subject.key`, "github.com/1#7") or all of a repository (its part before the
#).  An absence is why nothing can be changed there, for good or for now.

Shapes, what follows from them, and a port.  What a delivery of GitHub says is read by
`reactor.github.lifecycle`; `reactor.closing` acts on it.
"""

from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime
from typing import Literal, Protocol

Word = Literal["deleted", "transferred", "removed", "archived", "suspended"]
"""What became of a place: "removed": it is no longer among those that our app can reach."""

FOR_GOOD: frozenset[Word] = frozenset(("deleted", "transferred"))
"""What waits there waits for nothing any more."""

NEVER: frozenset[Word] = FOR_GOOD | {"removed"}
"""What was to be changed there will not be; the others may pass."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Absence:
    """Why nothing can be changed in a place."""

    word: Word
    why: str  # for people: "octo/hello#7 was transferred to octo/sledge#9"
    since: datetime  # when the delivery that told so had come
    delivery: str  # the `Delivery.key` of it

    @property
    def is_for_good(self) -> bool:
        """Whether nothing can happen there any more."""
        return self.word in FOR_GOOD


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """What a delivery says of places, beside the processes that it starts."""

    kind: str  # of the delivery: "issues.deleted"
    host: str
    places: tuple[str, ...] = ()
    installation: int | None = None  # every repository known to be in it is meant as well
    begins: Absence | None = None  # in all of these places
    ends: frozenset[Word] = frozenset()  # absences that are over there
    forgets: bool = True  # what was kept of them is not to be believed any more


class Absences(Protocol):
    """Which places are absent.  Every method may raise `InfrastructureError`."""

    async def begin(self, place: str, absence: Absence) -> None:
        """From now on; one with the same word takes its place.  A repeat does no harm."""
        ...

    async def end(self, place: str, words: Collection[Word]) -> None:
        """Those are over, if they had begun."""
        ...

    async def of(self, subject: str) -> list[Absence]:
        """Of a subject and of its repository: those for good first, else the oldest first."""
        ...


def repository_of(subject: str) -> str:
    """The place that a subject is a part of; itself, where it is no part of one."""
    return subject.partition("#")[0]


def is_part_of(subject: str, place: str) -> bool:
    """Whether what happens to the place happens to the subject."""
    return place in (subject, repository_of(subject))


def in_order(absences: Collection[Absence]) -> list[Absence]:
    """As `Absences.of` gives them."""
    return sorted(absences, key=lambda each: (not each.is_for_good, each.since, each.word))
