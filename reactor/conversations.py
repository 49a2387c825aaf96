"""Whether an issue or a pull request is still open: a port, for who comes back to it days later.

What our own app does starts nothing, so that it was closed by a command, or by another component,
is no event that a component hears of.
"""

from typing import Protocol

from reactor.permissions import RepositoryRef


class Conversations(Protocol):
    """Fitted by `reactor.adapters.github.conversations`, and in memory."""

    async def is_open(self, repository: RepositoryRef, number: int) -> bool | None:
        """False also where it is gone; None where nobody can be asked, or will not tell us.

        Raises `InfrastructureError` while the host is away or lets us ask no more.
        """
        ...
