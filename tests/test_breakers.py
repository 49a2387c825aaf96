"""A component that fails in one process after the other rests, and nothing is lost by it."""

from dataclasses import dataclass, replace
from datetime import timedelta

import pytest

from reactor import Package, Platform, ProcessOptions, Start, Status, action, component
from reactor.adapters.clock import ManualClock
from reactor.adapters.memory import MemoryBoards
from reactor.breakers import BreakerRule, Breakers, reasons_of
from reactor.codec import Codec
from reactor.journal import JournalRecord
from reactor.listening import ActionFinished
from reactor.recalling import recalling
from reactor.recording import recording
from reactor.runner import Ran, Runner
from reactor.status import ProcessHead, Run, RunOutcome

RULE = BreakerRule(failures=3, within_s=60, rest_s=30, longest_rest_s=100)


@pytest.fixture
def clock() -> ManualClock:
    return ManualClock()


@pytest.fixture
def opened() -> list[str]:
    return []


@pytest.fixture
def breakers(clock: ManualClock, opened: list[str]) -> Breakers:
    return Breakers(clock, RULE, opened=lambda component, _: opened.append(component))


def head(process: str) -> ProcessHead:
    now = ManualClock().now()
    return ProcessHead(
        id=process,
        delivery="github.com/d-1",
        reaction="everything",
        subject="github.com/1#2",
        agent="reactor",
        planner="utility",
        created_at=now,
        updated_at=now,
    )


def ends(breakers: Breakers, process: str, outcome: RunOutcome, action: str = "shaky.go") -> None:
    run = Run(
        action=action,
        outcome=outcome,
        started_at=ManualClock().now(),
        duration_s=0.1,
        attempts=1,
        error="ValueError: no" if outcome == "failed" else "",
    )
    breakers(ActionFinished(head=head(process), at=run.started_at, run=run, outputs=()))


async def why(breakers: Breakers, process: str = "p-asks") -> str:
    return reasons_of(await breakers.why_away(head(process))).get("shaky", "")


async def test_it_rests_after_so_many_processes_in_a_row(
    breakers: Breakers, opened: list[str]
) -> None:
    for number in range(2):
        ends(breakers, f"p-{number}", "failed")
    assert await why(breakers) == ""

    ends(breakers, "p-2", "timeout")

    assert "rests until 00:00:30 UTC, as it failed in 3 processes in a row" in await why(breakers)
    assert opened == ["shaky"]


async def test_one_process_that_fails_again_and_again_is_no_reason(breakers: Breakers) -> None:
    for _ in range(10):
        ends(breakers, "p-odd", "failed")

    assert await why(breakers) == ""


async def test_one_that_works_between_them_starts_the_count_anew(breakers: Breakers) -> None:
    for number in range(10):
        ends(breakers, f"p-{number}", "nothing" if number % 3 == 2 else "failed")

    assert await why(breakers) == ""


async def test_failures_that_lie_far_apart_do_not_count(
    breakers: Breakers, clock: ManualClock
) -> None:
    for number in range(10):
        ends(breakers, f"p-{number}", "failed")
        clock.move(timedelta(seconds=31))

    assert await why(breakers) == ""


async def test_others_do_not_rest_with_it(breakers: Breakers) -> None:
    for number in range(3):
        ends(breakers, f"p-{number}", "failed")
        ends(breakers, f"p-{number}", "done", "sound.go")

    assert list(reasons_of(await breakers.why_away(head("p-asks")))) == ["shaky"]


async def test_after_its_rest_one_process_tries_it_and_others_wait(
    breakers: Breakers, clock: ManualClock
) -> None:
    for number in range(3):
        ends(breakers, f"p-{number}", "failed")
    clock.move(timedelta(seconds=30))

    assert await why(breakers, "p-first") == ""
    assert "one process tries it again" in await why(breakers, "p-second")
    assert await why(breakers, "p-first") == ""

    ends(breakers, "p-first", "done")

    assert await why(breakers, "p-second") == ""


