"""Kill, pause, resume, terminate: from within the loop that runs a process, and through its store."""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from datetime import timedelta

import pytest

from reactor import Platform, Process, Runner, Start, Status, action, component, wait_for
from reactor.adapters.clock import ManualClock, SystemClock
from reactor.adapters.memory import MemoryBoards
from reactor.codec import Codec
from reactor.execution import Executor
from reactor.ports import Clock
from reactor.process import Engine
from reactor.runner import NoSuchProcess, commit_every_tick
from reactor.waiting import Answer, AnswerRefused, Confirmation, Wish

PlatformOf = Callable[..., Platform]
Ran = Callable[[Process], list[str]]


@dataclass(frozen=True)
class First:
    pass


@dataclass(frozen=True)
class Second:
    pass


@dataclass
class Gate:
    """Holds an action until the test lets it go on."""

    reached: asyncio.Event = field(default_factory=asyncio.Event)
    opened: asyncio.Event = field(default_factory=asyncio.Event)
    was_cancelled: bool = False

    async def pass_through(self) -> None:
        self.reached.set()
        try:
            await self.opened.wait()
        except asyncio.CancelledError:
            self.was_cancelled = True
            raise


@component
class Team:
    def __init__(self, gate: Gate) -> None:
        self._gate = gate

    @action(value=0.9)
    async def first(self) -> First:
        await self._gate.pass_through()
        return First()

    @action(value=0.5)
    async def second(self, first: First) -> Second:
        return Second()


@component
class Asker:
    @action(value=0.9)
    async def ask(self) -> Confirmation:
        return wait_for.confirm("this", "Shall we?")

    @action
    async def go_on(self, confirmation: Confirmation) -> Second:
        return Second()


START = Start(process_id="p-1", delivery="d-1", reaction="r", subject="s", facts=())


@pytest.fixture
def gate() -> Gate:
    return Gate()


@pytest.fixture
def platform(platform_of: PlatformOf, gate: Gate) -> Platform:
    return platform_of(Team, services={Gate: gate})


def new_process(platform: Platform, clock: Clock) -> Process:
    return Process(Engine(platform, clock, Executor()), START)


# On a process ------------------------------------------------------------------------------------


async def test_a_kill_cancels_the_action_that_is_running(
    platform: Platform, clock: ManualClock, gate: Gate
) -> None:
    process = new_process(platform, clock)
    async with asyncio.TaskGroup() as group:
        running = group.create_task(process.run())
        await gate.reached.wait()

        process.kill("enough")

    assert process.status is Status.KILLED
    assert gate.was_cancelled
    assert not running.cancelled()
    assert process.history == ()
    assert process.journal[-1].data["reason"] == "enough"


async def test_a_late_result_changes_nothing_once_it_was_killed(
    platform_of: PlatformOf, clock: ManualClock, gate: Gate
) -> None:
    @component
    class Stubborn:
        @action
        async def first(self) -> First:
            try:
                await gate.pass_through()
            except asyncio.CancelledError:
                return First()
            return First()

    process = new_process(platform_of(Stubborn), clock)
    async with asyncio.TaskGroup() as group:
        group.create_task(process.run())
        await gate.reached.wait()

        process.kill()

    assert process.status is Status.KILLED
    assert not process.board.has(First)


async def test_who_runs_a_killed_process_is_not_cancelled(
    platform: Platform, clock: ManualClock, gate: Gate
) -> None:
    process = new_process(platform, clock)
    after: list[str] = []

    async def run() -> None:
        await process.run()
        await asyncio.sleep(0)
        after.append("went on")

    async with asyncio.TaskGroup() as group:
        group.create_task(run())
        await gate.reached.wait()
        process.kill()

    assert after == ["went on"]


@pytest.mark.parametrize(
    ("wish", "status"), [("terminate", Status.TERMINATED), ("pause", Status.PAUSED)]
)
async def test_graceful_wishes_let_the_running_action_end(
    platform: Platform, clock: ManualClock, gate: Gate, wish: Wish, status: Status
) -> None:
    process = new_process(platform, clock)
    async with asyncio.TaskGroup() as group:
        group.create_task(process.run())
        await gate.reached.wait()

        process.heed(wish)
        gate.opened.set()

    assert process.status is status
    assert process.board.has(First)
    assert not process.board.has(Second)
    assert process.head.failure == ""


async def test_a_paused_process_goes_on_where_it_was(
    platform: Platform, clock: ManualClock, gate: Gate, ran: Ran
) -> None:
    gate.opened.set()
    process = new_process(platform, clock)
    process.pause()
    await process.run()
    assert (process.status, ran(process)) == (Status.PAUSED, [])

    process.resume()
    await process.run()

    assert (process.status, ran(process)) == (Status.STUCK, ["first", "second"])


async def test_the_newest_wish_counts(
    platform: Platform, clock: ManualClock, gate: Gate, ran: Ran
) -> None:
    gate.opened.set()
    process = new_process(platform, clock)

    process.pause()
    process.resume()
    await process.run()

    assert ran(process) == ["first", "second"]


async def test_nothing_is_wished_of_a_process_that_is_over(
    platform: Platform, clock: ManualClock, gate: Gate
) -> None:
    gate.opened.set()
    process = new_process(platform, clock)
    await process.run()
    process.terminate()
    assert process.status is Status.TERMINATED
    records = len(process.journal)

    for wish in ("kill", "pause", "resume", "terminate"):
        process.heed(wish)

    assert process.status is Status.TERMINATED
    assert len(process.journal) == records


