"""Which files a pull request changes: a port, since webhooks say only how many."""

from typing import Protocol

from reactor.errors import ReactorError
from reactor.permissions import RepositoryRef
from reactor.status import ProcessHead

MOST = 3_000  # that GitHub lists of one pull request


class FilesUnknown(ReactorError):
    """The host does not tell."""

    def __init__(self, pull_request: str, reason: str) -> None:
        super().__init__(pull_request, reason)
        self.pull_request, self.reason = pull_request, reason

    def __str__(self) -> str:
        return f"which files {self.pull_request} changes can't be told: {self.reason}"


class ChangedFiles(Protocol):
    """Fitted by `reactor.adapters.github.changed_files`, and in memory.

    An action that takes it is planned only where there is somebody to ask: `changed_files` holds.
    """

    condition: str

    async def why_away(self, head: ProcessHead) -> str:
        """Why nobody can be asked; "" where somebody can."""
        ...

    async def of(self, repository: RepositoryRef, number: int) -> tuple[str, ...]:
        """Their paths from the root, in the host's order; the first `MOST` of more.

        Raises `InfrastructureError` while the host is away or lets us ask no more, and
        `FilesUnknown` where it will not tell us.
        """
        ...
