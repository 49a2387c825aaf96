"""Whatever happens, a process that goes on ends as if nothing had happened.

Random components whose actions return, return nothing, raise, ask people, take too long, run
beside each other, and start processes of their own; and a crash at every step: within an action,
when it has ended, before a commit is kept, and after it, when its answer is lost.
"""

import asyncio
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from datetime import timedelta
from typing import Any

import pytest
from hypothesis import HealthCheck, Phase, example, given, settings
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
    Scope,
    Start,
    Status,
    TerminateAction,
    TerminateProcess,
    action,
    component,
    wait_for,
)
from reactor.adapters.clock import ManualClock
from reactor.adapters.memory import MemoryBoards
from reactor.codec import Codec
from reactor.journal import JournalRecord
from reactor.ports import Commit, Lease, Stored
from reactor.runner import CommitPolicy, commit_every_tick, commit_when_it_matters
from reactor.subprocesses import Subprocess
from reactor.waiting import Answer, Confirmation, FormRequest, Wish, expiry
from reactor.weighing import in_full


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
SIMPLE = ("fact", "nothing", "effect", "write", "clear", "passing", "unclear", "permanent",
          "replan", "end_action", "end_process", "timeout")  # fmt: skip
ASKING = ("form", "expire", "expire_to_nothing", "form_and_clear", "confirm")
CLEARING = ("clear", "form_and_clear")


@dataclass(frozen=True, kw_only=True)
class Recipe:
    """One action of a random component."""

    way: str
    takes: int | None = None  # index of a colour
    gives: int = 2
    value: float = 0.5
    idempotent: bool = True
    trigger: bool = False
    read_only: bool = False


def recipes_of(*ways: str) -> st.SearchStrategy[list[Recipe]]:
    recipe = st.builds(
        Recipe,
        way=st.sampled_from(ways),
        takes=st.sampled_from([None, 0, 1, 2]),
        gives=st.sampled_from([0, 1, 2]),
        value=st.sampled_from([0.1, 0.5, 0.9]),
        idempotent=st.booleans(),
        trigger=st.booleans(),
        read_only=st.booleans(),
    )
    return st.lists(recipe, min_size=1, max_size=4)


@dataclass
class Fate:
    """Counts the steps that are made, and lets the worker die at one of them."""

    crash_at: int = 0
    steps: int = 0
    calls: Counter[str] = field(default_factory=Counter)
    worker: asyncio.Task[object] | None = None

    async def step(self) -> None:
        self.steps += 1
        if self.steps == self.crash_at and self.worker is not None:
            self.worker.cancel()
            await asyncio.sleep(0)  # here the end of the worker reaches us


class FragileBoards(MemoryBoards):
    """Memory in which a commit may meet a crash, before or after it is kept."""

    def __init__(self, platform: Platform, fate: Fate) -> None:
        super().__init__(Codec(platform.catalog), ManualClock())
        self._fate = fate

    async def commit(self, lease: Lease, commit: Commit) -> Wish | None:
        await self._fate.step()
        wish = await super().commit(lease, commit)
        await self._fate.step()
        return wish


ERRORS: dict[str, type[Exception]] = {
    "passing": PassingError,
    "unclear": RuntimeError,
    "permanent": ValueError,
    "replan": ReplanRequested,
    "end_action": TerminateAction,
    "end_process": TerminateProcess,
}


async def play(recipe: Recipe, context: ActionContext) -> Fact | Effect | Confirmation | None:
    """What the action of a recipe does."""
    name, colour = context.action, COLOURS[recipe.gives]
    context.add_usage("calls", 1)
    if recipe.way in ("write", "unclear", "replan", "form"):
        context.add(colour(by=name))
        context.set_condition(name)
    if recipe.way in ERRORS:
        raise ERRORS[recipe.way]
    if recipe.way in ASKING:
        return ask(recipe, name)
    if recipe.way == "timeout":
        await asyncio.Event().wait()
    if recipe.way == "child":
        wanted = Subprocess(name="child", facts=(colour(by=name),), scope=CHILD)
        ended = await context.run_subprocess(wanted)
        return colour(by=f"{ended.status} with {len(ended.board.visible)}")
    if recipe.way == "effect":
        return Paint(colour=colour.__name__)
    return colour(by=name) if recipe.way in ("fact", "clear") else None


