"""Issues of the index, in memory; fits the port `IssueShelf`."""

from collections import defaultdict
from collections.abc import Sequence

from reactor.issue_index import MOST, IndexedIssue


class MemoryIssues:
    """By repository and number."""

    def __init__(self, *, most: int = MOST) -> None:
        self._most = most
        self._kept: defaultdict[str, dict[int, IndexedIssue]] = defaultdict(dict)

    async def put(self, repository: str, issue: IndexedIssue) -> None:
        """In the place of an earlier one."""
        kept = self._kept[repository]
        kept[issue.number] = issue
        while len(kept) > self._most:
            del kept[min(kept.values(), key=lambda each: (each.changed_at, each.number)).number]

    async def remove(self, repository: str, number: int) -> None:
        """It is there no longer."""
        self._kept[repository].pop(number, None)

    async def all(self, repository: str) -> Sequence[IndexedIssue]:
        """All there are."""
        return tuple(self._kept[repository].values())
