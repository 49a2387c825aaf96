"""One purse: a process, those that run within it and actions beside each other spend the same."""

from contextlib import suppress
from dataclasses import dataclass, field

import pytest

from reactor import (
    ActionContext,
    InfrastructureError,
    Package,
    Platform,
    Process,
    ProcessOptions,
    RetryPolicy,
    Runner,
    Scope,
    Start,
    Subprocess,
    UtilityInvocation,
    action,
    component,
)
from reactor.adapters.clock import ManualClock
from reactor.adapters.memory import MemoryBoards
from reactor.ai import Ai, Choices, Defaults, ModelUnavailable, Runtime
from reactor.ai.budget import Limits
from reactor.ai.calling import Caller
from reactor.ai.circuit import Circuits
from reactor.ai.exchange import Reply, Request, Usage
from reactor.ai.prices import Price
from reactor.codec import Codec
from reactor.ports import Clock

CALL_USD = 0.25  # what is thought of a call, and what it costs


@dataclass(frozen=True)
class Wish:
    text: str


@dataclass(frozen=True)
class Said:
    text: str


@dataclass
class Dear:
    """Fits `Models`: each answer costs the same; of those in `late` nothing comes."""

    late: frozenset[str] = frozenset()
    asked: list[str] = field(default_factory=list)

    async def complete(self, request: Request) -> Reply:
        self.asked.append(request.messages[-1].text)
        if self.asked[-1] in self.late:
            raise ModelUnavailable(request.model, "it took too long", 60, is_late=True)
        return Reply(text="Yes.", usage=Usage(completion_tokens=1))

    async def make_ready(self) -> None:
        """It is."""


@component(name="helper")
class Helper:
    """What runs within the process of somebody else."""

    @action(value=0.9)
    async def first(self, wish: Wish, ai: Ai) -> Said:
        return Said(await ai.generate_text("helper, first"))

    @action(value=0.8)
    async def second(self, said: Said, ai: Ai) -> None:
        await ai.generate_text("helper, second")

    @action(value=0.3)
    async def by_rules(self, wish: Wish) -> Said:
        return Said("by rules")


HELP = Subprocess(
    name="help", facts=(Wish("in need of help"),), scope=Scope.from_components("helper")
)


def platform_of(models: Dear, limit_usd: float, *components: type) -> Platform:
    caller = Caller(
        models=models,
        circuits=Circuits(lambda: 0.0),
        limits=Limits(per_process=limit_usd),
        price_of=lambda _: Price(answer=CALL_USD),
    )
    ai = Ai(
        Runtime(
            caller=caller, choices=Choices(models={"dear": ()}), defaults=Defaults(max_tokens=1)
        )
    )
    package = Package(name="team", components=(*components, Helper))
    return Platform(packages=[package], services={Ai: ai, Clock: ManualClock()})


async def run(platform: Platform, *, concurrent: bool = False) -> Process:
    invocation = (
        UtilityInvocation.on(platform)
        .with_scope(Scope.from_components("parent"))
        .with_process_options(ProcessOptions(concurrent=concurrent))
        .terminate_when_stuck()
    )
    return await invocation.run_async()


async def test_a_sub_process_has_no_money_of_its_own() -> None:
    @component(name="parent")
    class Parent:
        @action(value=0.9)
        async def work(self, ai: Ai, context: ActionContext) -> None:
            await ai.generate_text("parent")
            await context.run_subprocess(HELP)

    models = Dear()

    process = await run(platform_of(models, 2 * CALL_USD, Parent))

    assert models.asked == ["parent", "helper, first"]
    assert process.head.usage["cost_usd"] == pytest.approx(2 * CALL_USD)


