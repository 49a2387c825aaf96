"""A shelf in memory, for tests: see `streams.keeping`."""

from collections.abc import AsyncIterator

from reactor.errors import InfrastructureError


class MemoryShelf:
    """Items by name, in the order in which they came."""

    def __init__(self) -> None:
        self.is_down = False
        self._items: dict[str, bytes] = {}

    async def put(self, name: str, item: bytes) -> None:
        """The first one of a name stays."""
        self._answer()
        self._items.setdefault(name, item)

    async def remove(self, *names: str) -> None:
        """Those that are there."""
        self._answer()
        for name in names:
            self._items.pop(name, None)

    async def items(self) -> AsyncIterator[bytes]:
        """Those that are there now."""
        self._answer()
        for item in list(self._items.values()):
            yield item

    def _answer(self) -> None:
        if self.is_down:
            raise InfrastructureError("redis", "it is switched off")
