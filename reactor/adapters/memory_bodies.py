"""Large bodies in memory, for one process and its tests."""


class MemoryBodies:
    """Keeps bodies by name, as long as it lives."""

    def __init__(self) -> None:
        self._bodies: dict[str, bytes] = {}

    async def put(self, name: str, body: bytes) -> None:
        """Keep a body."""
        self._bodies[name] = body

    async def get(self, name: str) -> bytes | None:
        """The body, or None where there is none of that name."""
        return self._bodies.get(name)
