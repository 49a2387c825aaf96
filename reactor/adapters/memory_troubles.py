"""Troubles in memory; fits the port `Troubles`."""

from collections.abc import Sequence
from datetime import timedelta

from reactor.ports import Clock
from reactor.troubles import Trouble, merged


class MemoryTroubles:
    """What is known, and when it is forgotten."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._known: dict[str, Trouble] = {}
        self._until = clock.now()

    async def note(self, troubles: Sequence[Trouble], *, keep: timedelta) -> None:
        """Add them."""
        if troubles:
            self._known = merged([*await self.known(), *troubles])
            self._until = self._clock.now() + keep

    async def known(self) -> list[Trouble]:
        """The newest first."""
        if self._clock.now() >= self._until:
            self._known = {}
        return sorted(self._known.values(), key=lambda each: (each.last_at, each.key), reverse=True)
