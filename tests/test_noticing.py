"""What goes wrong in components is gathered, by component and kind."""

from datetime import timedelta

import pytest

from reactor import Package, Platform, action, component
from reactor.adapters.clock import ManualClock
from reactor.listening import ActionFinished
from reactor.noticing import Noticing
from reactor.status import ProcessHead, Run, RunOutcome
from reactor.troubles import Trouble
from reactor.watchdog import Place


@component
class Sleeps:
    @action
    async def nap(self) -> None:
        """Rest."""


@component(name="awake")
class Awake:
    @action
    async def look(self) -> None:
        """See."""


@pytest.fixture
def platform() -> Platform:
    return Platform(packages=[Package(name="rooms", components=(Sleeps, Awake))])


@pytest.fixture
def clock() -> ManualClock:
    return ManualClock()


def finished(clock: ManualClock, outcome: RunOutcome, error: str = "") -> ActionFinished:
    head = ProcessHead(
        id="p-1",
        delivery="github.com/d-1",
        reaction="everything",
        subject="github.com/1#2",
        agent="reactor",
        planner="utility",
        created_at=clock.now(),
        updated_at=clock.now(),
    )
    run = Run(
        action="sleeps.nap",
        outcome=outcome,
        started_at=clock.now(),
        duration_s=0.1,
        attempts=1,
        error=error,
    )
    return ActionFinished(head=head, at=clock.now(), run=run, outputs=())


@pytest.mark.parametrize(
    ("outcome", "error", "kind"),
    [
        ("failed", "ValueError: no", "failed"),
        ("failed", "WrongResult: sleeps.nap returned a str", "result"),
        ("failed", "LoopBlocked: stopped at here:1 in nap", "blocked"),
        ("timeout", "ActionTimeout: sleeps.nap was given up", "timeout"),
    ],
)
def test_each_way_to_fail_is_told_apart(
    platform: Platform, clock: ManualClock, outcome: RunOutcome, error: str, kind: str
) -> None:
    counted: list[tuple[str, str]] = []
    noticing = Noticing(clock.now, tell=lambda component, kind: counted.append((component, kind)))

    noticing(finished(clock, outcome, error))

    assert noticing.taken(platform) == [
        Trouble(
            component="sleeps",
            kind=kind,  # type: ignore[arg-type]
            action="sleeps.nap",
            first_at=clock.now(),
            last_at=clock.now(),
            text=error,
            process="p-1",
        )
    ]
    assert noticing.taken(platform) == []
    assert counted == [("sleeps", kind)]


@pytest.mark.parametrize("outcome", ["done", "nothing", "waiting", "replan", "terminated"])
def test_what_went_well_is_no_trouble(
    platform: Platform, clock: ManualClock, outcome: RunOutcome
) -> None:
    noticing = Noticing(clock.now)

    noticing(finished(clock, outcome))

    assert noticing.taken(platform) == []


def test_who_held_up_the_loop_is_found_by_its_code(platform: Platform, clock: ManualClock) -> None:
    noticing = Noticing(clock.now)
    held_up_at = clock.now()

    noticing.held_up(Place(f"{__name__}:17 in nap", is_component=True))
    noticing.held_up(Place("reactor.codec:3 in pack", is_component=False))
    noticing.held_up(Place("nobodys.module:3 in go", is_component=True))
    clock.move(timedelta(seconds=5))
    (trouble,) = noticing.taken(platform)

    assert (trouble.component, trouble.kind, trouble.last_at) == ("awake", "blocked", held_up_at)
    assert f"{__name__}:17 in nap" in trouble.problem


def test_a_component_that_rests_is_told_with_the_reason(
    platform: Platform, clock: ManualClock
) -> None:
    noticing = Noticing(clock.now)

    noticing.rested("sleeps", "it failed in 3 processes in a row")
    (trouble,) = noticing.taken(platform)

    assert (trouble.where, trouble.kind) == ("sleeps", "resting")
    assert trouble.problem.startswith("was left out for a while once, at ")
