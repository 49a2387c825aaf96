"""Answers that were given before, by what was asked and what answered.

So a process that goes on after a crash, or an action that is tried again, is told the same and
pays nothing for it.
"""

from typing import Protocol

from reactor.ai.exchange import Request


class Answers(Protocol):
    """Kept for a while, or not: nobody may depend on it.  Raises nothing."""

    async def find(self, request: Request) -> str | None:
        """The text that was kept for the same request, if any."""
        ...

    async def keep(self, request: Request, text: str) -> None:
        """Keep a text that proved to be usable."""
        ...


class NoAnswers:
    """Keeps nothing."""

    async def find(self, request: Request) -> str | None:
        """None."""
        return None

    async def keep(self, request: Request, text: str) -> None:
        """Do nothing."""
