"""How many events by bots each subject had lately, in memory; fits `reactor.storms.BotEvents`."""

from datetime import datetime, timedelta

from reactor.ports import Clock


class MemoryBotEvents:
    """Nothing is awaited within a method, so each is one atomic step."""

    def __init__(self, clock: Clock, *, limit: int, window: timedelta) -> None:
        self._clock, self._limit, self._window = clock, limit, window
        self._counted: dict[str, dict[str, datetime]] = {}  # subject -> delivery -> when

    async def count(self, subject: str, delivery: str) -> bool:
        """Count it, if there is room."""
        now = self._clock.now()
        known = self._counted.get(subject, {})
        lately = {each: at for each, at in known.items() if at > now - self._window}
        self._counted[subject] = lately
        if delivery in lately:
            return True
        if len(lately) >= self._limit:
            return False
        lately[delivery] = now
        return True
