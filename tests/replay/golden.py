"""Golden journals: what was decided of some deliveries, written down once and held on to.

    make golden    # writes them anew; read what changes as you would read a change of the code

Each file is an archive without its compression, so that a change of it can be read.
"""

import asyncio
from collections.abc import Mapping
from pathlib import Path

from reactor.adapters.clock import ManualClock
from reactor.archive_lines import Item, head_line, item_of, line_of
from reactor.delivery import Delivery
from reactor.settings import Settings
from tests.replay.worked import Recorded, commands, everything, issues, samples, work

FOLDER = Path(__file__).parent / "golden"
WITHOUT_MODELS = Settings()
WITH_MODELS = Settings.model_validate({"llm": {"models": {"small": {"model": "openai/none"}}}})


def golden() -> Mapping[str, tuple[Settings, list[Delivery]]]:
    """By name, what is worked on, and under which settings."""
    return {
        "demo": (WITHOUT_MODELS, samples()),
        "commands": (WITHOUT_MODELS, commands()),
        "models": (WITH_MODELS, issues(12)),
    }


def read(name: str) -> Recorded:
    """As it was written."""
    lines = (FOLDER / f"{name}.jsonl").read_bytes().splitlines()[1:]
    items = [item_of(line) for line in lines]
    deliveries = [item for item in items if isinstance(item, Delivery)]
    records = [item for item in items if item is not None and not isinstance(item, Delivery)]
    return Recorded(deliveries, records)


async def recorded(name: str) -> Recorded:
    """As it is decided now."""
    settings, deliveries = golden()[name]
    clock = ManualClock()
    async with everything(settings, deliveries, clock) as services:
        return await work(settings, deliveries, services, clock)


async def write() -> None:
    """All of them."""
    FOLDER.mkdir(exist_ok=True)
    for name in golden():
        told = await recorded(name)
        items: list[Item] = [*told.deliveries, *told.records]
        lines = [line_of(item) for item in items]
        (FOLDER / f"{name}.jsonl").write_bytes(b"".join((head_line(), *lines)))


if __name__ == "__main__":
    asyncio.run(write())
