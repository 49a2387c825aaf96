"""The runner: leases, commits, and going on where another one stopped."""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import timedelta

import pytest

from reactor import (
    InfrastructureError,
    Platform,
    ProcessOptions,
    Runner,
    Start,
    Status,
    action,
    component,
)
from reactor.adapters.clock import ManualClock
from reactor.adapters.memory import MemoryBoards
from reactor.codec import Codec
from reactor.plan import UnknownPlanner
from reactor.ports import Boards as BoardsPort
from reactor.ports import Commit, Lease, LeaseLost, Opened, Stored
from reactor.runner import SLOW_S, Batch, commit_every_tick, commit_when_it_matters

PlatformOf = Callable[..., Platform]


@dataclass(frozen=True)
class Issue:
    title: str


@dataclass(frozen=True)
class Answer:
    text: str


PORT = {name for name in vars(BoardsPort) if not name.startswith("_")}

START = Start(
    process_id="p-1",
    delivery="github.com/d-1",
    reaction="triage",
    subject="github.com/1#7",
    facts=[("event", Issue("why"))],
)


class Boards(MemoryBoards):
    """Memory that notes its commits, and that can be told to fail."""

    def __init__(self, platform: Platform, clock: ManualClock) -> None:
        super().__init__(Codec(platform.catalog), clock)
        self.commits: list[Commit] = []
        self.before_commit: Callable[[Commit], None] = lambda commit: None

    async def commit(self, lease: Lease, commit: Commit) -> None:
        self.before_commit(commit)
        await super().commit(lease, commit)
        self.commits.append(commit)


def ticks_of(boards: Boards) -> list[list[str]]:
    """The actions in each commit."""
    return [[run.action.partition(".")[2] for run in c.history] for c in boards.commits]


def runner_of(platform: Platform, boards: Boards, clock: ManualClock, **more: object) -> Runner:
    return Runner(
        platform=platform,
        boards=boards,
        clock=clock,
        owner=str(more.pop("owner", "worker-1")),
        **more,  # type: ignore[arg-type]  # as the test gives it
    )


@component
class Team:
    def __init__(self) -> None:
        self.calls: list[str] = []

    @action(value=0.9)
    async def answer(self, issue: Issue) -> Answer:
        self.calls.append("answer")
        return Answer(issue.title)

    @action(value=0.5)
    async def thank(self, answer: Answer) -> None:
        self.calls.append("thank")


async def test_a_process_is_run_to_its_end_and_kept(
    platform_of: PlatformOf, clock: ManualClock
) -> None:
    platform = platform_of(Team)
    boards = Boards(platform, clock)

    head = (await runner_of(platform, boards, clock).run(START)).head

    stored = await boards.read("p-1")
    assert stored is not None
    assert stored.head == head
    assert head.status is Status.STUCK
    assert [run.action for run in stored.history] == ["team.answer", "team.thank"]
    kinds = [record.kind for record in await boards.journal("p-1")]
    assert kinds == ["seeded", "tick", "tick", "ended"]
    assert await boards.started_by("github.com/d-1") == ["p-1"]


async def test_the_same_delivery_again_repeats_nothing(
    platform_of: PlatformOf, clock: ManualClock
) -> None:
    team = Team()
    platform = platform_of(team)
    boards = Boards(platform, clock)
    runner = runner_of(platform, boards, clock)
    first = await runner.run(START)
    before = list(boards.commits)

    again = await runner.run(replace(START, facts=[("event", Issue("seeded twice?"))]))

    assert again.head == first.head
    assert team.calls == ["answer", "thank"]
    assert boards.commits == before


async def test_a_final_process_stays_as_it_is_also_when_it_is_woken(
    platform_of: PlatformOf, clock: ManualClock
) -> None:
    team = Team()
    platform = platform_of(team)
    runner = runner_of(platform, Boards(platform, clock), clock)
    start = replace(START, options=ProcessOptions(max_actions=1))
    ended = (await runner.run(start)).head

    again = (await runner.run(replace(start, wake=True, options=ProcessOptions()))).head

    assert ended.status is Status.TERMINATED
    assert again == ended
    assert team.calls == ["answer"]