async def test_where_it_fails_again_it_rests_twice_as_long_but_not_for_ever(
    breakers: Breakers, clock: ManualClock, opened: list[str]
) -> None:
    for number in range(3):
        ends(breakers, f"p-{number}", "failed")
    for rest_s in (30, 60, 100, 100):
        clock.move(timedelta(seconds=rest_s - 1))
        assert await why(breakers) != ""
        clock.move(timedelta(seconds=1))
        assert await why(breakers) == ""
        ends(breakers, "p-asks", "failed")

    assert opened == ["shaky"] * 5


async def test_a_process_that_never_tries_it_does_not_keep_others_from_it(
    breakers: Breakers, clock: ManualClock
) -> None:
    for number in range(3):
        ends(breakers, f"p-{number}", "failed")
    clock.move(timedelta(seconds=30))
    await why(breakers, "p-idle")

    clock.move(timedelta(seconds=60))

    assert await why(breakers, "p-next") == ""


async def test_without_a_number_of_failures_nothing_ever_rests(clock: ManualClock) -> None:
    breakers = Breakers(clock, BreakerRule(failures=0))
    for number in range(100):
        ends(breakers, f"p-{number}", "failed")

    assert await why(breakers) == ""


# Within the engine -------------------------------------------------------------------------


@dataclass(frozen=True)
class Issue:
    title: str


@component
class Shaky:
    broken = True

    @action(value=0.9)
    async def go(self, issue: Issue) -> None:
        if Shaky.broken:
            raise ValueError("no")


@component
class Sound:
    @action(value=0.1)
    async def go(self, issue: Issue) -> None:
        """Works."""


@dataclass
class Site:
    """A runner with breakers, as a worker has it."""

    clock: ManualClock
    breakers: Breakers

    def __post_init__(self) -> None:
        Shaky.broken = True
        packages = [Package(name="both", components=(Shaky, Sound))]
        services = recording({Breakers: self.breakers})
        self.platform = Platform(packages=packages, services=services, types=(Issue,))
        self.boards = MemoryBoards(Codec(self.platform.catalog), self.clock)
        self.runner = Runner(
            platform=self.platform,
            boards=self.boards,
            clock=self.clock,
            owner="here",
            listeners=(self.breakers,),
        )

    async def run(self, process: str, *, wake: bool = False) -> Ran:
        start = Start(
            process_id=process,
            delivery=f"github.com/{process}",
            reaction="everything",
            subject="github.com/1#2",
            facts=(("issue", Issue("Sled")),),
            options=ProcessOptions(terminate_when_stuck=True, max_wakes=3),
            wake=wake,
        )
        return await self.runner.run(start)

    async def journal(self, process: str) -> list[JournalRecord]:
        return list(await self.boards.journal(process))


@pytest.fixture
def site(clock: ManualClock, breakers: Breakers) -> Site:
    return Site(clock, breakers)


async def test_a_process_goes_on_with_others_and_then_waits_for_the_one_that_rests(
    site: Site,
) -> None:
    for number in range(3):
        assert (await site.run(f"p-{number}")).head.status is Status.FAILED

    waits = (await site.run("p-waits")).head

    assert waits.status is Status.STUCK
    assert "shaky.go: component shaky rests until" in waits.failure
    stored = await site.boards.read("p-waits")
    assert stored is not None
    assert [run.action for run in stored.history] == ["sound.go"]


async def test_once_it_works_again_what_waited_is_done(site: Site, clock: ManualClock) -> None:
    for number in range(4):
        await site.run(f"p-{number}")
    Shaky.broken = False
    clock.move(timedelta(seconds=30))

    woken = (await site.run("p-3", wake=True)).head

    assert woken.status is Status.TERMINATED
    stored = await site.boards.read("p-3")
    assert stored is not None
    assert [run.action for run in stored.history] == ["sound.go", "shaky.go"]


async def test_a_replay_is_told_the_same_though_nothing_rests_there(
    site: Site, clock: ManualClock
) -> None:
    for number in range(4):
        await site.run(f"p-{number}")
    then = {f"p-{number}": await site.journal(f"p-{number}") for number in range(4)}
    replayed = Site(clock, Breakers(clock, replace(RULE, failures=0)))

    with recalling(then) as unrecorded:
        now = (await replayed.run("p-3")).head

    assert now.status is Status.STUCK
    assert now.failure == (await site.boards.read("p-3")).head.failure  # type: ignore[union-attr]
    assert not unrecorded
