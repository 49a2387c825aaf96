"""Asks GitHub whether an issue or a pull request is still open; reads only.

Source: GitHub docs, "Get an issue", which knows pull requests by their numbers too.
"""

import asyncio
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor

from reactor.adapters.github.accounts import Account
from reactor.adapters.github.asking import ask
from reactor.adapters.github.connection import Connection
from reactor.adapters.github.place import Target
from reactor.errors import ReactorError
from reactor.permissions import RepositoryRef

MOST_AT_ONCE = 4  # questions


class _Untold(ReactorError):
    """GitHub does not say."""


class GitHubConversations:
    """Fits the port `Conversations`; closed by whoever made it, its accounts by theirs."""

    def __init__(self, accounts: Mapping[str, Account]) -> None:
        """`accounts`: we, by host."""
        self._accounts = dict(accounts)
        self._threads = ThreadPoolExecutor(MOST_AT_ONCE, thread_name_prefix="conversations")

    async def is_open(self, repository: RepositoryRef, number: int) -> bool | None:
        """Asked in a thread; one that is not waited for any more changes nothing."""
        loop = asyncio.get_running_loop()
        return await loop.run_in_executor(self._threads, self._ask, repository, number)

    def close(self) -> None:
        """Take no more questions; those under way end by their own time limit."""
        self._threads.shutdown(wait=False, cancel_futures=True)

    def _ask(self, repository: RepositoryRef, number: int) -> bool | None:
        def look(connection: Connection, target: Target) -> bool | None:
            found = connection.find(target.path("issues", str(number)))
            return found is not None and found.get("state") == "open"

        try:
            return ask(self._accounts, repository, look, unknown=_Untold)
        except _Untold:
            return None
