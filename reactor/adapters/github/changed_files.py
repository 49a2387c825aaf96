"""Asks GitHub which files a pull request changes; reads only.

Source: GitHub docs, "List pull requests files": 3,000 of them at most, 100 a page.
"""

import asyncio
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from itertools import islice

from reactor.adapters.github.accounts import Account
from reactor.adapters.github.asking import ask
from reactor.adapters.github.connection import Connection
from reactor.adapters.github.place import Target
from reactor.changed_files import MOST, FilesUnknown
from reactor.permissions import RepositoryRef
from reactor.status import ProcessHead

MOST_AT_ONCE = 4  # questions


class GitHubChangedFiles:
    """Fits the port `ChangedFiles`; closed by whoever made it, its accounts by theirs."""

    condition = "changed_files"

    def __init__(self, accounts: Mapping[str, Account]) -> None:
        """`accounts`: we, by host."""
        self._accounts = dict(accounts)
        self._threads = ThreadPoolExecutor(MOST_AT_ONCE, thread_name_prefix="changed-files")

    async def why_away(self, head: ProcessHead) -> str:
        """Where we have credentials for its host, it can be asked."""
        return "" if head.host in self._accounts else f"no credentials for {head.host}"

    async def of(self, repository: RepositoryRef, number: int) -> tuple[str, ...]:
        """Asked in a thread; one that is not waited for any more changes nothing."""
        loop = asyncio.get_running_loop()
        return await loop.run_in_executor(self._threads, self._ask, repository, number)

    def close(self) -> None:
        """Take no more questions; those under way end by their own time limit."""
        self._threads.shutdown(wait=False, cancel_futures=True)

    def _ask(self, repository: RepositoryRef, number: int) -> tuple[str, ...]:
        def look(connection: Connection, target: Target) -> tuple[str, ...]:
            listed = connection.each(target.path("pulls", str(number), "files"))
            return tuple(str(each["filename"]) for each in islice(listed, MOST))

        name = f"{repository.name}#{number}"
        return ask(self._accounts, repository, look, unknown=lambda why: FilesUnknown(name, why))
