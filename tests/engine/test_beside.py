"""Read-only actions of one tick that do not touch each other run beside each other, if wanted."""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass, field

import pytest

from reactor import (
    ActionContext,
    Blackboard,
    Goal,
    InfrastructureError,
    Platform,
    Process,
    ProcessOptions,
    Scope,
    Status,
    TerminateProcess,
    UtilityInvocation,
    action,
    component,
    wait_for,
)
from reactor.adapters.clock import SystemClock
from reactor.execution import Executor
from reactor.process import Engine
from reactor.start import Start
from reactor.status import process_id
from reactor.subprocesses import Subprocess
from reactor.waiting import Confirmation

PlatformOf = Callable[..., Platform]
Ran = Callable[[Process], list[str]]

CONCURRENT = ProcessOptions(concurrent=True)


@dataclass(frozen=True)
class Article:
    text: str


@dataclass(frozen=True)
class Points:
    text: str


@dataclass(frozen=True)
class Conclusions:
    text: str


@dataclass(frozen=True)
class Summary:
    text: str


@dataclass
class Meeting:
    """Lets nobody pass until so many have come; so it tells that they run together."""

    size: int
    come: int = 0
    full: asyncio.Event = field(default_factory=asyncio.Event)
    two_are_there: asyncio.Event = field(default_factory=asyncio.Event)

    async def join(self) -> None:
        self.come += 1
        if self.come == 2:
            self.two_are_there.set()
        if self.come >= self.size:
            self.full.set()
        await self.full.wait()


@component
class Reader:
    def __init__(self, meeting: Meeting) -> None:
        self._meeting = meeting

    @action(read_only=True, value=0.2, cost=0.1)
    async def identify_points(self, article: Article) -> Points:
        await self._meeting.join()
        return Points("p")

    @action(read_only=True, value=0.9, cost=0.1)
    async def identify_conclusions(self, article: Article) -> Conclusions:
        await self._meeting.join()
        return Conclusions("c")

    @action(read_only=True, cost=0.1)
    async def summarize(self, points: Points, conclusions: Conclusions) -> Summary:
        return Summary(points.text + conclusions.text)


def invocation(platform: Platform, options: ProcessOptions = CONCURRENT) -> UtilityInvocation:
    return UtilityInvocation.on(platform).with_process_options(options)


@pytest.mark.parametrize("planner", ["utility", "hybrid", "goap"])
async def test_two_reads_of_one_article_run_together_and_land_by_name(
    platform_of: PlatformOf, ran: Ran, planner: str
) -> None:
    goal = Goal(name="summarized", inputs=(Summary,))
    platform = platform_of(Reader, services={Meeting: Meeting(2)}, goals=(goal,))

    process = await invocation(platform).with_planner(planner).run_async(Article("long"))

    assert ran(process) == ["identify_conclusions", "identify_points", "summarize"]
    assert [run.beside for run in process.history] == [0, 1, 0]
    assert [entry.seq for entry in process.board.visible] == [1, 2, 3, 4]
    assert process.board.last(Summary) == Summary("pc")
    assert [record.data["tick"] for record in process.journal if record.kind == "tick"] == [1, 2, 3]


async def test_without_the_option_one_runs_after_the_other(
    platform_of: PlatformOf, ran: Ran
) -> None:
    platform = platform_of(Reader, services={Meeting: Meeting(1)})

    process = await invocation(platform, ProcessOptions()).run_async(Article("long"))

    assert [run.beside for run in process.history] == [0, 0, 0]
    assert ran(process) == ["identify_conclusions", "identify_points", "summarize"]


async def test_actions_that_touch_each_other_do_not_run_together(
    platform_of: PlatformOf, ran: Ran
) -> None:
    @component(flags=("checked",))
    class Team:
        @action(read_only=True, value=0.9)
        async def by_model(self, article: Article) -> Summary:
            return Summary("model")

        @action(read_only=True, value=0.8)
        async def by_rules(self, article: Article) -> Summary:
            return Summary("rules")

        @action(read_only=True, value=0.7)
        async def with_all(self, article: Article, summary: Summary | None) -> Points:
            return Points("with" if summary else "without")

        @action(read_only=True, value=0.6, pre=['article.text == "long" && !has(summary.text)'])
        async def by_rule(self, article: Article) -> Conclusions:
            return Conclusions("rule")

        @action(value=0.5)
        async def writes(self, article: Article) -> None: ...

    process = await invocation(platform_of(Team)).run_async(Article("long"))

    assert ran(process)[:3] == ["by_model", "with_all", "writes"]
    assert {run.beside for run in process.history} == {0}
    assert process.board.last(Points) == Points("with")


