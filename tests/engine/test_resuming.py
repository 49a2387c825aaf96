"""Whatever happens, a process that goes on ends as if nothing had happened.

Random components, and a crash at every commit they make: just before it is kept, or just after,
when the answer is lost.
"""

import asyncio
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from reactor import (
    ActionContext,
    Effect,
    InfrastructureError,
    Package,
    PassingError,
    Platform,
    ProcessOptions,
    ReplanRequested,
    RetryPolicy,
    Runner,
    Start,
    TerminateAction,
    TerminateProcess,
    action,
    component,
)
from reactor.adapters.clock import ManualClock
from reactor.adapters.memory import MemoryBoards
from reactor.codec import Codec
from reactor.journal import JournalRecord
from reactor.ports import Commit, Lease, Stored
from reactor.runner import CommitPolicy, commit_every_tick, commit_when_it_matters


@dataclass(frozen=True)
class Fact:
    by: str


@dataclass(frozen=True)
class Red(Fact): ...


@dataclass(frozen=True)
class Green(Fact): ...


@dataclass(frozen=True)
class Blue(Fact): ...


class Paint(Effect):
    colour: str


COLOURS = (Red, Green, Blue)
WAYS = ("fact", "nothing", "effect", "write", "clear", "passing", "unclear", "permanent", "replan",
        "end_action", "end_process")  # fmt: skip


@dataclass(frozen=True)
class Recipe:
    """One action of a random component."""

    way: str
    takes: int | None  # index of a colour
    gives: int
    value: float
    idempotent: bool
    trigger: bool


RECIPES = st.lists(
    st.builds(
        Recipe,
        way=st.sampled_from(WAYS),
        takes=st.sampled_from([None, 0, 1, 2]),
        gives=st.sampled_from([0, 1, 2]),
        value=st.sampled_from([0.1, 0.5, 0.9]),
        idempotent=st.booleans(),
        trigger=st.booleans(),
    ),
    min_size=1,
    max_size=5,
)


class Crash(Exception):
    """The worker died."""


class FragileBoards(MemoryBoards):
    """Memory in which one commit meets a crash."""

    def __init__(self, platform: Platform, clock: ManualClock) -> None:
        super().__init__(Codec(platform.catalog), clock)
        self.made = 0
        self.crash_at, self.crash_after_writing = 0, False

    async def commit(self, lease: Lease, commit: Commit) -> None:
        self.made += 1
        crashes = self.made == self.crash_at
        if not crashes or self.crash_after_writing:
            await super().commit(lease, commit)
        if crashes:
            raise Crash


ERRORS: dict[str, type[Exception]] = {
    "passing": PassingError,
    "unclear": RuntimeError,
    "permanent": ValueError,
    "replan": ReplanRequested,
    "end_action": TerminateAction,
    "end_process": TerminateProcess,
}


def play(recipe: Recipe, context: ActionContext) -> Fact | Effect | None:
    """What the action of a recipe does."""
    name, colour = context.action, COLOURS[recipe.gives]
    if recipe.way in ("write", "unclear", "replan"):
        context.add(colour(by=name))
        context.set_condition(name)
    if recipe.way in ERRORS:
        raise ERRORS[recipe.way]
    if recipe.way == "effect":
        return Paint(colour=colour.__name__)
    return colour(by=name) if recipe.way in ("fact", "clear") else None


def method_of(recipe: Recipe, number: int, calls: Counter[str]) -> Callable[..., Any]:
    async def alone(self: object, context: ActionContext) -> Any:
        calls[context.action] += 1
        return play(recipe, context)

    async def with_one(self: object, context: ActionContext, taken: Any) -> Any:
        return await alone(self, context)

    taken = None if recipe.takes is None else COLOURS[recipe.takes]
    method: Callable[..., Any] = with_one if taken else alone
    method.__name__ = f"act_{number}"
    method.__annotations__ = {"context": ActionContext, **({"taken": taken} if taken else {})}
    gives = Paint if recipe.way == "effect" else COLOURS[recipe.gives]
    method.__annotations__["return"] = gives | None
    triggered = recipe.trigger and taken is not None
    return action(
        value=recipe.value,
        idempotent=recipe.idempotent,
        clear_blackboard=recipe.way == "clear",
        trigger=taken if triggered else None,
        can_rerun=triggered,
        retry=RetryPolicy(attempts=2, first_delay_s=0.0),
    )(method)


