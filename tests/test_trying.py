"""One try: whatever an executor does, it is an outcome."""

import threading
from collections.abc import Callable, Iterator
from dataclasses import replace
from datetime import timedelta

import pytest

from reactor import (
    Attempt,
    Effect,
    EffectDelayed,
    EffectGivenUp,
    EffectRecord,
    EffectRefused,
    Package,
    Platform,
    component,
    executes,
)
from reactor.adapters.clock import ManualClock
from reactor.adapters.github.answers import GitHubTrouble
from reactor.codec import UnknownEffect
from reactor.errors import InfrastructureError
from reactor.execution import Executor
from reactor.failure import PassingError
from reactor.ledger import Intent, Sending, Turn
from reactor.threads import MAX_HANGING
from reactor.trying import Tries

PAUSE, LEASE = timedelta(seconds=1), timedelta(seconds=30)


class Now(Effect): ...


class InAThread(Effect): ...


Does = Callable[[], object]


@component(effects=(Now, InAThread))
class Doer:
    def __init__(self) -> None:
        self.does: Does = lambda: None

    @executes
    async def now(self, effect: Now) -> object:
        return self.does()

    @executes
    def in_a_thread(self, effect: InAThread, attempt: Attempt) -> object:
        return self.does()


@pytest.fixture
def doer() -> Doer:
    return Doer()


@pytest.fixture
def clock() -> ManualClock:
    return ManualClock()


@pytest.fixture
def tries(doer: Doer, clock: ManualClock) -> Iterator[Tries]:
    with Executor() as executor:
        yield Tries(
            platform=Platform(packages=[Package(name="doer", components=(doer,))]),
            executor=executor,
            now=clock.now,
            monotonic_s=clock.monotonic_s,
            pause=lambda failures: PAUSE,
            timeout_s=0.05,
        )


def sending(
    effect: Effect, *, failures: int = 0, away: int = 0, delayed: timedelta = timedelta(0)
) -> Sending:
    record = EffectRecord(
        key="k1", effect=effect, subject="h/1#7", action="a.b", mode="live", state="intended"
    )
    intent = Intent(
        record=record, process_id="p1", delivery="h/d-1", host="h", subject_name="o/r#7", cause="c"
    )
    turn = Turn("h/1#7", "w", 1)
    return Sending(
        turn=turn,
        intent=intent,
        number=1,
        failures=failures,
        may_be_done=False,
        away=away,
        delayed=delayed,
    )


async def test_a_plain_method_runs_in_a_thread(tries: Tries, doer: Doer) -> None:
    doer.does = lambda: threading.current_thread() is threading.main_thread()

    here = await tries.make(sending(Now()))
    there = await tries.make(sending(InAThread()))

    assert (here.outcome.result, there.outcome.result) == ("true", "false")


async def test_an_executor_that_ends_more_than_itself_has_failed(tries: Tries, doer: Doer) -> None:
    def leave() -> None:
        raise SystemExit(3)

    doer.does = leave

    tried = await tries.make(sending(Now()))

    assert tried.outcome.state == "due"
    assert tried.outcome.failed
    assert "SystemExit" in tried.outcome.reason


@pytest.mark.parametrize(
    ("wanted_s", "due_s"), [(5, 5), (-1, 0), (1e12, 86_400), (float("nan"), 60)]
)
async def test_a_delay_is_no_longer_than_a_day_and_never_in_the_past(
    tries: Tries, doer: Doer, clock: ManualClock, wanted_s: float, due_s: float
) -> None:
    def delay() -> None:
        raise EffectDelayed("busy", wanted_s)

    doer.does = delay

    tried = await tries.make(sending(Now()))

    assert tried.outcome.due_at == clock.now() + timedelta(seconds=due_s)
    assert not tried.outcome.failed


def delaying(pause_s: float, *, counts: bool = True) -> Does:
    def delay() -> None:
        raise EffectDelayed("no token", pause_s, counts=counts)

    return delay


