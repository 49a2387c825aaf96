"""Why nothing came of deliveries, in memory; fits the port `Outcomes`."""


class MemoryOutcomes:
    """For ever, as memory is."""

    def __init__(self) -> None:
        self._ignored: dict[str, str] = {}

    async def ignore(self, delivery: str, why: str) -> None:
        """The newest word counts."""
        self._ignored[delivery] = why

    async def ignored(self, delivery: str) -> str:
        """The word."""
        return self._ignored.get(delivery, "")
