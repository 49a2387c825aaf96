"""What may be spent on models: by one process, for one repository in a day, in all in a day.

The price of a call is estimated and taken beforehand, and corrected when it is known, so that
workers who call at the same time do not spend the same money.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Protocol

ALL = "all"  # the purse of everybody, in `Purses`


@dataclass(frozen=True, slots=True)
class Taken:
    """An amount was taken from the purses of a day, or was not."""

    day: str  # in UTC, as "20260314"
    spent: str = ""  # the purse that is spent: nothing was taken then


class Purses(Protocol):
    """What was spent today (in UTC), by purse.  Every method may raise `InfrastructureError`."""

    async def take(self, amount_usd: float, limits: Mapping[str, float]) -> Taken:
        """Add the amount to each of these purses, unless one has reached its limit before.

        One atomic step.
        """
        ...

    async def correct(self, by_usd: float, purses: tuple[str, ...], *, day: str) -> None:
        """The price was another one: add the difference, which may be negative.

        To the purses of the day that it was taken on, whichever it is now.  None gets below 0.
        """
        ...

    async def spent(self, purse: str) -> float:
        """What was spent of it today."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """In US dollars; None: as much as it takes."""

    per_process: float | None = None
    per_repository_day: float | None = None
    per_day: float | None = None

    def of_day(self, repository: str) -> dict[str, float]:
        """The limits of the purses that a call for this repository is paid from."""
        limits = {ALL: self.per_day}
        if repository:
            limits[repository] = self.per_repository_day
        return {purse: limit for purse, limit in limits.items() if limit is not None}


def told(purse: str) -> str:
    """The purse in a sentence about what is spent."""
    return "in a day" if purse == ALL else f"of {purse} in a day"