async def test_what_is_put_off_again_and_again_is_given_up_after_so_long(
    tries: Tries, doer: Doer
) -> None:
    doer.does = delaying(300)

    more = await tries.make(sending(Now(), delayed=timedelta(hours=23)))
    last = await tries.make(sending(Now(), delayed=timedelta(hours=24)))

    assert (more.outcome.state, more.outcome.delayed) == ("due", timedelta(seconds=300))
    assert (last.outcome.state, last.outcome.may_be_done) == ("given_up", False)
    assert "put off for 86400 s (effects.give_up_after_s)" in last.outcome.reason
    assert "no token" in last.outcome.reason


async def test_a_delay_that_ends_by_itself_brings_it_no_nearer_to_that(
    tries: Tries, doer: Doer
) -> None:
    doer.does = delaying(5, counts=False)

    late = await tries.make(sending(Now(), delayed=timedelta(days=2)))

    assert (late.outcome.state, late.outcome.delayed) == ("due", timedelta(0))


async def test_what_waits_for_a_person_is_given_up_at_once_and_tells_how_to_go_on(
    tries: Tries, doer: Doer
) -> None:
    def give_up() -> None:
        raise EffectGivenUp("the app lacks the permission issues=write; grant it")

    doer.does = give_up

    tried = await tries.make(sending(Now()))

    assert (tried.outcome.state, tried.outcome.may_be_done) == ("given_up", False)
    assert "issues=write; grant it; then `reactor effects retry k1`" in tried.outcome.reason


async def test_what_can_no_longer_be_read_is_given_up_by_its_name(tries: Tries) -> None:
    gone = UnknownEffect(type_name="team:Gone", raw="{}")

    tried = await tries.make(sending(gone))

    assert tried.outcome.state == "given_up"
    assert "nothing installed sends Gone" in tried.outcome.reason
    assert not tried.outcome.may_be_done


def site_error(status: int) -> Exception:
    """As clients raise: known by the status that it carries."""
    error = RuntimeError(f"answered {status}")
    error.status = status  # type: ignore[attr-defined]
    return error


AWAY = [
    ConnectionError("reset"),
    TimeoutError(),
    PassingError("in maintenance"),
    InfrastructureError("github", "away"),
    GitHubTrouble("github.com", "answered POST /labels with 502"),
    site_error(502),
    site_error(429),
]
OWN = [ValueError("bad"), RuntimeError("who knows"), site_error(422)]


@pytest.mark.parametrize("error", AWAY, ids=repr)
async def test_while_the_other_side_is_away_it_is_tried_far_more_often(
    tries: Tries, doer: Doer, error: Exception
) -> None:
    doer.does = raising(error)

    many = await tries.make(sending(Now(), failures=298, away=298))
    last = await tries.make(sending(Now(), failures=299, away=299))

    assert (many.outcome.state, many.outcome.away) == ("due", True)
    assert (last.outcome.state, last.outcome.may_be_done) == ("given_up", True)
    assert "effects.give_up_after_s" in last.outcome.reason
    assert str(error) in last.outcome.reason


@pytest.mark.parametrize("error", OWN, ids=repr)
async def test_other_failures_are_few_and_those_of_an_outage_are_none_of_them(
    tries: Tries, doer: Doer, error: Exception
) -> None:
    doer.does = raising(error)

    more = await tries.make(sending(Now(), failures=208, away=200))
    last = await tries.make(sending(Now(), failures=209, away=200))

    assert (more.outcome.state, more.outcome.away) == ("due", False)
    assert (last.outcome.state, last.outcome.may_be_done) == ("given_up", True)
    assert "it failed 10 times (effects.attempts)" in last.outcome.reason


async def test_cut_off_too_often_it_is_not_tried_again_whatever_the_outages_before(
    tries: Tries, doer: Doer
) -> None:
    doer.does = lambda: "made"

    fine = await tries.make(sending(Now(), failures=209, away=200))
    over = await tries.make(sending(Now(), failures=210, away=200))

    assert fine.outcome.state == "done"
    assert over.outcome.state == "given_up"
    assert "cut off 10 times" in over.outcome.reason