def ask(recipe: Recipe, name: str) -> Fact | Confirmation:
    if recipe.way == "confirm":
        return wait_for.confirm(Red(by=name), "Shall we?")
    colour = COLOURS[recipe.gives]
    expires = timedelta(hours=1) if recipe.way.startswith("expire") else None
    default = colour(by="default") if recipe.way == "expire" else None
    return wait_for.form(colour, title=f"What about {name}?", expires=expires, default=default)


def method_of(recipe: Recipe, number: int, fate: Fate) -> Callable[..., Any]:
    async def alone(self: object, context: ActionContext) -> Any:
        fate.calls[context.action] += 1
        await fate.step()
        try:
            return await play(recipe, context)
        finally:
            await fate.step()

    async def with_one(self: object, context: ActionContext, taken: Any) -> Any:
        return await alone(self, context)

    taken = None if recipe.takes is None else COLOURS[recipe.takes]
    method: Callable[..., Any] = with_one if taken else alone
    method.__name__ = f"act_{number}"
    method.__annotations__ = {"context": ActionContext, **({"taken": taken} if taken else {})}
    gives: dict[str, type] = {"effect": Paint, "confirm": Confirmation}
    method.__annotations__["return"] = gives.get(recipe.way, COLOURS[recipe.gives]) | None
    triggered = recipe.trigger and taken is not None
    return action(
        value=recipe.value,
        idempotent=recipe.idempotent,
        read_only=recipe.read_only,
        clear_blackboard=recipe.way in CLEARING,
        trigger=taken if triggered else None,
        can_rerun=triggered,
        retry=RetryPolicy(attempts=2, first_delay_s=0.0),
        timeout_s=0.001 if recipe.way == "timeout" else 60.0,
    )(method)


def team_of(name: str, recipes: list[Recipe], fate: Fate) -> type:
    methods = {f"act_{n}": method_of(recipe, n, fate) for n, recipe in enumerate(recipes)}
    return component(name=name, effects=(Paint,))(type(name, (), methods))


TEAM, CHILD = Scope.from_components("team"), Scope.from_components("child")
CHILDREN = [
    Recipe(way="fact", takes=0, gives=1, value=0.9),
    Recipe(way="effect", takes=1, value=0.5, idempotent=False),
    Recipe(way="passing", value=0.1),
]


def platform_of(recipes: list[Recipe], fate: Fate) -> Platform:
    teams = (team_of("team", recipes, fate), team_of("child", CHILDREN, fate))
    return Platform(packages=[Package(name="team", components=teams)], types=COLOURS)


@dataclass(frozen=True)
class Ended:
    """All that is left of a process, and of those that it started."""

    stored: Stored
    journal: tuple[JournalRecord, ...]
    children: tuple["Ended", ...]

    @property
    def told(self) -> tuple[object, ...]:
        stored, children = self.stored, tuple(child.told for child in self.children)
        return (stored.head, stored.changes, stored.history, stored.effects, self.journal, children)


async def what_is_left(boards: MemoryBoards, process_id: str) -> Ended:
    stored = await boards.read(process_id)
    assert stored is not None
    children = [await what_is_left(boards, child) for child in stored.head.children]
    return Ended(stored, tuple(in_full(await boards.journal(process_id))), tuple(children))


START = Start(
    process_id="p-1",
    delivery="d-1",
    reaction="r",
    subject="s",
    facts=[("event", Red(by="seed")), ("it", Green(by="seed"))],
    scope=TEAM,
    options=ProcessOptions(max_actions=7, max_failures=2),
)
BESIDE = replace(START, options=replace(START.options, concurrent=True))


class Helper:
    """Adds a fact whenever the process is about to be stuck."""

    async def rescue(self, context: ActionContext) -> bool:
        context.add(Blue(by=f"help after {len(context.board.visible)}"))
        return True


HELPED = replace(START, options=replace(START.options, on_stuck=Helper(), max_rescues=2))


