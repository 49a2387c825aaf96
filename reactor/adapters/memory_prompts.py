"""What prompts have listed, in memory; fits the port `Prompts`."""

from collections import defaultdict

from reactor.prompt import MOST_KEPT, Prompt


class MemoryPrompts:
    """Keeps the last ones of each subject."""

    def __init__(self) -> None:
        self._kept: defaultdict[str, list[Prompt]] = defaultdict(list)

    async def add(self, subject: str, prompt: Prompt) -> None:
        """In front of the others."""
        kept = self._kept[subject]
        if not kept or kept[0] != prompt:
            self._kept[subject] = [prompt, *kept][:MOST_KEPT]

    async def of(self, subject: str) -> list[Prompt]:
        """Newest first."""
        return list(self._kept[subject])