def raising(error: Exception) -> Does:
    def does() -> None:
        raise error

    return does


async def test_while_a_thread_hangs_its_change_is_not_looked_for(
    tries: Tries, doer: Doer, clock: ManualClock
) -> None:
    """And where too many hang, others of the component are not even tried, which is no failure."""
    go_on = threading.Event()
    doer.does = go_on.wait

    outcomes = [(await tries.make(sending(InAThread()))).outcome for _ in range(MAX_HANGING + 1)]
    go_on.set()

    assert all(outcome.may_be_done and outcome.failed for outcome in outcomes[:-1])
    assert not any(outcome.away for outcome in outcomes)  # each leaves a thread behind
    assert outcomes[0].due_at == clock.now() + PAUSE
    assert not outcomes[-1].failed
    assert not outcomes[-1].may_be_done


async def test_a_thread_that_outlives_its_time_out_is_given_that_time_again(
    tries: Tries, doer: Doer, clock: ManualClock
) -> None:
    go_on = threading.Event()
    doer.does = go_on.wait  # as a call to a server without a time-out of its own
    slow = Tries(
        platform=tries.platform,
        executor=tries.executor,
        now=clock.now,
        monotonic_s=clock.monotonic_s,
        pause=lambda failures: timedelta(0),
        timeout_s=0.05,
    )

    tried = await slow.make(sending(InAThread()))
    go_on.set()

    assert tried.outcome.due_at == clock.now() + timedelta(seconds=0.05)


async def test_what_is_cut_off_with_its_worker_is_looked_for_at_once_unless_a_thread_is_at_it(
    tries: Tries, clock: ManualClock
) -> None:
    stopped = tries.cut_off(sending(Now()), lease=LEASE)
    running = tries.cut_off(sending(InAThread()), lease=LEASE)

    assert (stopped.due_at, running.due_at) == (clock.now(), clock.now() + LEASE)
    assert stopped.may_be_done
    assert running.may_be_done


class Gate:
    """A look before each try; counts."""

    def __init__(self, stands_against: Exception | None = None) -> None:
        self.stands_against, self.looks = stands_against, 0

    async def __call__(self, intent: Intent) -> None:
        self.looks += 1
        if self.stands_against:
            raise self.stands_against


@pytest.mark.parametrize(
    ("error", "state", "reason"),
    [
        (EffectRefused("octo/hello#7 was deleted"), "refused", "octo/hello#7 was deleted"),
        (
            EffectGivenUp("it is archived"),
            "given_up",
            "it is archived; then `reactor effects retry",
        ),
    ],
)
async def test_what_stands_against_it_is_told_and_its_executor_not_called(
    tries: Tries, doer: Doer, error: Exception, state: str, reason: str
) -> None:
    called: list[str] = []
    doer.does = lambda: called.append("now")
    first, second, third = Gate(), Gate(error), Gate()

    tried = await replace(tries, looks=(first, second, third)).make(sending(Now()))

    assert tried.outcome.state == state
    assert reason in tried.outcome.reason
    assert (first.looks, second.looks, third.looks) == (1, 1, 0)
    assert called == []


async def test_while_nobody_can_look_it_is_due_later_and_that_is_no_failure(
    tries: Tries, doer: Doer, clock: ManualClock
) -> None:
    away = Gate(InfrastructureError("redis", "it is away"))

    outcome = (await replace(tries, looks=(away,)).make(sending(Now()))).outcome

    assert outcome.state == "due"
    assert outcome.due_at is not None
    assert outcome.due_at > clock.now()
    assert not outcome.failed
    assert not outcome.may_be_done
    assert outcome.delayed == timedelta(0)


async def test_what_nothing_stands_against_is_sent(tries: Tries, doer: Doer) -> None:
    doer.does = lambda: "sent"

    outcome = (await replace(tries, looks=(Gate(), Gate())).make(sending(Now()))).outcome

    assert (outcome.state, outcome.result) == ("done", '"sent"')
