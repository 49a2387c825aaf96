"""What a process does is progress of the record that it is run for."""

from datetime import timedelta

from reactor import action, component
from reactor.adapters.clock import ManualClock
from reactor.adapters.memory import MemoryBoards, MemoryJournalLog
from reactor.codec import Codec
from reactor.github import Issue
from reactor.github.facts import FACT_TYPES
from reactor.github.own import OwnIdentity
from reactor.github.reading import GitHubReader
from reactor.package import Package
from reactor.platform import Platform
from reactor.reaction import Reaction
from reactor.runner import Runner
from reactor.scope import Scope
from reactor.testing import delivery, issue
from reactor.wiring.progress import tell_progress
from reactor.worker import Listener, Worker
from streams import progress


@component
class ThreeSteps:
    """One thing after the other."""

    @action(value=0.9)
    async def first(self, issue: Issue) -> str:
        """Read it."""
        return issue.title

    @action(value=0.5)
    def second(self, text: str) -> int:
        """Count, in a thread."""
        return len(text)

    @action(value=0.1)
    async def third(self, number: int) -> float:
        """Halve."""
        return number / 2


async def test_each_action_that_ends_is_a_step_of_the_record_in_work() -> None:
    platform = Platform(packages=[Package(name="p", components=(ThreeSteps,))], types=FACT_TYPES)
    clock = ManualClock()
    boards = MemoryBoards(Codec(platform.catalog), clock)
    runner = Runner(
        platform=platform,
        boards=boards,
        clock=clock,
        owner="w",
        lease=timedelta(seconds=30),
        listeners=(tell_progress,),
    )
    everything = Reaction(name="everything", on=("*",))
    worker = Worker(
        listeners=[Listener(reaction=everything, scope=Scope.platform(), when=None)],
        reader=GitHubReader(OwnIdentity()),
        runner=runner,
        boards=boards,
        journal=MemoryJournalLog(),
    )
    steps: list[str] = []
    progress.listen(lambda: steps.append("got on"))

    with runner:
        settled = await worker.settle(delivery("issues.opened", issue=issue("It crashes")))

    assert len(settled.heads) == 1
    assert len(steps) == 3
