"""Prompts: what was listed where for people to approve, and how that is remembered.

Shapes and a port; adapters fit it.
"""

from dataclasses import dataclass
from typing import Protocol

MOST_KEPT = 10  # prompts of a subject: the last ones


@dataclass(frozen=True, slots=True, kw_only=True)
class Listed:
    """One effect that waits, as a prompt lists it."""

    key: str  # the effect's
    id: str  # by which people name it
    would: str  # what would change, for people
    action: str  # that asked for it


@dataclass(frozen=True, slots=True, kw_only=True)
class Prompt:
    """What was listed on a subject at once."""

    key: str  # of the prompt, itself an effect: in the ledger one sees when people could read it
    listed: tuple[Listed, ...]


class Prompts(Protocol):
    """What was listed where.  Every method may raise `InfrastructureError`."""

    async def add(self, subject: str, prompt: Prompt) -> None:
        """Remember it as the subject's newest, unless it is; old ones make room."""
        ...

    async def of(self, subject: str) -> list[Prompt]:
        """At most `MOST_KEPT`, newest first."""
        ...