def platform_of(recipes: list[Recipe], calls: Counter[str]) -> Platform:
    methods = {f"act_{n}": method_of(recipe, n, calls) for n, recipe in enumerate(recipes)}
    made = component(name="team", effects=(Paint,))(type("Team", (), methods))
    return Platform(packages=[Package(name="team", components=(made,))], types=COLOURS)


@dataclass(frozen=True)
class Ended:
    """All that is left of a process."""

    stored: Stored
    journal: tuple[JournalRecord, ...]

    @property
    def told(self) -> tuple[object, ...]:
        stored = self.stored
        return stored.head, stored.changes, stored.history, stored.effects, self.journal


START = Start(
    process_id="p-1",
    delivery="d-1",
    reaction="r",
    subject="s",
    facts=[("event", Red(by="seed")), ("it", Green(by="seed"))],
    options=ProcessOptions(max_actions=9, max_failures=2),
)


async def run_to_end(platform: Platform, boards: FragileBoards, policy: CommitPolicy) -> Ended:
    clock = ManualClock()
    for worker in range(3):
        runner = Runner(
            platform=platform,
            boards=boards,
            clock=clock,
            owner=f"worker-{worker}",
            must_commit=policy,
        )
        try:
            await runner.run(START)
        except Crash:
            continue
        stored = await boards.read("p-1")
        assert stored is not None
        return Ended(stored, tuple(await boards.journal("p-1")))
    raise AssertionError("it crashed more than once")


@pytest.mark.parametrize("policy", [commit_every_tick, commit_when_it_matters])
@given(recipes=RECIPES)
@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.too_slow])
def test_a_crash_at_any_commit_changes_nothing(recipes: list[Recipe], policy: CommitPolicy) -> None:
    calls = Counter[str]()
    platform = platform_of(recipes, calls)

    async def check() -> None:
        whole = FragileBoards(platform, ManualClock())
        expected = await run_to_end(platform, whole, policy)
        for crash_at in range(1, whole.made + 1):
            for after_writing in (False, True):
                boards = FragileBoards(platform, ManualClock())
                boards.crash_at, boards.crash_after_writing = crash_at, after_writing

                found = await run_to_end(platform, boards, policy)

                assert found.told == expected.told

    asyncio.run(check())


@given(recipes=RECIPES)
@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.too_slow])
def test_what_is_committed_is_never_run_again(recipes: list[Recipe]) -> None:
    calls = Counter[str]()
    platform = platform_of(recipes, calls)

    async def check() -> None:
        whole = FragileBoards(platform, ManualClock())
        await run_to_end(platform, whole, commit_every_tick)
        once = +calls
        for crash_at in range(1, whole.made + 1):
            calls.clear()
            boards = FragileBoards(platform, ManualClock())
            boards.crash_at, boards.crash_after_writing = crash_at, True

            await run_to_end(platform, boards, commit_every_tick)

            assert calls == once

    asyncio.run(check())


async def test_seeds_are_not_planted_twice_when_the_first_answer_is_lost() -> None:
    recipes = [Recipe("fact", None, 2, 0.5, idempotent=True, trigger=False)]
    platform = platform_of(recipes, Counter())
    boards = FragileBoards(platform, ManualClock())
    boards.crash_at, boards.crash_after_writing = 1, True

    ended = await run_to_end(platform, boards, commit_every_tick)

    producers = [change.entry.producer for change in ended.stored.changes]  # type: ignore[union-attr]
    assert producers == ["seed", "seed", "team.act_0"]


async def test_infrastructure_trouble_in_an_action_loses_nothing() -> None:
    class Away(InfrastructureError):
        pass

    tries: list[int] = []

    @component
    class Team:
        @action(value=0.9)
        async def first(self) -> Red:
            tries.append(1)
            return Red(by="first")

        @action(value=0.1)
        async def second(self, red: Red) -> Green:
            if len(tries) == 1:
                raise Away("redis", "a moment")
            return Green(by="second")

    platform = Platform(packages=[Package(name="team", components=(Team,))])
    boards = FragileBoards(platform, ManualClock())
    start = Start(process_id="p-1", delivery="d-1", reaction="r", subject="s", facts=())
    runner = Runner(platform=platform, boards=boards, clock=ManualClock(), owner="w")

    with pytest.raises(Away):
        await runner.run(start)
    await runner.run(start)

    stored = await boards.read("p-1")
    assert stored is not None
    assert [run.action for run in stored.history] == ["team.first", "team.second"]
