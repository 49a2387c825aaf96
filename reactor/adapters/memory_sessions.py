"""Sessions of people who logged in, in memory; fits the port `Sessions`."""

from reactor.ports import Clock
from reactor.session import Session


class MemorySessions:
    """Sessions by their keys."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._kept: dict[str, Session] = {}

    async def begin(self, key: str, session: Session) -> None:
        """Keep it until its time is over."""
        now = self._clock.now()
        self._kept = {name: each for name, each in self._kept.items() if each.until > now}
        self._kept[key] = session

    async def find(self, key: str) -> Session | None:
        """None where there is none (any more)."""
        session = self._kept.get(key)
        return session if session and session.until > self._clock.now() else None

    async def end(self, key: str) -> None:
        """It counts no more."""
        self._kept.pop(key, None)
