"""Asks GitHub which files a pull request changes; reads only.

Source: GitHub docs, "List pull requests files": 3,000 of them at most, 100 a page.
"""

from collections.abc import Mapping
from itertools import islice

from reactor.adapters.github.accounts import Account
from reactor.adapters.github.asking import Asking
from reactor.adapters.github.connection import Connection
from reactor.adapters.github.place import Target
from reactor.changed_files import MOST, FilesUnknown
from reactor.permissions import RepositoryRef
from reactor.status import ProcessHead


class GitHubChangedFiles(Asking):
    """Fits the port `ChangedFiles`."""

    condition = "changed_files"

    def __init__(self, accounts: Mapping[str, Account]) -> None:
        """`accounts`: we, by host."""
        super().__init__(accounts, name="changed-files")

    async def why_away(self, head: ProcessHead) -> str:
        """Where we have credentials for its host, it can be asked."""
        return "" if head.host in self.accounts else f"no credentials for {head.host}"

    async def of(self, repository: RepositoryRef, number: int) -> tuple[str, ...]:
        """Page by page."""

        def look(connection: Connection, target: Target) -> tuple[str, ...]:
            listed = connection.each(target.path("pulls", str(number), "files"))
            return tuple(str(each["filename"]) for each in islice(listed, MOST))

        def unknown(reason: str) -> FilesUnknown:
            return FilesUnknown(f"{repository.name}#{number}", reason)

        return await self.ask(repository, look, unknown=unknown)