async def test_a_stuck_process_plans_again_when_it_is_woken(
    platform_of: PlatformOf, clock: ManualClock
) -> None:
    @component
    class Before:
        @action
        async def first(self, issue: Issue) -> None: ...

    old, new = platform_of(Before), platform_of(Before, Team)
    boards = Boards(new, clock)
    stuck = await runner_of(old, boards, clock).run(START)

    asleep = await runner_of(new, boards, clock).run(START)
    woken = await runner_of(new, boards, clock).run(replace(START, wake=True))

    assert [ran.head.status for ran in (stuck, asleep, woken)] == [Status.STUCK] * 3
    stored = await boards.read("p-1")
    assert stored is not None
    assert [run.action for run in stored.history] == [
        "before.first",
        "team.answer",
        "team.thank",
    ]
    assert [record.seq for record in await boards.journal("p-1")] == [1, 2, 3, 4, 5, 6]


async def test_a_held_lease_is_waited_for(platform_of: PlatformOf, clock: ManualClock) -> None:
    platform = platform_of(Team)
    boards = Boards(platform, clock)
    other = await boards.open(
        "p-1", delivery="d", owner="worker-2", lease=timedelta(milliseconds=30)
    )

    async with asyncio.TaskGroup() as group:
        task = group.create_task(runner_of(platform, boards, clock).run(START))
        for _ in range(3):
            await asyncio.sleep(0)
        assert not task.done()
        await boards.release(other.lease)

    assert task.result().head.status is Status.STUCK


async def test_waiting_for_a_lease_ends_with_cancellation(
    platform_of: PlatformOf, clock: ManualClock
) -> None:
    platform = platform_of(Team)
    boards = Boards(platform, clock)
    await boards.open("p-1", delivery="d", owner="worker-2", lease=timedelta(hours=1))

    task = asyncio.ensure_future(runner_of(platform, boards, clock).run(START))
    await asyncio.sleep(0)
    task.cancel()

    with pytest.raises(asyncio.CancelledError):
        await task
    assert boards.commits == []


async def test_who_lost_the_lease_writes_nothing_more(
    platform_of: PlatformOf, clock: ManualClock
) -> None:
    @component
    class Slow:
        @action(value=0.5, idempotent=False)
        async def first(self, issue: Issue) -> None: ...

        @action(value=0.1)
        async def second(self, issue: Issue) -> None:
            clock.move(timedelta(minutes=1))  # it hung, and the lease ran out
            await boards.open("p-1", delivery="d", owner="worker-2", lease=timedelta(minutes=1))

    platform = platform_of(Slow)
    boards = Boards(platform, clock)

    with pytest.raises(LeaseLost, match="p-1 was taken over"):
        await runner_of(platform, boards, clock).run(START)

    assert ticks_of(boards) == [["first"]]


async def test_a_long_action_keeps_its_lease_and_what_was_done_is_stored_meanwhile(
    platform_of: PlatformOf, clock: ManualClock
) -> None:
    renewed = asyncio.Event()

    @component
    class Slow:
        @action(value=0.5)
        async def first(self, issue: Issue) -> Answer:
            return Answer("quick")

        @action(value=0.1)
        async def second(self, answer: Answer) -> None:
            boards.before_commit = lambda commit: renewed.set()
            await renewed.wait()

    platform = platform_of(Slow)
    boards = Boards(platform, clock)
    runner = runner_of(platform, boards, clock, lease=timedelta(milliseconds=30))

    await runner.run(START)

    commits = ticks_of(boards)
    assert commits[0] == ["first"]  # by the renewal, while `second` was running
    assert commits[-1] == ["second"]


async def test_a_lease_that_is_lost_during_an_action_ends_it(
    platform_of: PlatformOf, clock: ManualClock
) -> None:
    cancelled: list[bool] = []

    @component
    class Slow:
        @action
        async def hang(self, issue: Issue) -> None:
            clock.move(timedelta(minutes=1))
            await boards.open("p-1", delivery="d", owner="worker-2", lease=timedelta(minutes=1))
            try:
                await asyncio.Event().wait()
            finally:
                cancelled.append(True)

    platform = platform_of(Slow)
    boards = Boards(platform, clock)
    runner = runner_of(platform, boards, clock, lease=timedelta(milliseconds=30))

    with pytest.raises(LeaseLost):
        await runner.run(START)

    assert cancelled == [True]
    assert boards.commits == []


