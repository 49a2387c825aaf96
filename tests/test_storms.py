"""The gate against storms, with a worker over memory: who is let in, who is not, and never a person."""

from dataclasses import dataclass, field, replace
from datetime import timedelta
from typing import Any

import pytest

from reactor import action, component
from reactor.adapters.clock import ManualClock
from reactor.adapters.memory import MemoryBoards, MemoryJournalLog
from reactor.adapters.memory_outcomes import MemoryOutcomes
from reactor.adapters.memory_storms import MemoryBotEvents
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
from reactor.storms import StormGate
from reactor.testing import account, comment, delivery, issue
from reactor.worker import Listener, Settled, Worker

WINDOW = timedelta(minutes=10)
LIMIT = 3  # events by bots, of one subject, within the window
DEEPEST = 2
US = account("reactor[bot]", type="Bot")
OTHER_BOT = account("dependabot[bot]", type="Bot")


@component(effects=(AddLabels,))
class LabellerComponent:
    """Labels every issue, for ever: what a storm needs."""

    @action(value=0.5)
    async def label(self, issue: Issue) -> AddLabels:
        """Say that it was seen."""
        return AddLabels(labels=("seen",))


class Sent:
    """What the ledger says of the effects that were sent, as far as the gate asks."""

    def __init__(self) -> None:
        self.newest: dict[str, tuple[str, int]] = {}

    async def newest_sent(self, subject: str) -> tuple[str, int] | None:
        return self.newest.get(subject)


@dataclass
class World:
    """A worker with a gate; it settles as a worker process does, and keeps the outcome."""

    clock: ManualClock = field(default_factory=ManualClock)
    outcomes: MemoryOutcomes = field(default_factory=MemoryOutcomes)
    sent: Sent = field(default_factory=Sent)
    own_events: bool = True

    def __post_init__(self) -> None:
        self.platform = Platform(
            packages=[Package(name="p", components=(LabellerComponent,))], types=FACT_TYPES
        )
        self.boards = MemoryBoards(Codec(self.platform.catalog), self.clock)
        reaction = Reaction(name="everything", on=("*",), own_events=self.own_events)
        self.worker = Worker(
            listeners=[Listener(reaction=reaction, scope=Scope.platform(), when=None)],
            reader=GitHubReader(OwnIdentity(login="reactor[bot]")),
            runner=Runner(platform=self.platform, boards=self.boards, clock=self.clock, owner="w"),
            boards=self.boards,
            journal=MemoryJournalLog(),
            gate=StormGate(
                max_causation=DEEPEST,
                bot_events=MemoryBotEvents(self.clock, limit=LIMIT, window=WINDOW),
                outcomes=self.outcomes,
                boards=self.boards,
                sent=self.sent,
            ),
        )

    async def settle(self, came: Delivery) -> Settled:
        settled = await self.worker.settle(came)
        if settled.ignored:
            await self.outcomes.ignore(came.key, settled.ignored)
        return settled

    async def settle_own(self, id: str, **fields: Any) -> Settled:
        """An event of ours, after an effect of the one before was sent to the same issue."""
        settled = await self.settle(commented(id, US, **fields))
        for head in settled.heads:
            self.sent.newest[head.subject] = (head.delivery, len(head.causation))
        return settled


def commented(id: str, sender: dict[str, Any], *, number: int = 17) -> Delivery:
    return delivery(
        "issue_comment.created",
        id=id,
        issue=issue("It crashes", number=number),
        comment=comment(user=sender),
        sender=sender,
    )


@pytest.fixture
def world() -> World:
    return World()


async def test_of_one_subject_only_so_many_events_by_bots_start_anything(world: World) -> None:
    settled = [await world.settle(commented(f"d-{n}", OTHER_BOT)) for n in range(LIMIT + 2)]

    assert [each.ignored for each in settled] == [""] * LIMIT + ["storm"] * 2
    assert [len(each.heads) for each in settled] == [1] * LIMIT + [0] * 2


async def test_a_person_is_heard_in_the_middle_of_a_storm_and_takes_no_room(world: World) -> None:
    people = [await world.settle(commented(f"p-{n}", account())) for n in range(LIMIT * 2)]
    bots = [await world.settle(commented(f"d-{n}", OTHER_BOT)) for n in range(LIMIT + 1)]

    person = await world.settle(commented("person", account()))

    assert {each.ignored for each in people} == {""}
    assert [each.ignored for each in bots] == [""] * LIMIT + ["storm"]
    assert (person.ignored, len(person.heads)) == ("", 1)


