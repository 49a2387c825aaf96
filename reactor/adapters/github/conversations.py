"""Asks GitHub whether an issue or a pull request is still open; reads only.

Source: GitHub docs, "Get an issue", which knows pull requests by their numbers too.
"""

from collections.abc import Mapping

from reactor.adapters.github.accounts import Account
from reactor.adapters.github.asking import Asking
from reactor.adapters.github.connection import Connection
from reactor.adapters.github.place import Target
from reactor.errors import ReactorError
from reactor.permissions import RepositoryRef


class _Untold(ReactorError):
    """GitHub does not say."""


class GitHubConversations(Asking):
    """Fits the port `Conversations`."""

    def __init__(self, accounts: Mapping[str, Account]) -> None:
        """`accounts`: we, by host."""
        super().__init__(accounts, name="conversations")

    async def is_open(self, repository: RepositoryRef, number: int) -> bool | None:
        """One question."""

        def look(connection: Connection, target: Target) -> bool | None:
            found = connection.find(target.path("issues", str(number)))
            return found is not None and found.get("state") == "open"

        try:
            return await self.ask(repository, look, unknown=_Untold)
        except _Untold:
            return None
