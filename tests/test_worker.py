"""A worker over memory: which processes a delivery starts, and what a second reading does."""

from collections.abc import Mapping, Sequence
from datetime import timedelta

import pytest

from reactor import action, component
from reactor.adapters.clock import ManualClock
from reactor.adapters.memory import MemoryBoards, MemoryJournalLog
from reactor.codec import Codec
from reactor.delivery import Delivery
from reactor.errors import InfrastructureError
from reactor.github import AddLabels, Issue
from reactor.github.facts import FACT_TYPES
from reactor.github.own import OwnIdentity
from reactor.github.reading import GitHubReader
from reactor.package import Package
from reactor.platform import Platform
from reactor.reaction import Reaction
from reactor.runner import Runner
from reactor.scope import Scope
from reactor.status import Status
from reactor.testing import account, comment, delivery, issue
from reactor.worker import MARKED_TOGETHER, Listener, Worker


@component(effects=(AddLabels,))
class LabellerComponent:
    """Labels every issue once."""

    def __init__(self) -> None:
        self.runs = 0

    @action(value=0.5)
    async def label(self, issue: Issue) -> AddLabels:
        """Say that it was seen."""
        self.runs += 1
        return AddLabels(labels=("seen",))


@component
class BrokenComponent:
    """Can't do what it promises."""

    @action(value=0.5)
    async def fail(self, issue: Issue) -> str:
        """Fail for good."""
        raise ValueError("a bug")


class World:
    """A worker and what it works with."""

    def __init__(
        self,
        *components: object,
        reactions: Sequence[Reaction],
        boards: type[MemoryBoards] = MemoryBoards,
    ) -> None:
        clock = ManualClock()
        self.platform = Platform(
            packages=[Package(name="p", components=components)], types=FACT_TYPES
        )
        self.boards = boards(Codec(self.platform.catalog), clock)
        self.journal = MemoryJournalLog()
        self.worker = Worker(
            listeners=[
                Listener(reaction=reaction, scope=Scope.platform(), when=None)
                for reaction in reactions
            ],
            reader=GitHubReader(OwnIdentity(login="reactor[bot]")),
            runner=Runner(
                platform=self.platform,
                boards=self.boards,
                clock=clock,
                owner="w",
                lease=timedelta(seconds=30),
            ),
            boards=self.boards,
            journal=self.journal,
        )


EVERYTHING = Reaction(name="everything", on=("*",))


def opened(**fields: object) -> Delivery:
    return delivery("issues.opened", issue=issue("It crashes"), **fields)  # type: ignore[arg-type]


async def test_each_reaction_that_listens_gets_a_process_of_its_own() -> None:
    world = World(
        LabellerComponent(),
        reactions=[
            EVERYTHING,
            Reaction(name="issues", on=("issues",)),
            Reaction(name="pushes", on=("push",)),
        ],
    )

    settled = await world.worker.settle(opened())

    assert [head.reaction for head in settled.heads] == ["everything", "issues"]
    assert len({head.id for head in settled.heads}) == 2


async def test_a_delivery_that_is_settled_again_repeats_nothing() -> None:
    labeller = LabellerComponent()
    world = World(labeller, reactions=[EVERYTHING])
    first = await world.worker.settle(opened())
    written = list(world.journal.records)

    second = await world.worker.settle(opened())

    assert second.heads == first.heads
    assert labeller.runs == 1
    assert world.journal.records == written


async def test_what_nobody_listens_to_starts_nothing() -> None:
    world = World(LabellerComponent(), reactions=[Reaction(name="pushes", on=("push",))])

    settled = await world.worker.settle(opened())

    assert (settled.heads, settled.ignored) == ((), "no_reaction")


async def test_our_own_events_start_nothing_unless_a_reaction_asks_for_them() -> None:
    bot = account("reactor[bot]")
    ours = delivery(
        "issue_comment.created", issue=issue("It crashes"), comment=comment("hello"), sender=bot
    )
    deaf = World(LabellerComponent(), reactions=[EVERYTHING])
    asking = World(
        LabellerComponent(), reactions=[Reaction(name="mirror", on=("*",), own_events=True)]
    )

    assert (await deaf.worker.settle(ours)).ignored == "own_event"
    assert len((await asking.worker.settle(ours)).heads) == 1


async def test_a_process_that_can_only_fail_is_reported() -> None:
    world = World(BrokenComponent(), reactions=[EVERYTHING])

    settled = await world.worker.settle(opened())

    (head,) = settled.failed
    assert head.status is Status.FAILED
    assert "a bug" in head.failure


async def test_a_journal_that_is_away_leaves_the_records_for_the_next_try() -> None:
    labeller = LabellerComponent()
    world = World(labeller, reactions=[EVERYTHING])
    world.journal.is_down = True
    with pytest.raises(InfrastructureError):
        await world.worker.settle(opened())
    world.journal.is_down = False

    await world.worker.settle(opened())

    kinds = [record.kind for record in world.journal.records]
    assert kinds[0] == "seeded"
    assert kinds[-1] == "ended"
    assert labeller.runs == 1


async def test_records_are_marked_as_sent_many_processes_at_a_time_and_the_rest_at_the_end() -> (
    None
):
    world = World(LabellerComponent(), reactions=[EVERYTHING])

    for number in range(MARKED_TOGETHER - 1):
        await world.worker.settle(opened(id=f"d-{number}"))
    before = await waiting(world)
    await world.worker.settle(opened(id="the one that fills it"))
    after = await waiting(world)
    await world.worker.settle(opened(id="one more"))
    await world.worker.mark_sent()

    assert (len(before), after) == (MARKED_TOGETHER - 1, set())
    assert await waiting(world) == set()


async def test_a_store_that_is_away_when_records_are_marked_harms_no_delivery() -> None:
    class Away(MemoryBoards):
        async def mark_sent(self, up_to: Mapping[str, int]) -> None:
            raise InfrastructureError("redis", "went away")

    world = World(LabellerComponent(), reactions=[EVERYTHING], boards=Away)

    for number in range(MARKED_TOGETHER):
        settled = await world.worker.settle(opened(id=f"d-{number}"))
        assert len(settled.heads) == 1

    assert len(await waiting(world)) == MARKED_TOGETHER


async def waiting(world: World) -> set[str]:
    """The processes that have records which are not marked as sent."""
    ids = {record.process_id for record in world.journal.records}
    return {each for each in ids if await world.boards.journal(each, unsent_only=True)}