async def test_what_a_sub_process_has_spent_its_parent_has_not() -> None:
    @component(name="parent")
    class Parent:
        @action(value=0.9)
        async def work(self, ai: Ai, context: ActionContext) -> None:
            await context.run_subprocess(HELP)
            await ai.generate_text("parent")

    models = Dear()

    process = await run(platform_of(models, 2 * CALL_USD, Parent))

    assert models.asked == ["helper, first", "helper, second"]
    assert "the budget of 0.5 USD" in process.history[0].error


async def test_rules_do_the_work_of_a_sub_process_whose_parent_has_spent_it_all() -> None:
    ran: list[str] = []

    @component(name="parent")
    class Parent:
        @action(value=0.9)
        async def work(self, ai: Ai, context: ActionContext) -> None:
            await ai.generate_text("parent")
            ended = await context.run_subprocess(HELP)
            ran.extend(said.text for said in ended.board.all(Said))

    models = Dear()

    await run(platform_of(models, CALL_USD, Parent))

    assert models.asked == ["parent"]
    assert ran == ["by rules"]


async def test_actions_beside_each_other_share_it() -> None:
    @component(name="parent")
    class Parent:
        @action(value=0.9, read_only=True)
        async def left(self, ai: Ai) -> None:
            for number in range(3):
                await ai.generate_text(f"left {number}")

        @action(value=0.8, read_only=True)
        async def right(self, ai: Ai) -> None:
            for number in range(3):
                await ai.generate_text(f"right {number}")

    models = Dear()

    process = await run(platform_of(models, 4 * CALL_USD, Parent), concurrent=True)

    assert len(models.asked) == 4
    assert {asked.split()[0] for asked in models.asked} == {"left", "right"}
    assert process.head.usage["cost_usd"] == pytest.approx(4 * CALL_USD)


async def test_sub_processes_of_tries_that_failed_have_spent_it_too() -> None:
    @component(name="parent")
    class Parent:
        @action(value=0.9, retry=RetryPolicy(attempts=3, first_delay_s=0.001))
        async def work(self, context: ActionContext) -> None:
            await context.run_subprocess(HELP)
            raise ConnectionError

    models = Dear()

    await run(platform_of(models, 3 * CALL_USD, Parent))

    assert models.asked == ["helper, first", "helper, second", "helper, first"]


async def test_a_sub_process_that_had_ended_before_a_crash_has_spent_it_too() -> None:
    @component(name="parent")
    class Parent:
        crashed = False

        @action(value=0.9, retry=RetryPolicy(attempts=1))
        async def work(self, ai: Ai, context: ActionContext) -> None:
            await context.run_subprocess(HELP)
            if not Parent.crashed:
                Parent.crashed = True
                raise InfrastructureError("redis", "a moment")
            await ai.generate_text("parent")

    models = Dear()
    platform = platform_of(models, 2 * CALL_USD, Parent)
    clock = ManualClock()
    boards = MemoryBoards(Codec(platform.catalog), clock)
    start = Start(
        process_id="p-1",
        delivery="github.com/d-1",
        reaction="r",
        subject="github.com/1#2",
        facts=(),
        scope=Scope.from_components("parent"),
    )

    for owner in ("a", "b"):
        runner = Runner(platform=platform, boards=boards, clock=clock, owner=owner)
        with runner, suppress(InfrastructureError):
            ran = await runner.run(start)

    assert models.asked == ["helper, first", "helper, second"]
    assert ran.head.usage["cost_usd"] == pytest.approx(2 * CALL_USD)


async def test_a_call_that_took_too_long_has_cost_its_process_what_was_thought() -> None:
    @component(name="parent")
    class Parent:
        @action(value=0.9)
        async def ask(self, ai: Ai) -> None:
            await ai.generate_text("slow")

        @action(value=0.8)
        async def ask_more(self, ai: Ai) -> None:
            await ai.generate_text("quick")

    models = Dear(late=frozenset({"slow"}))

    process = await run(platform_of(models, CALL_USD, Parent))

    assert models.asked == ["slow"]
    assert process.head.usage["cost_usd"] == pytest.approx(CALL_USD)
