"""Facts that outlive processes, in memory; fits the port `Contexts`."""

from collections.abc import Mapping

from reactor.encoded import Encoded


class MemoryContexts:
    """Nothing is awaited within a method, so each is one atomic step."""

    def __init__(self) -> None:
        self._facts: dict[str, dict[str, Encoded]] = {}

    async def load(self, context_id: str) -> Mapping[str, Encoded]:
        """All facts of it."""
        return dict(self._facts.get(context_id, {}))

    async def save(self, context_id: str, facts: Mapping[str, Encoded]) -> None:
        """Keep these; others stay."""
        self._facts.setdefault(context_id, {}).update(facts)