async def test_a_name_that_ends_like_a_bots_makes_nobody_a_bot(world: World) -> None:
    person = account("sneaky[bot]")  # of type User

    settled = [await world.settle(commented(f"d-{n}", person)) for n in range(LIMIT + 2)]

    assert {each.ignored for each in settled} == {""}


async def test_a_storm_on_one_subject_leaves_the_others_alone(world: World) -> None:
    for n in range(LIMIT + 1):
        await world.settle(commented(f"d-{n}", OTHER_BOT))

    other = await world.settle(commented("other", OTHER_BOT, number=18))

    assert other.ignored == ""


async def test_the_storm_is_over_when_the_window_has_passed(world: World) -> None:
    for n in range(LIMIT + 1):
        await world.settle(commented(f"d-{n}", OTHER_BOT))

    world.clock.move(WINDOW)

    assert (await world.settle(commented("later", OTHER_BOT))).ignored == ""


async def test_what_is_read_again_gets_the_answer_that_it_got(world: World) -> None:
    for n in range(LIMIT + 1):
        await world.settle(commented(f"d-{n}", OTHER_BOT))

    again = [await world.settle(commented(f"d-{n}", OTHER_BOT)) for n in range(LIMIT + 1)]
    world.clock.move(WINDOW)  # now there would be room
    late = await world.settle(commented(f"d-{LIMIT}", OTHER_BOT))

    assert [each.ignored for each in again] == [""] * LIMIT + ["storm"]
    assert late.ignored == "storm"


async def test_what_was_begun_is_ended_also_when_a_storm_came_meanwhile(world: World) -> None:
    begun = await world.settle(commented("begun", OTHER_BOT))
    world.clock.move(WINDOW)
    for n in range(LIMIT + 1):
        await world.settle(commented(f"d-{n}", OTHER_BOT))

    again = await world.settle(commented("begun", OTHER_BOT))

    assert [head.id for head in again.heads] == [head.id for head in begun.heads]


async def test_own_events_start_nothing_unless_a_reaction_asks_for_them() -> None:
    world = World(own_events=False)

    settled = await world.settle(commented("d-1", US))

    assert (settled.ignored, settled.heads) == ("own_event", ())


async def test_a_chain_of_our_own_making_ends_at_its_depth(world: World) -> None:
    first = await world.settle(commented("person", account()))
    world.sent.newest[first.heads[0].subject] = ("github.com/person", 0)

    chain = [await world.settle_own(f"own-{n}") for n in range(4)]

    assert [each.ignored for each in chain] == ["", "", "too_deep", "too_deep"]
    assert [head.causation for each in chain for head in each.heads] == [
        ("person",),
        ("person", "own-0"),
    ]


async def test_our_own_event_on_a_subject_where_we_sent_nothing_begins_a_chain(
    world: World,
) -> None:
    settled = await world.settle_own("own")

    (head,) = settled.heads
    assert (settled.ignored, head.causation) == ("", ())


async def test_the_depth_counts_when_the_processes_that_led_to_it_are_gone(world: World) -> None:
    subject = commented("x", US).subject.key
    world.sent.newest[subject] = ("github.com/long-gone", DEEPEST)

    assert (await world.settle_own("own")).ignored == "too_deep"


async def test_a_chain_that_a_delivery_brings_along_counts_whoever_sent_it(world: World) -> None:
    came = commented("d-1", account())

    deep = await world.settle(replace(came, causation=("a", "b", "c")))
    shallow = await world.settle(replace(commented("d-2", account()), causation=("a", "b")))

    assert deep.ignored == "too_deep"
    assert [head.causation for head in shallow.heads] == [("a", "b")]


async def test_what_is_too_deep_stays_so_when_it_is_read_again(world: World) -> None:
    subject = commented("x", US).subject.key
    world.sent.newest[subject] = ("github.com/cause", DEEPEST)
    await world.settle_own("own")

    world.sent.newest[subject] = ("github.com/another", 0)

    assert (await world.settle(commented("own", US))).ignored == "too_deep"


async def test_nobody_is_let_in_unseen_while_the_counter_is_away(world: World) -> None:
    class Away:
        async def count(self, subject: str, delivery: str) -> bool:
            raise InfrastructureError("redis", "away")

    gate = world.worker.gate
    assert isinstance(gate, StormGate)
    world.worker.gate = StormGate(
        max_causation=DEEPEST, bot_events=Away(), outcomes=world.outcomes, boards=world.boards
    )

    with pytest.raises(InfrastructureError):
        await world.worker.settle(commented("d-1", OTHER_BOT))
    world.worker.gate = gate

    assert (await world.settle(commented("d-1", OTHER_BOT))).ignored == ""