async def test_an_answer_to_a_paused_process_is_kept_for_later(
    platform_of: PlatformOf, clock: ManualClock
) -> None:
    process = new_process(platform_of(Asker), clock)
    await process.run()
    (form,) = process.head.forms
    process.pause()

    process.answer(Answer(id="a", form_id=form.id, approved=True))
    await process.run()
    assert process.status is Status.PAUSED

    process.resume()
    await process.run()
    assert process.board.has(Second)


# Through a store ---------------------------------------------------------------------------------


@pytest.fixture
def boards(platform: Platform) -> MemoryBoards:
    return MemoryBoards(Codec(platform.catalog), SystemClock())


def runner_of(platform: Platform, boards: MemoryBoards, owner: str = "a") -> Runner:
    return Runner(
        platform=platform,
        boards=boards,
        clock=SystemClock(),
        owner=owner,
        must_commit=commit_every_tick,
        lease=timedelta(milliseconds=30),
    )


async def test_a_running_worker_notices_a_kill_when_it_renews_its_lease(
    platform: Platform, boards: MemoryBoards, gate: Gate
) -> None:
    runner = runner_of(platform, boards)
    async with asyncio.TaskGroup() as group:
        running = group.create_task(runner.run(START))
        await gate.reached.wait()

        assert await boards.wish("p-1", "kill")

    assert running.result().head.status is Status.KILLED
    assert gate.was_cancelled
    stored = await boards.read("p-1")
    assert stored is not None
    assert stored.head.status is Status.KILLED


async def test_a_running_worker_notices_other_wishes_with_its_next_commit(
    platform: Platform, boards: MemoryBoards, gate: Gate
) -> None:
    runner = runner_of(platform, boards)
    async with asyncio.TaskGroup() as group:
        running = group.create_task(runner.run(START))
        await gate.reached.wait()

        await boards.wish("p-1", "pause")
        gate.opened.set()

    assert running.result().head.status is Status.PAUSED
    resumed = await runner.run(replace(START, wish="resume"))
    assert resumed.head.status is Status.STUCK


async def test_a_process_at_rest_is_killed_by_whoever_is_asked_to(
    platform: Platform, boards: MemoryBoards, gate: Gate
) -> None:
    gate.opened.set()
    await runner_of(platform, boards).run(START)

    ran = await runner_of(platform, boards, "b").run(replace(START, wish="kill"))

    assert ran.head.status is Status.KILLED
    again = await runner_of(platform, boards, "b").run(replace(START, wish="resume"))
    assert again.head == ran.head


async def test_a_process_that_is_not_there_can_not_be_asked(
    platform: Platform, boards: MemoryBoards
) -> None:
    runner = runner_of(platform, boards)

    with pytest.raises(NoSuchProcess, match="there is no process p-1"):
        await runner.run(replace(START, wish="kill"))
    with pytest.raises(NoSuchProcess):
        await runner.run(replace(START, answer=Answer(id="a", form_id="p-1-1")))

    assert await boards.read("p-1") is None


async def test_another_worker_goes_on_with_an_answer_and_only_once(
    platform_of: PlatformOf,
) -> None:
    platform = platform_of(Asker)
    boards = MemoryBoards(Codec(platform.catalog), SystemClock())
    waiting = await runner_of(platform, boards).run(START)
    assert waiting.head.status is Status.WAITING
    answer = Answer(id="a-1", form_id=waiting.head.forms[0].id, by="ann", approved=True)
    told = replace(START, answer=answer)

    first = await runner_of(platform, boards, "b").run(told)
    second = await runner_of(platform, boards, "c").run(told)

    assert first.head.status is Status.STUCK
    assert second.head == first.head
    stored = await boards.read("p-1")
    assert stored is not None
    assert [run.outcome for run in stored.history] == ["waiting", "answered", "done"]


async def test_a_refused_answer_leaves_a_stored_process_as_it_was(
    platform_of: PlatformOf,
) -> None:
    platform = platform_of(Asker)
    boards = MemoryBoards(Codec(platform.catalog), SystemClock())
    runner = runner_of(platform, boards)
    waiting = await runner.run(START)

    with pytest.raises(AnswerRefused):
        await runner.run(replace(START, answer=Answer(id="a-1", form_id="p-1-1", value={})))

    stored = await boards.read("p-1")
    assert stored is not None
    assert stored.head == waiting.head
    assert (await runner_of(platform, boards, "b").run(START)).head == waiting.head


async def test_tasks_of_one_worker_take_turns_with_one_process(
    platform: Platform, boards: MemoryBoards, gate: Gate
) -> None:
    runner = runner_of(platform, boards)
    async with asyncio.TaskGroup() as group:
        first = group.create_task(runner.run(START))
        await gate.reached.wait()
        second = group.create_task(runner.run(START))
        killing = group.create_task(runner.run(replace(START, wish="terminate")))
        await asyncio.sleep(0)

        gate.opened.set()

    assert first.result().head.status is Status.TERMINATED
    assert second.result().head == killing.result().head == first.result().head
    stored = await boards.read("p-1")
    assert stored is not None
    assert [run.action for run in stored.history] == ["team.first"]