def answer_to(form: FormRequest, clock: ManualClock) -> Answer:
    """What people say; nobody says anything to a form that expires."""
    if form.expires_at is not None:
        clock.move(max(form.expires_at - clock.now(), timedelta()))
        return expiry(form)
    if form.kind == "confirm":
        return Answer(id=f"a-{form.id}", form_id=form.id, by="ann", approved=True)
    return Answer(id=f"a-{form.id}", form_id=form.id, by="ann", value={"by": "ann"})


@dataclass(frozen=True)
class Case:
    """A random component under one way to run it."""

    recipes: list[Recipe]
    policy: CommitPolicy
    start: Start = START

    async def run(self, fate: Fate) -> Ended:
        """Run it to its end, answering all that is asked, on a new worker after each crash."""
        platform, clock = platform_of(self.recipes, fate), ManualClock()
        boards = FragileBoards(platform, fate)
        start, crashes = self.start, 0
        while True:
            runner = Runner(
                platform=platform,
                boards=boards,
                clock=clock,
                owner=f"worker-{crashes}",
                must_commit=self.policy,
            )
            fate.worker = asyncio.ensure_future(runner.run(start))
            try:
                head = (await fate.worker).head
            except asyncio.CancelledError:
                crashes += 1
                assert crashes == 1
                continue
            if head.status is not Status.WAITING:
                return await what_is_left(boards, head.id)
            start = replace(self.start, answer=answer_to(head.forms[0], clock))


TWO_PARENTS_AT_ONCE = [  # after the crash of one, only the other's sub-process is known
    Recipe(way="child", takes=1, gives=1, read_only=True),
    Recipe(way="child", takes=0, gives=0, read_only=True),
]

quietly = settings(
    phases=[Phase.explicit, Phase.generate],
    max_examples=6,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow],
    derandomize=False,
)


@pytest.mark.timeout(90)
@pytest.mark.parametrize("start", [START, BESIDE, HELPED], ids=["alone", "beside", "helped"])
@pytest.mark.parametrize("policy", [commit_every_tick, commit_when_it_matters])
@given(recipes=recipes_of(*SIMPLE, *ASKING, "child"))
@example(recipes=TWO_PARENTS_AT_ONCE)
@quietly
def test_a_crash_at_any_step_changes_nothing(
    recipes: list[Recipe], policy: CommitPolicy, start: Start
) -> None:
    case = Case(recipes, policy, start)

    async def check() -> None:
        whole = Fate()
        expected = await case.run(whole)
        for crash_at in range(1, whole.steps + 1):
            found = await case.run(Fate(crash_at))

            assert found.told == expected.told, f"after a crash at step {crash_at}"

    asyncio.run(check())


@pytest.mark.timeout(90)
@given(recipes=recipes_of(*SIMPLE, *ASKING))
@quietly
def test_what_is_committed_is_never_run_again(recipes: list[Recipe]) -> None:
    case = Case(recipes, commit_every_tick)

    async def check() -> None:
        whole = Fate()
        await case.run(whole)
        for crash_at in range(1, whole.steps + 1):
            fate = Fate(crash_at)
            await case.run(fate)

            # What was running or had just run when the worker died may have been called again.
            assert sum((fate.calls - whole.calls).values()) <= MOST_CALLS_OF_ONE_RUN

    asyncio.run(check())


MOST_CALLS_OF_ONE_RUN = 2  # by the retry policy


async def test_seeds_are_not_planted_twice_when_the_first_answer_is_lost() -> None:
    case = Case([Recipe(way="fact", gives=2)], commit_every_tick)
    within_the_action, before_the_commit, after_it = 2, 3, 4

    for crash_at in (within_the_action, before_the_commit, after_it):
        ended = await case.run(Fate(crash_at))

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
    boards = MemoryBoards(Codec(platform.catalog), ManualClock())
    start = Start(process_id="p-1", delivery="d-1", reaction="r", subject="s", facts=())
    runner = Runner(platform=platform, boards=boards, clock=ManualClock(), owner="w")

    with pytest.raises(Away):
        await runner.run(start)
    await runner.run(start)

    stored = await boards.read("p-1")
    assert stored is not None
    assert [run.action for run in stored.history] == ["team.first", "team.second"]
