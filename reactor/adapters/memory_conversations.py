"""Which conversations are open, in memory; fits the port `Conversations`."""

from reactor.permissions import RepositoryRef


class MemoryConversations:
    """Nothing is known of any, until it is told."""

    def __init__(self) -> None:
        self._open: dict[tuple[int, int], bool] = {}

    def put(self, repository_id: int, number: int, *, is_open: bool) -> None:
        """From now on."""
        self._open[repository_id, number] = is_open

    async def is_open(self, repository: RepositoryRef, number: int) -> bool | None:
        """As it was told."""
        return self._open.get((repository.id, number))
