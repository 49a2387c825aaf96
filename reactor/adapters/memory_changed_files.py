"""Changed files in memory; fits the port `ChangedFiles`."""

from collections.abc import Sequence

from reactor.changed_files import FilesUnknown
from reactor.permissions import RepositoryRef
from reactor.status import ProcessHead

CONDITION = "changed_files"


class MemoryChangedFiles:
    """What is put there."""

    condition = CONDITION

    def __init__(self) -> None:
        self._paths: dict[tuple[int, int], tuple[str, ...]] = {}

    def put(self, repository_id: int, number: int, paths: Sequence[str]) -> None:
        """Those of one pull request."""
        self._paths[repository_id, number] = tuple(paths)

    async def why_away(self, head: ProcessHead) -> str:
        """Away, until something is put."""
        return "" if self._paths else "no files were put"

    async def of(self, repository: RepositoryRef, number: int) -> tuple[str, ...]:
        """Raises `FilesUnknown` where none were put."""
        paths = self._paths.get((repository.id, number))
        if paths is None:
            raise FilesUnknown(f"{repository.name}#{number}", "there is no such pull request")
        return paths


class NoFilesToAsk:
    """Fits the port where we have no credentials."""

    condition = CONDITION

    async def why_away(self, head: ProcessHead) -> str:
        """Always."""
        return "nobody to ask: set GITHUB_TOKEN, or the app's credentials"

    async def of(self, repository: RepositoryRef, number: int) -> tuple[str, ...]:
        """Raises `FilesUnknown`."""
        name = f"{repository.name}#{number}"
        raise FilesUnknown(name, f"no credentials for {repository.host}")
