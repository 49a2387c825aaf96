"""What was done about dead letters, in memory."""

from collections.abc import Mapping

from reactor.dead import Handling


class MemoryHandlings:
    """Fits the port `Handlings`."""

    def __init__(self) -> None:
        self._done: dict[str, Handling] = {}

    async def note(self, letter: str, handling: Handling) -> None:
        """The newest one counts."""
        self._done[letter] = handling

    async def all(self) -> Mapping[str, Handling]:
        """A copy of them."""
        return dict(self._done)