async def test_trouble_with_the_store_reaches_the_caller_and_the_next_call_goes_on(
    platform_of: PlatformOf, clock: ManualClock
) -> None:
    team = Team()
    platform = platform_of(team)
    boards = Boards(platform, clock)
    runner = runner_of(platform, boards, clock, must_commit=commit_every_tick)

    def fail_after_answer(commit: Commit) -> None:
        if any(run.action == "team.thank" for run in commit.history):
            raise InfrastructureError("redis", "went away")

    boards.before_commit = fail_after_answer
    with pytest.raises(InfrastructureError):
        await runner.run(START)
    boards.before_commit = lambda commit: None

    head = (await runner.run(START)).head

    assert head.status is Status.STUCK
    assert team.calls == ["answer", "thank", "thank"]  # the second one had not been kept
    assert ticks_of(boards) == [["answer"], ["thank"], []]


async def test_a_renewal_that_fails_may_come_through_the_next_time(
    platform_of: PlatformOf, clock: ManualClock
) -> None:
    tries: list[int] = []
    through = asyncio.Event()

    def fail_once(commit: Commit) -> None:
        tries.append(1)
        if len(tries) == 1:
            raise InfrastructureError("redis", "a moment")
        through.set()

    @component
    class Slow:
        @action
        async def wait(self, issue: Issue) -> None:
            await through.wait()

    platform = platform_of(Slow)
    boards = Boards(platform, clock)
    boards.before_commit = fail_once

    head = (
        await runner_of(platform, boards, clock, lease=timedelta(milliseconds=30)).run(START)
    ).head

    assert head.status is Status.STUCK


async def test_an_error_in_the_start_leaves_no_lease_behind(
    platform_of: PlatformOf, clock: ManualClock
) -> None:
    platform = platform_of(Team)
    boards = Boards(platform, clock)

    with pytest.raises(UnknownPlanner):
        await runner_of(platform, boards, clock).run(replace(START, planner="best"))
    head = (await runner_of(platform, boards, clock, owner="worker-2").run(START)).head

    assert head.status is Status.STUCK


async def test_the_last_commit_gives_the_lease_back(
    platform_of: PlatformOf, clock: ManualClock
) -> None:
    class Strict(Boards):
        async def release(self, lease: Lease) -> None:
            raise AssertionError("a round trip more than needed")

    platform = platform_of(Team)
    boards = Strict(platform, clock)

    await runner_of(platform, boards, clock, must_commit=commit_every_tick).run(START)

    assert [commit.is_last for commit in boards.commits] == [False, False, True]
    await boards.open("p-1", delivery="d", owner="worker-2", lease=timedelta(seconds=1))


async def test_a_process_of_quick_ticks_asks_the_store_twice_in_all(
    platform_of: PlatformOf, clock: ManualClock
) -> None:
    class Counted(Boards):
        def __init__(self) -> None:
            super().__init__(platform, clock)
            self.asked: list[str] = []

        def __getattribute__(self, name: str) -> object:
            if name in PORT:
                self.asked.append(name)
            return super().__getattribute__(name)

    platform = platform_of(Team)
    boards = Counted()

    await runner_of(platform, boards, clock).run(START)

    assert boards.asked == ["open", "read", "commit"]  # memory opens by reading itself


async def test_a_lease_that_can_not_be_given_back_runs_out_by_itself(
    platform_of: PlatformOf, clock: ManualClock
) -> None:
    class Sticky(Boards):
        async def release(self, lease: Lease) -> None:
            raise InfrastructureError("redis", "went away")

    platform = platform_of(Team)

    runner = runner_of(platform, Sticky(platform, clock), clock)
    first = await runner.run(START)

    again = await runner.run(START)

    assert again.head == first.head


# Decision records ---------------------------------------------------------------------------


async def test_a_run_tells_the_records_that_wait_to_be_published(
    platform_of: PlatformOf, clock: ManualClock
) -> None:
    platform = platform_of(Team)
    boards = Boards(platform, clock)

    ran = await runner_of(platform, boards, clock).run(START)

    assert list(ran.unsent) == await boards.journal("p-1")


