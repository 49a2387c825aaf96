"""Which forms wait for an answer, in memory; fits the port `OpenForms`."""

from datetime import datetime


class MemoryForms:
    """Ids by the moment they were asked."""

    def __init__(self) -> None:
        self._asked: dict[str, datetime] = {}

    async def add(self, form_id: str, *, asked_at: datetime) -> None:
        """Somebody may answer it."""
        self._asked[form_id] = asked_at

    async def remove(self, form_id: str) -> None:
        """Nobody need."""
        self._asked.pop(form_id, None)

    async def newest(self, *, limit: int) -> list[str]:
        """The last ones first; of one moment, by their ids."""
        by_age = sorted(self._asked.items(), key=lambda asked: (asked[1], asked[0]), reverse=True)
        return [form_id for form_id, _ in by_age[:limit]]
