"""A process within an action: its own board, its parent's bill, and one end with its parent."""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from datetime import timedelta

import pytest

from reactor import (
    ActionContext,
    Blackboard,
    InfrastructureError,
    Platform,
    Process,
    ProcessOptions,
    Runner,
    Scope,
    Start,
    Status,
    UtilityInvocation,
    action,
    component,
    wait_for,
)
from reactor.adapters.clock import ManualClock
from reactor.adapters.memory import MemoryBoards
from reactor.codec import Codec
from reactor.listening import ProcessEvent
from reactor.ports import Commit, Lease
from reactor.runner import commit_every_tick
from reactor.subprocesses import Subprocess, SubprocessEnded, start_of
from reactor.waiting import Confirmation, Wish

PlatformOf = Callable[..., Platform]


@dataclass(frozen=True)
class Draft:
    text: str


@dataclass(frozen=True)
class Review:
    text: str


@dataclass(frozen=True)
class Note:
    text: str


@dataclass(frozen=True)
class Published:
    text: str


@dataclass
class Log:
    """What happened, and a gate that the reviewer waits at."""

    ended: list[SubprocessEnded] = field(default_factory=list)
    reviews: int = 0
    crash_once: bool = False
    reached: asyncio.Event = field(default_factory=asyncio.Event)
    gate: asyncio.Event = field(default_factory=asyncio.Event)


@component
class Reviewer:
    def __init__(self, log: Log) -> None:
        self._log = log

    @action(value=0.9)
    async def take_note(self, draft: Draft, context: ActionContext) -> Note:
        context.add_usage("tokens", 7)
        return Note(draft.text)

    @action(value=0.5)
    async def review(self, note: Note, context: ActionContext) -> Review:
        self._log.reviews += 1
        self._log.reached.set()
        await self._log.gate.wait()
        context.add_usage("tokens", 5)
        return Review(f"good: {note.text}")


@component
class Publisher:
    def __init__(self, log: Log) -> None:
        self._log = log

    @action
    async def publish(self, draft: Draft, context: ActionContext) -> Published:
        context.add_usage("tokens", 1)
        wanted = Subprocess(
            name="review",
            facts=(Draft(f"{draft.text}!"),),
            scope=REVIEWS,
            planner="hybrid",
            goals=frozenset({"has(Review)"}),
        )
        ended = await context.run_subprocess(wanted)
        self._log.ended.append(ended)
        if self._log.crash_once:
            self._log.crash_once = False
            raise InfrastructureError("redis", "a moment")
        review = ended.board.last(Review)
        return Published(review.text if review else "nothing")


REVIEWS = Scope.from_components("reviewer")
ALL = Scope.from_components("publisher")


@pytest.fixture
def log() -> Log:
    log = Log()
    log.gate.set()
    return log


@pytest.fixture
def platform(platform_of: PlatformOf, log: Log) -> Platform:
    return platform_of(Publisher, Reviewer, services={Log: log})


START = Start(
    process_id="p-1",
    delivery="d-1",
    reaction="r",
    subject="s",
    facts=[("it", Draft("a story"))],
    scope=ALL,
)


def runner_of(platform: Platform, boards: MemoryBoards, owner: str = "a") -> Runner:
    return Runner(
        platform=platform,
        boards=boards,
        clock=ManualClock(),
        owner=owner,
        must_commit=commit_every_tick,
    )


async def test_a_sub_process_runs_over_a_copy_of_the_board(platform: Platform, log: Log) -> None:
    process = await UtilityInvocation.on(platform).with_scope(ALL).run_async(Draft("a story"))

    (ended,) = log.ended
    assert ended.status is Status.COMPLETED
    assert ended.board.all(Draft) == [Draft("a story"), Draft("a story!")]
    assert process.board.last(Published) == Published("good: a story!")
    assert not process.board.has(Review)
    assert not process.board.has(Note)


async def test_what_it_used_up_is_on_its_parent_s_bill(platform: Platform, log: Log) -> None:
    process = await UtilityInvocation.on(platform).with_scope(ALL).run_async(Draft("a story"))

    assert log.ended[0].head.usage == {"tokens": 12}
    assert process.head.usage == {"tokens": 13}
    assert process.head.children == (log.ended[0].head.id,)
    assert log.ended[0].head.parent_id == process.id


async def test_it_is_a_process_of_its_own_in_the_store(
    platform: Platform, log: Log, clock: ManualClock
) -> None:
    boards = MemoryBoards(Codec(platform.catalog), clock)

    ran = await runner_of(platform, boards).run(START)

    (child,) = ran.children
    assert child.head.id == log.ended[0].head.id
    stored = await boards.read(child.head.id)
    assert stored is not None
    assert stored.head.status is Status.COMPLETED
    assert [record.kind for record in child.unsent] == ["seeded", "tick", "tick", "ended"]
    assert await boards.started_by("d-1") == ["p-1", child.head.id]


async def test_an_action_that_runs_again_finds_its_sub_process_ended(
    platform: Platform, log: Log, clock: ManualClock
) -> None:
    log.crash_once = True
    boards = MemoryBoards(Codec(platform.catalog), clock)
    with pytest.raises(InfrastructureError):
        await runner_of(platform, boards).run(START)

    ran = await runner_of(platform, boards, "b").run(START)

    assert log.reviews == 1
    assert log.ended[0].head == log.ended[1].head
    assert ran.head.children == (log.ended[0].head.id,)
    assert ran.head.usage == {"tokens": 13}


