"""Requests go when the pace says so, and what GitHub says of limits holds for everybody."""

import asyncio
from collections.abc import AsyncIterator
from datetime import timedelta

import pytest

from reactor import EffectDelayed, InfrastructureError
from reactor.adapters.clock import ManualClock
from reactor.adapters.github.answers import GitHubTrouble
from reactor.adapters.github.pacing import TurnTaker
from reactor.adapters.memory_pace import MemoryPace
from reactor.github import AddLabels, PostComment, RemoveLabels
from reactor.github.hosts import Login
from reactor.pace import Ask, Pace, Rates, Told, Turn
from tests.adapters.github.conftest import Desk
from tests.fixtures.github.fake import TOKEN, FakeGitHub
from tests.fixtures.github.faults import Fault, secondary_limit

LABEL = AddLabels(labels=("bug",))
WRITES = 9  # that go at once


class Watch:
    """Fits `PaceObserver`; keeps what it is told."""

    def __init__(self) -> None:
        self.asked: list[Ask] = []
        self.left: list[int | None] = []
        self.stops: list[float] = []

    def turned(self, ask: Ask, turn: Turn) -> None:
        self.asked.append(ask)

    def told(self, ask: Ask, told: Told) -> None:
        self.left.append(told.remaining)

    def stopped(self, ask: Ask, stop_s: float) -> None:
        self.stops.append(stop_s)


class Away:
    """A pace whose store does not answer."""

    async def turn(self, ask: Ask) -> Turn:
        raise InfrastructureError("redis", "it is away")

    async def told(self, ask: Ask, told: Told | None) -> float:
        raise InfrastructureError("redis", "it is away")


class AwayAfterwards(MemoryPace):
    """One whose store goes away while a request is under way."""

    async def told(self, ask: Ask, told: Told | None) -> float:
        raise InfrastructureError("redis", "it is away")


@pytest.fixture
def clock() -> ManualClock:
    return ManualClock()


@pytest.fixture
def watch() -> Watch:
    return Watch()


@pytest.fixture
def slept() -> list[float]:
    return []


@pytest.fixture
async def paced(
    fake_github: FakeGitHub, clock: ManualClock, watch: Watch, slept: list[float]
) -> AsyncIterator[Desk]:
    pace = TurnTaker(MemoryPace(clock, Rates()), observers=(watch,), sleep=slept.append)
    desk = Desk(fake_github, Login(token=TOKEN, account="the-bot"), pace=pace)
    desk.open()
    yield desk
    desk.executor.close()


async def unpaced_by(pace: Pace, fake: FakeGitHub) -> Desk:
    desk = Desk(fake, Login(token=TOKEN, account="the-bot"), pace=TurnTaker(pace))
    desk.open()
    return desk


async def test_a_few_go_at_once_one_waits_and_the_next_comes_again_later(
    paced: Desk, slept: list[float]
) -> None:
    for _ in range(WRITES):
        await paced.send(LABEL)
    assert slept == []

    await paced.send(LABEL)
    with pytest.raises(EffectDelayed, match="one after the other") as delayed:
        await paced.send(LABEL)

    assert slept == [1.0]
    assert delayed.value.retry_in_s == 2.0
    assert len(paced.fake.writes()) == WRITES + 1


async def test_what_a_person_asked_for_goes_before(
    paced: Desk, clock: ManualClock, slept: list[float]
) -> None:
    for _ in range(WRITES + 1):
        await paced.send(LABEL)
    clock.move(timedelta(seconds=1))

    await paced.send(LABEL, priority=1)

    assert slept == [1.0]  # of an earlier one


async def test_a_change_of_several_requests_that_has_begun_is_not_sent_back(
    paced: Desk, slept: list[float]
) -> None:
    labels = ("a", "b", "c", "d")
    await paced.send(AddLabels(labels=labels))
    for _ in range(WRITES - 2):
        await paced.send(LABEL)

    await paced.send(RemoveLabels(labels=labels))

    assert slept == [1.0, 2.0, 3.0]
    assert paced.fake.issue()["labels"] == ["bug"]


async def test_comments_are_content_and_labels_are_not(paced: Desk, watch: Watch) -> None:
    await paced.send(LABEL)
    await paced.send(PostComment(body="Thanks."))

    kinds = {ask.kind for ask in watch.asked}
    assert [ask.kind for ask in watch.asked if ask.kind != "read"] == ["write", "content"]
    assert kinds <= {"read", "write", "content"}
    assert {ask.account for ask in watch.asked} == {"token"}


async def test_a_secondary_limit_stops_others_before_they_ask(paced: Desk, watch: Watch) -> None:
    paced.fake.fail(secondary_limit(120))

    with pytest.raises(EffectDelayed):
        await paced.send(LABEL)
    asked = len(paced.fake.requests())
    with pytest.raises(EffectDelayed, match="told us to stop") as delayed:
        await paced.send(LABEL, priority=1)

    assert delayed.value.retry_in_s == 120
    assert len(paced.fake.requests()) == asked
    assert watch.stops == [120]


async def test_what_is_left_of_the_hour_is_known_from_answers(paced: Desk, watch: Watch) -> None:
    paced.fake.meter.use_up(remaining=2)

    await paced.send(LABEL)
    with pytest.raises(EffectDelayed, match="until its hour ends"):
        await paced.send(LABEL)

    assert watch.left == [1]
    assert watch.stops == []
    await paced.send(LABEL, priority=1)
    assert watch.left == [1, 0]


async def test_a_request_whose_answer_is_lost_is_under_way_no_more(
    fake_github: FakeGitHub, clock: ManualClock
) -> None:
    one_at_once = TurnTaker(MemoryPace(clock, Rates(at_once=1)))
    desk = Desk(fake_github, Login(token=TOKEN, account="the-bot"), pace=one_at_once)
    desk.open()
    fake_github.fail(Fault(kind="drop", method="POST", path="/repos/.*"))

    with pytest.raises(GitHubTrouble):
        await desk.send(LABEL)

    await desk.send(LABEL)


async def test_nothing_is_sent_while_the_store_of_the_pace_is_away(
    fake_github: FakeGitHub,
) -> None:
    desk = await unpaced_by(Away(), fake_github)

    with pytest.raises(EffectDelayed, match="Redis does not answer"):
        await desk.send(LABEL)

    assert fake_github.writes() == []


async def test_a_change_that_was_made_is_made_also_where_that_cannot_be_told(
    fake_github: FakeGitHub, clock: ManualClock
) -> None:
    desk = await unpaced_by(AwayAfterwards(clock, Rates()), fake_github)

    await desk.send(LABEL)

    assert fake_github.issue()["labels"] == ["bug"]


async def test_threads_that_ask_at_once_share_one_budget(paced: Desk, slept: list[float]) -> None:
    async with asyncio.TaskGroup() as group:
        for _ in range(WRITES + 1):
            group.create_task(paced.send(LABEL))

    assert slept == [1.0]
