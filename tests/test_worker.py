"""A worker over memory: which processes a delivery starts, and what a second reading does."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import timedelta

import pytest

from reactor import ActionContext, action, component
from reactor.adapters.clock import ManualClock
from reactor.adapters.memory import MemoryBoards, MemoryJournalLog
from reactor.codec import Codec
from reactor.delivery import Delivery
from reactor.errors import InfrastructureError
from reactor.expression import compile_expression
from reactor.github import AddLabels, Comment, Issue
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


# Attempts -------------------------------------------------------------------------------------


@component(effects=(AddLabels,))
class MendedComponent:
    """Fails until somebody mends it; its effect comes first."""

    def __init__(self) -> None:
        self.is_mended = False
        self.runs = 0

    @action(value=0.9)
    async def label(self, issue: Issue) -> AddLabels:
        """Say that it was seen."""
        self.runs += 1
        return AddLabels(labels=("seen",))

    @action(value=0.5)
    async def fail(self, issue: Issue) -> str:
        """Fail until it is mended."""
        if not self.is_mended:
            raise ValueError("a bug")
        return "well"


async def test_the_next_attempt_is_a_process_of_its_own_after_one_that_failed() -> None:
    component = MendedComponent()
    world = World(component, reactions=[EVERYTHING])
    (failed,) = (await world.worker.settle(opened())).failed
    component.is_mended = True

    (head,) = (await world.worker.settle(replace(opened(), attempt=2))).heads
    again = await world.worker.settle(replace(opened(), attempt=2))

    assert (failed.attempt, head.attempt) == (1, 2)
    assert head.id != failed.id
    assert head.status is Status.TERMINATED
    assert again.heads == (head,)
    assert component.runs == 2
    assert await world.boards.started_by(opened().key) == [failed.id, head.id]


async def test_the_effects_of_the_next_attempt_have_the_keys_of_the_first() -> None:
    world = World(MendedComponent(), reactions=[EVERYTHING])

    (first,) = (await world.worker.settle(opened())).heads
    (second,) = (await world.worker.settle(replace(opened(), attempt=2))).heads

    stored = [await world.boards.read(head.id) for head in (first, second)]
    keys = [[effect.key for effect in each.effects] for each in stored if each]
    assert keys[0] == keys[1] != []


async def test_the_next_attempt_leaves_alone_what_has_not_failed() -> None:
    component = MendedComponent()
    labels = Reaction(name="labels", on=("*",), max_actions=1)
    world = World(component, reactions=[EVERYTHING, labels])
    first = await world.worker.settle(opened())
    assert [head.status for head in first.heads] == [Status.FAILED, Status.TERMINATED]
    component.is_mended = True
    runs = component.runs

    second = await world.worker.settle(replace(opened(), attempt=2))

    assert second.heads[1] == first.heads[1]
    assert second.heads[0].attempt == 2
    assert component.runs == runs + 1


async def test_an_attempt_after_which_others_came_is_the_last_word_only_if_it_failed() -> None:
    component = MendedComponent()
    world = World(component, reactions=[EVERYTHING])
    await world.worker.settle(opened())
    await world.worker.settle(replace(opened(), attempt=2))
    component.is_mended = True
    (third,) = (await world.worker.settle(replace(opened(), attempt=3))).heads

    (fourth,) = (await world.worker.settle(replace(opened(), attempt=4))).heads

    assert (third.attempt, third.status) == (3, Status.TERMINATED)
    assert fourth == third


async def test_an_attempt_at_what_was_never_begun_begins_it() -> None:
    world = World(LabellerComponent(), reactions=[EVERYTHING])

    (head,) = (await world.worker.settle(replace(opened(), attempt=7))).heads

    assert (head.attempt, head.status) == (7, Status.TERMINATED)


async def test_what_claims_are_made_with_is_the_same_for_all_attempts() -> None:
    claimed: list[tuple[str, str]] = []

    @component
    class Claiming:
        @action
        async def claim(self, issue: Issue, context: ActionContext) -> str:
            """Claim something, and fail."""
            claimed.append((context.process_id, context.process.id))
            raise ValueError("a bug")

    world = World(Claiming(), reactions=[EVERYTHING])

    for attempt in (1, 2):
        await world.worker.settle(replace(opened(), attempt=attempt))

    (first, own), (second, another) = claimed
    assert first == second == own != another


OURS = account("reactor[bot]", type="Bot")


@pytest.mark.parametrize(
    ("reaction", "when", "came", "why"),
    [
        (EVERYTHING, None, opened(), ""),
        (EVERYTHING, "issue.title.contains('crashes')", opened(), ""),
        (
            EVERYTHING,
            "issue.title.contains('burns')",
            opened(),
            "its `when` did not hold: issue.title.contains('burns') is false",
        ),
        (
            EVERYTHING,
            "comment.body != ''",
            opened(),
            "its `when` did not hold: comment.body != '' is false (comment is not on the"
            " blackboard)",
        ),
        (
            Reaction(name="stars", on=("star", "push")),
            None,
            opened(),
            "it listens to star, push, and this is issues.opened",
        ),
        (
            EVERYTHING,
            None,
            opened(sender=OURS),
            "our own app did it, and it does not listen to that (`own_events`)",
        ),
        (Reaction(name="own", on=("*",), own_events=True), None, opened(sender=OURS), ""),
    ],
)
def test_a_reaction_says_why_it_does_not_want_a_delivery_if_and_only_if_it_does_not(
    reaction: Reaction, when: str | None, came: Delivery, why: str
) -> None:
    reaction = reaction.model_copy(update={"when": when})
    listener = Listener(
        reaction=reaction,
        scope=Scope.platform(),
        when=compile_expression(when, known={"issue": Issue, "comment": Comment}) if when else None,
    )
    reading = GitHubReader(OwnIdentity(login="reactor[bot]"))(came)

    assert listener.why_not(came, reading) == why
    assert listener.wants(came, reading) == (not why)
