"""Services that can't always be used, and services of which each run of an action has its own."""

from collections.abc import Callable
from dataclasses import dataclass, field

import pytest

from reactor import (
    ActionContext,
    Goal,
    Not,
    PassingError,
    Platform,
    Process,
    RetryPolicy,
    Scope,
    Subprocess,
    UtilityInvocation,
    action,
    component,
)
from reactor.installed import Action
from reactor.package import BadPlatform
from reactor.plan import Truth
from reactor.status import ProcessHead

PlatformOf = Callable[..., Platform]
Ran = Callable[[Process], list[str]]


@dataclass(frozen=True)
class Judgement:
    by: str


@dataclass
class Oracle:
    """Can be asked so many times; then it is away."""

    condition: str = "oracle"
    left: int = 1
    asked: list[str] = field(default_factory=list)

    async def why_away(self, head: ProcessHead) -> str:
        return "" if self.left else f"it has said enough to {head.subject}"

    def ask(self) -> str:
        self.left -= 1
        return "the oracle"


@component
class Judge:
    """Asks the oracle where it can, and has rules for when it can't."""

    @action(value=0.9)
    async def by_oracle(self, oracle: Oracle) -> Judgement:
        return Judgement(oracle.ask())

    @action(value=0.3, cost=0.5)
    async def by_rules(self) -> Judgement:
        return Judgement("rules")


@pytest.mark.parametrize(("left", "by"), [(1, "by_oracle"), (0, "by_rules")])
async def test_what_needs_a_service_that_is_away_is_not_planned(
    platform_of: PlatformOf, ran: Ran, left: int, by: str
) -> None:
    platform = platform_of(Judge, services={Oracle: Oracle(left=left)})

    process = await UtilityInvocation.on(platform).run_async()

    assert ran(process) == [by]


async def test_why_it_is_away_is_told_with_the_decision(platform_of: PlatformOf) -> None:
    platform = platform_of(Judge, services={Oracle: Oracle(left=0)})

    process = await UtilityInvocation.on(platform).run_async()

    assert "it has said enough to" in str(process.decisions[0])
    assert platform.actions["judge.by_oracle"].pre["oracle"] is Truth.TRUE


async def test_it_is_looked_at_before_each_planning(platform_of: PlatformOf, ran: Ran) -> None:
    @component
    class Talker:
        @action(value=0.9, can_rerun=True)
        async def ask(self, oracle: Oracle) -> None:
            oracle.ask()

    platform = platform_of(Talker, services={Oracle: Oracle(left=3)})

    process = await UtilityInvocation.on(platform).run_async()

    assert ran(process) == ["ask"] * 3


async def test_preconditions_may_speak_of_it(platform_of: PlatformOf, ran: Ran) -> None:
    @component
    class Sayer:
        @action(pre=[Not("oracle")])
        async def apologise(self) -> None: ...

        @action(pre=["oracle"])
        async def announce(self) -> None: ...

    away = await UtilityInvocation.on(
        platform_of(Sayer, services={Oracle: Oracle(left=0)})
    ).run_async()
    there = await UtilityInvocation.on(platform_of(Sayer, services={Oracle: Oracle()})).run_async()

    assert (ran(away), ran(there)) == (["apologise"], ["announce"])


async def test_a_goal_beyond_it_can_be_reached(platform_of: PlatformOf) -> None:
    goal = Goal(name="judged", inputs=(Judgement,))
    platform = platform_of(Judge, services={Oracle: Oracle()}, goals=(goal,))

    process = await UtilityInvocation.on(platform).with_planner("goap").run_async()

    assert process.head.goal == "judged"
    assert process.board.last(Judgement) == Judgement("the oracle")


def test_what_needs_it_both_ways_is_a_fault(platform_of: PlatformOf) -> None:
    @component
    class Torn:
        @action(pre=[Not("oracle")])
        async def act(self, oracle: Oracle) -> None: ...

    with pytest.raises(BadPlatform, match="needs oracle to be both true and false"):
        platform_of(Torn, services={Oracle: Oracle()})


# Of each action its own ------------------------------------------------------------------------


class Meter:
    """What each run uses of it counts for the process."""

    def for_action(self, action: Action, context: ActionContext) -> "RunningMeter":
        return RunningMeter(action, context)


class RunningMeter(Meter):
    def __init__(self, action: Action, context: ActionContext) -> None:
        self.action, self.context = action, context

    def use(self, amount: float) -> None:
        self.context.add_usage("water", amount)


async def test_each_run_has_its_own_and_counts_for_its_process(platform_of: PlatformOf) -> None:
    seen: list[str] = []

    @component
    class Drinker:
        @action
        async def sip(self, meter: Meter) -> None:
            assert isinstance(meter, RunningMeter)
            seen.append(meter.action.name)
            meter.use(1)

        @action
        async def gulp(self, meter: Meter, context: ActionContext) -> None:
            assert isinstance(meter, RunningMeter)
            assert meter.context is context
            meter.use(5)

    platform = platform_of(Drinker, services={Meter: Meter()})

    process = await UtilityInvocation.on(platform).run_async()

    assert process.head.usage == {"water": 6}
    assert seen == ["drinker.sip"]


async def test_what_failed_tries_have_used_counts_as_well(platform_of: PlatformOf) -> None:
    @component
    class Drinker:
        tries = 0

        @action(retry=RetryPolicy(attempts=3, first_delay_s=0, max_delay_s=0))
        async def gulp(self, meter: Meter) -> None:
            assert isinstance(meter, RunningMeter)
            meter.use(5)
            self.tries += 1
            if self.tries < 3:
                raise PassingError("spilled")

    platform = platform_of(Drinker, services={Meter: Meter()})

    process = await UtilityInvocation.on(platform).run_async()

    assert process.head.usage == {"water": 15}


async def test_a_sub_process_that_the_next_try_finds_again_counts_once(
    platform_of: PlatformOf,
) -> None:
    @component(name="child")
    class Child:
        @action
        async def sip(self, meter: Meter) -> None:
            assert isinstance(meter, RunningMeter)
            meter.use(1)

    @component(name="parent")
    class Parent:
        tries = 0

        @action(retry=RetryPolicy(attempts=2, first_delay_s=0, max_delay_s=0))
        async def have_it_sip(self, context: ActionContext) -> None:
            scope = Scope.from_components("child")
            await context.run_subprocess(Subprocess(name="sipping", scope=scope))
            context.add_usage("wine", 1)
            self.tries += 1
            if self.tries < 2:
                raise PassingError("spilled")

    platform = platform_of(Parent, Child, services={Meter: Meter()})
    invocation = UtilityInvocation.on(platform).with_scope(Scope.from_components("parent"))

    process = await invocation.run_async()

    assert process.head.usage == {"water": 1, "wine": 2}


def test_without_the_service_nothing_may_speak_of_it(platform_of: PlatformOf) -> None:
    @component
    class Alone:
        @action(pre=["oracle"])
        async def act(self) -> None: ...

    with pytest.raises(BadPlatform, match="needs 'oracle'"):
        platform_of(Alone)