async def test_who_looks_at_the_whole_board_runs_alone(platform_of: PlatformOf) -> None:
    @component
    class Team:
        @action(read_only=True, value=0.9)
        async def points(self, article: Article) -> Points:
            return Points("p")

        @action(read_only=True)
        async def look(self, board: Blackboard) -> Conclusions:
            return Conclusions(str(len(board.visible)))

    process = await invocation(platform_of(Team)).run_async(Article("long"))

    assert process.board.last(Conclusions) == Conclusions("2")


async def test_one_that_fails_beside_others_is_left_out_of_the_next_planning(
    platform_of: PlatformOf, ran: Ran
) -> None:
    @component
    class Team:
        @action(read_only=True, value=0.9)
        async def bad(self, article: Article) -> Points:
            raise RuntimeError("no")

        @action(read_only=True, value=0.5)
        async def good(self, article: Article) -> Conclusions:
            return Conclusions("c")

        @action(value=0.1)
        async def later(self, conclusions: Conclusions) -> Summary:
            return Summary("s")

    process = await invocation(platform_of(Team)).run_async(Article("long"))

    assert ran(process)[:3] == ["bad", "good", "later"]
    assert process.board.has(Summary)


async def test_limits_hold_beside_others_too(platform_of: PlatformOf, ran: Ran) -> None:
    platform = platform_of(Reader, services={Meeting: Meeting(1)})
    options = ProcessOptions(concurrent=True, max_actions=1)

    process = await invocation(platform, options).run_async(Article("long"))

    assert ran(process) == ["identify_conclusions"]
    assert process.status is Status.TERMINATED


async def test_what_ran_beside_an_end_is_kept(platform_of: PlatformOf, ran: Ran) -> None:
    @component
    class Team:
        @action(read_only=True, value=0.9)
        async def a_end(self, article: Article) -> Points:
            raise TerminateProcess("enough")

        @action(read_only=True)
        async def b_find(self, article: Article) -> Conclusions:
            return Conclusions("c")

    process = await invocation(platform_of(Team)).run_async(Article("long"))

    assert process.status is Status.TERMINATED
    assert ran(process) == ["a_end", "b_find"]
    assert process.board.has(Conclusions)


async def test_several_may_ask_at_once(platform_of: PlatformOf) -> None:
    @component
    class Team:
        @action(read_only=True, output="first")
        async def ask_one(self, article: Article) -> Confirmation:
            return wait_for.confirm(article, "One?")

        @action(read_only=True)
        async def ask_two(self, article: Article) -> Points:
            return wait_for.form(Points, title="Two?")

    process = await invocation(platform_of(Team)).run_async(Article("long"))

    assert process.status is Status.WAITING
    assert [form.title for form in process.head.forms] == ["One?", "Two?"]
    assert len({form.id for form in process.head.forms}) == 2


async def test_sub_processes_are_known_in_the_order_of_the_actions_that_start_them(
    platform_of: PlatformOf,
) -> None:
    other_has_begun, alone = asyncio.Event(), Scope.from_components("idle")

    @component
    class Idle:
        @action
        async def sum_up(self, points: Points, conclusions: Conclusions) -> Summary:
            return Summary(points.text + conclusions.text)

    @component
    class Team:
        @action(read_only=True)
        async def a_late_one(self, article: Article, context: ActionContext) -> Points:
            await other_has_begun.wait()
            await context.run_subprocess(Subprocess(name="late", scope=alone))
            return Points("p")

        @action(read_only=True)
        async def be_early(self, article: Article, context: ActionContext) -> Conclusions:
            await context.run_subprocess(Subprocess(name="early", scope=alone))
            other_has_begun.set()
            return Conclusions("c")

    process = await invocation(platform_of(Team, Idle)).run_async(Article("long"))

    late = process_id(delivery=process.id, reaction="team.a_late_one 1 late")
    early = process_id(delivery=process.id, reaction="team.be_early 1 early")
    assert process.head.children == (late, early)


async def test_a_kill_ends_all_that_run(platform_of: PlatformOf) -> None:
    meeting = Meeting(3)
    platform = platform_of(Reader, services={Meeting: meeting})
    start = Start(
        process_id="p",
        delivery="d",
        reaction="r",
        subject="s",
        facts=[("it", Article("long"))],
        options=CONCURRENT,
    )
    with Executor() as executor:
        process = Process(Engine(platform, SystemClock(), executor), start)
        async with asyncio.TaskGroup() as group:
            group.create_task(process.run())
            await meeting.two_are_there.wait()
            process.kill()

    assert process.status is Status.KILLED
    assert process.history == ()


async def test_trouble_with_a_server_beside_others_changes_nothing(
    platform_of: PlatformOf,
) -> None:
    @component
    class Team:
        @action(read_only=True)
        async def away(self, article: Article) -> Points:
            raise InfrastructureError("redis", "a moment")

        @action(read_only=True)
        async def find(self, article: Article) -> Conclusions:
            return Conclusions("c")

    with pytest.raises(InfrastructureError):
        await invocation(platform_of(Team)).run_async(Article("long"))
