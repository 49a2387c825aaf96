"""A model that has failed too often rests, and is then tried by one call at a time."""

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass, field

import pytest

from reactor.ai.budget import Limits, Taken
from reactor.ai.calling import Attempts, Caller, Payer
from reactor.ai.circuit import Call, Circuits
from reactor.ai.errors import BudgetSpent, ModelUnavailable
from reactor.ai.exchange import Message, Reply, Request
from reactor.ai.prices import Price

REST_S = 30.0
REQUEST = Request(model="a", messages=(Message(role="user", text="Hello"),))


@dataclass
class World:
    """A clock, circuits that open with the second failure, and a model that waits at a gate."""

    now_s: float = 0.0
    asked: int = 0
    gate: asyncio.Event = field(default_factory=asyncio.Event)
    spent: str = ""  # the purse that is

    def __post_init__(self) -> None:
        self.circuits = Circuits(lambda: self.now_s, failures=2, rest_s=REST_S)

    def begin(self) -> Call:
        call = self.circuits.begin("a")
        assert call is not None
        return call

    def open(self) -> None:
        """It has failed twice, and has rested."""
        for _ in range(2):
            self.begin().failed()
        self.now_s += REST_S

    async def complete(self, request: Request) -> Reply:
        self.asked += 1
        await self.gate.wait()
        return Reply(text="Yes.")

    async def make_ready(self) -> None:
        await asyncio.sleep(0)

    async def call(self) -> str:
        caller = Caller(
            models=self,
            circuits=self.circuits,
            purses=Purse(self),
            limits=Limits(per_day=1),
            price_of=lambda _: Price(),
        )
        reply = await caller.call(REQUEST, ("a",), Attempts(1), Payer())
        return reply.text


@dataclass(frozen=True)
class Purse:
    """Fits `Purses`: each step takes a while."""

    world: World

    async def take(self, amount_usd: float, limits: Mapping[str, float]) -> Taken:
        await asyncio.sleep(0)  # a round trip, in which others get on
        return Taken("20260314", self.world.spent)

    async def correct(self, by_usd: float, purses: tuple[str, ...], *, day: str) -> None:
        """Nothing to add."""

    async def spent(self, purse: str) -> float:
        return 0.0


@pytest.fixture
def world() -> World:
    return World()


async def test_of_many_calls_at_once_one_tries_it_and_the_others_are_told_that_it_rests(
    world: World,
) -> None:
    world.open()

    async with asyncio.TaskGroup() as group:
        calls = [group.create_task(_or_error(world)) for _ in range(5)]
        await asyncio.wait(calls[1:])
        asked_meanwhile = world.asked
        world.gate.set()

    said = [call.result() for call in calls]
    assert (asked_meanwhile, world.asked) == (1, 1)
    assert said[0] == "Yes."
    assert all("rests" in each for each in said[1:])


async def test_who_may_not_pay_lets_another_one_try(world: World) -> None:
    world.open()
    world.spent = "all"

    with pytest.raises(BudgetSpent):
        await world.call()

    assert world.circuits.is_closed("a")


def test_calls_of_before_its_rest_do_not_let_a_second_one_try(world: World) -> None:
    dropped, late = world.begin(), world.begin()
    world.open()
    trial = world.begin()

    dropped.dropped()
    late.failed()

    assert not world.circuits.is_closed("a")
    trial.failed()
    assert not world.circuits.is_closed("a")
    world.now_s += REST_S
    assert world.circuits.is_closed("a")


def test_a_trial_that_is_given_up_leaves_it_to_the_next(world: World) -> None:
    world.open()

    world.begin().dropped()

    world.begin().answered()
    assert world.circuits.begin("a") is not None
    assert world.circuits.begin("a") is not None


def test_failures_of_before_its_rest_do_not_make_it_longer(world: World) -> None:
    late = world.begin()
    world.open()

    late.failed()

    assert world.circuits.is_closed("a")


async def _or_error(world: World) -> str:
    try:
        return await world.call()
    except ModelUnavailable as error:
        return str(error)
