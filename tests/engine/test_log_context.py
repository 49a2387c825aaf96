"""Whatever an action writes into the log says which process, component and action it was."""

import asyncio
import logging
from collections.abc import Callable, Mapping
from dataclasses import dataclass

import pytest

from reactor import Platform, Runner, Start, action, component
from reactor.adapters.clock import ManualClock
from reactor.adapters.memory import MemoryBoards
from reactor.codec import Codec
from reactor.log_context import bound, current

PlatformOf = Callable[..., Platform]

LOG = logging.getLogger("team")


@dataclass(frozen=True)
class Fact:
    text: str


@component
class Team:
    @action(value=0.9)
    async def find(self) -> None:
        LOG.warning("async")
        await asyncio.create_task(self._later())

    async def _later(self) -> None:
        LOG.warning("task")

    @action(value=0.5)
    def look(self) -> None:
        LOG.warning("thread")


class Written(logging.Handler):
    """What was bound where each line was written."""

    def __init__(self) -> None:
        super().__init__()
        self.lines: dict[str, Mapping[str, str]] = {}

    def emit(self, record: logging.LogRecord) -> None:
        self.lines[record.getMessage()] = current()


@pytest.fixture
def written() -> Written:
    return Written()


async def test_lines_of_actions_in_tasks_and_threads_name_process_component_and_action(
    platform_of: PlatformOf, clock: ManualClock, written: Written
) -> None:
    LOG.addHandler(written)
    platform = platform_of(Team)
    boards = MemoryBoards(Codec(platform.catalog), clock)

    runner = Runner(platform=platform, boards=boards, clock=clock, owner="w")
    start = Start(process_id="p1", delivery="d-7", reaction="r", subject="s", facts=())
    with runner, bound(delivery_id="d-7"):
        ran = await runner.run(start)
    LOG.removeHandler(written)

    names = {"delivery_id": "d-7", "process_id": ran.head.id, "component": "team"}
    assert written.lines == {
        "async": {**names, "action": "team.find"},
        "task": {**names, "action": "team.find"},
        "thread": {**names, "action": "team.look"},
    }
    assert current() == {}