async def test_records_that_were_not_marked_as_sent_are_told_again_and_those_that_were_are_not(
    platform_of: PlatformOf, clock: ManualClock
) -> None:
    platform = platform_of(Team)
    boards = Boards(platform, clock)
    runner = runner_of(platform, boards, clock)
    first = await runner.run(START)

    unmarked = await runner.run(START)
    await boards.mark_sent({"p-1": 2})
    half_marked = await runner.run(START)
    await boards.mark_sent({"p-1": 4})
    marked = await runner.run(START)

    assert unmarked.unsent == list(first.unsent)
    assert [record.seq for record in half_marked.unsent] == [3, 4]
    assert list(marked.unsent) == []


async def test_a_process_that_goes_on_tells_the_records_of_the_runner_before_it_as_well(
    platform_of: PlatformOf, clock: ManualClock
) -> None:
    platform = platform_of(Team)
    boards = Boards(platform, clock)
    runner = runner_of(platform, boards, clock, must_commit=commit_every_tick)

    def fail_at_the_end(commit: Commit) -> None:
        if commit.is_last:
            raise InfrastructureError("redis", "went away")

    boards.before_commit = fail_at_the_end
    with pytest.raises(InfrastructureError):
        await runner.run(START)
    boards.before_commit = lambda commit: None

    ran = await runner.run(START)

    assert [record.kind for record in ran.unsent] == ["seeded", "tick", "tick", "ended"]


async def test_a_process_that_is_woken_tells_only_what_is_new(
    platform_of: PlatformOf, clock: ManualClock
) -> None:
    platform = platform_of(Team)
    boards = Boards(platform, clock)
    runner = runner_of(platform, boards, clock)
    first = await runner.run(START)
    await boards.mark_sent({"p-1": first.unsent[-1].seq})

    woken = await runner.run(replace(START, wake=True))

    assert [(record.seq, record.kind) for record in woken.unsent] == [(5, "ended")]


# When to commit -----------------------------------------------------------------------------


async def test_quick_ticks_that_can_be_repeated_share_one_commit(
    platform_of: PlatformOf, clock: ManualClock
) -> None:
    platform = platform_of(Team)
    boards = Boards(platform, clock)

    await runner_of(platform, boards, clock).run(START)

    assert ticks_of(boards) == [["answer", "thank"]]


async def test_a_slow_tick_and_one_that_can_not_be_repeated_are_kept_at_once(
    platform_of: PlatformOf, clock: ManualClock
) -> None:
    @component
    class Mixed:
        @action(value=0.9)
        async def quick(self, issue: Issue) -> None: ...

        @action(value=0.8)
        async def slow(self, issue: Issue) -> None:
            clock.move(timedelta(seconds=1))

        @action(value=0.7)
        async def quick_too(self, issue: Issue) -> None: ...

        @action(value=0.6, idempotent=False)
        async def pay(self, issue: Issue) -> None: ...

        @action(value=0.5)
        async def last(self, issue: Issue) -> None: ...

    platform = platform_of(Mixed)
    boards = Boards(platform, clock)

    await runner_of(platform, boards, clock).run(START)

    assert ticks_of(boards) == [["quick", "slow"], ["quick_too"], ["pay"], ["last"]]


@pytest.mark.parametrize(
    ("batch", "now"),
    [
        (Batch(), False),
        (Batch(next_is_repeatable=False), False),
        (Batch(ticks=1), False),
        (Batch(ticks=1, next_is_repeatable=False), True),
        (Batch(ticks=1, repeatable=False), True),
        (Batch(ticks=1, slowest_s=SLOW_S + 0.001), True),
        (Batch(ticks=19, slowest_s=SLOW_S), False),
        (Batch(ticks=20), True),
    ],
)
def test_the_policy_is_a_pure_function_of_the_batch(batch: Batch, *, now: bool) -> None:
    assert commit_when_it_matters(batch) is now
    assert commit_every_tick(batch) is (batch.ticks > 0)


async def test_a_stored_process_is_the_same_whoever_reads_it(
    platform_of: PlatformOf, clock: ManualClock
) -> None:
    platform = platform_of(Team)
    boards = Boards(platform, clock)
    await runner_of(platform, boards, clock).run(START)

    stored: Stored | None = await boards.read("p-1")
    opened: Opened = await boards.open(
        "p-1", delivery="d", owner="worker-3", lease=timedelta(seconds=1)
    )

    assert opened.stored == stored