async def test_a_sub_process_is_killed_with_its_parent_in_memory(
    platform: Platform, log: Log
) -> None:
    log.gate.clear()
    heard: list[str] = []

    def listen(event: object) -> None:
        heard.append(type(event).__name__)

    options = ProcessOptions(listeners=(listen,))
    invocation = UtilityInvocation.on(platform).with_scope(ALL).with_process_options(options)
    async with asyncio.TaskGroup() as group:
        running = group.create_task(invocation.run_async(Draft("a story")))
        await log.reached.wait()
        running.cancel()

    assert heard[-1] == "Killed"
    assert heard.count("ProcessCreated") == 2


async def test_a_sub_process_is_killed_with_its_parent_in_the_store(
    platform: Platform, log: Log, clock: ManualClock
) -> None:
    log.gate.clear()
    boards = MemoryBoards(Codec(platform.catalog), clock)
    runner = runner_of(platform, boards)
    runner.lease = timedelta(milliseconds=30)
    async with asyncio.TaskGroup() as group:
        running = group.create_task(runner.run(START))
        await log.reached.wait()

        await boards.wish("p-1", "kill")

    ran = running.result()
    assert ran.head.status is Status.KILLED
    assert [child.head.status for child in ran.children] == [Status.KILLED]


async def test_a_sub_process_begins_when_its_parent_is_stored_and_knows_of_it(
    platform: Platform, log: Log, clock: ManualClock
) -> None:
    log.gate.clear()
    boards = MemoryBoards(Codec(platform.catalog), clock)
    async with asyncio.TaskGroup() as group:
        group.create_task(runner_of(platform, boards).run(START))
        await log.reached.wait()

        parent = await boards.read("p-1")
        assert parent is not None
        (child,) = parent.head.children
        assert await boards.read(child) is not None
        log.gate.set()


class KilledMeanwhile(MemoryBoards):
    """Memory in which somebody wants every process killed at its first commit."""

    async def commit(self, lease: Lease, commit: Commit) -> Wish | None:
        await super().commit(lease, commit)
        return "kill"


async def test_no_sub_process_begins_for_a_parent_that_is_killed(
    platform: Platform, log: Log, clock: ManualClock
) -> None:
    boards = KilledMeanwhile(Codec(platform.catalog), clock)

    ran = await runner_of(platform, boards).run(START)

    assert ran.head.status is Status.KILLED
    assert ran.children == ()
    assert (log.reviews, log.ended) == (0, [])


async def test_a_sub_process_that_was_left_behind_is_killed_with_its_parent(
    platform: Platform, log: Log, clock: ManualClock
) -> None:
    log.gate.clear()
    boards = MemoryBoards(Codec(platform.catalog), clock)
    async with asyncio.TaskGroup() as group:
        running = group.create_task(runner_of(platform, boards).run(START))
        await log.reached.wait()
        running.cancel()

    ran = await runner_of(platform, boards, "b").run(replace(START, wish="kill"))

    (child,) = ran.children
    assert (ran.head.status, child.head.status) == (Status.KILLED, Status.KILLED)
    assert child.head.id == ran.head.children[0]


def test_what_a_sub_process_is_started_with_follows_from_its_parent(clock: ManualClock) -> None:
    def listen(event: ProcessEvent) -> None: ...

    board = Blackboard(now=clock.now)
    board.add(Draft("a story"))
    options = ProcessOptions(context_id="repository-1", listeners=(listen,), max_actions=3)
    parent = replace(START, options=options, host="github.com", cause="c", wish="resume")
    wanted = Subprocess(name="x", options=ProcessOptions(max_actions=5))

    first = start_of(wanted, parent, board, run="team.start 1")
    later = start_of(wanted, parent, board, run="team.start 2")

    assert first == start_of(wanted, parent, board, run="team.start 1")
    assert first.process_id not in (later.process_id, "p-1")
    assert (first.parent_id, first.host, first.cause, first.wish) == (
        "p-1",
        "github.com",
        "c",
        None,
    )
    assert first.inherited == board.changes_since(0)
    assert first.options == replace(options, max_actions=5)


async def test_a_sub_process_can_not_wait_for_people(platform_of: PlatformOf) -> None:
    @component
    class Team:
        @action(value=0.9)
        async def start(self, draft: Draft, context: ActionContext) -> Published:
            scope = Scope.from_components("asker")
            ended = await context.run_subprocess(Subprocess(name="ask", scope=scope))
            return Published(ended.head.failure)

    @component
    class Asker:
        @action
        async def ask(self, draft: Draft) -> Confirmation:
            return wait_for.confirm(draft, "Shall we?")

    scope = Scope.from_components("team")
    invocation = UtilityInvocation.on(platform_of(Team, Asker)).with_scope(scope)

    process = await invocation.run_async(Draft("a story"))

    found = process.board.last(Published)
    assert found is not None
    assert "asks a person within a sub-process" in found.text


async def test_facts_that_can_not_be_kept_are_refused(platform_of: PlatformOf) -> None:
    @component
    class Team:
        @action
        async def start(self, context: ActionContext) -> Published:
            await context.run_subprocess(Subprocess(name="x", facts=(object(),)))
            return Published("never")

    process: Process = await UtilityInvocation.on(platform_of(Team)).run_async()

    assert process.status is Status.FAILED
    assert "can't be kept" in process.head.failure
