"""Effects are sent once each, in order, and nothing is forgotten, whatever executors do."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from datetime import timedelta

import pytest

from reactor import (
    AlreadyDone,
    Attempt,
    Effect,
    EffectDelayed,
    EffectGivenUp,
    EffectRecord,
    EffectRefused,
    InfrastructureError,
    Package,
    Platform,
    ProcessHead,
    ReactorError,
    component,
    executes,
)
from reactor.adapters.clock import ManualClock
from reactor.adapters.memory_ledger import MemoryLedger
from reactor.codec import Codec, UnreadableLine
from reactor.effect import EffectState, Mode
from reactor.execution import Executor
from reactor.ledger import Caps, Enrolled, Fate, Intent, NotNow, Ruling, Sending, Waiting
from reactor.sending import AskedFor, Sender
from reactor.trying import LONGEST_RESULT, Tried, Tries

SUBJECT = "github.com/1#7"
PLENTY = Caps(per_event=1000, per_day=1000, per_subject=1000, window=timedelta(minutes=10))
PAUSE = timedelta(seconds=60)


class Ring(Effect):
    text: str = "ding"


class Unheard(Effect): ...


Says = Callable[[Ring, Attempt], Awaitable[object]]


@component(effects=(Ring, Unheard))
class Bell:
    """What `says` gives or raises; it notes every try, and how many ran at once."""

    def __init__(self) -> None:
        self.tries: list[tuple[str, Attempt]] = []
        self.says: Says = self.agree
        self.at_once = self.most_at_once = 0

    async def agree(self, effect: Ring, attempt: Attempt) -> object:
        return None

    @executes
    async def ring(self, effect: Ring, attempt: Attempt) -> object:
        self.tries.append((effect.text, attempt))
        self.at_once += 1
        self.most_at_once = max(self.most_at_once, self.at_once)
        try:
            return await self.says(effect, attempt)
        finally:
            self.at_once -= 1

    @property
    def rung(self) -> list[str]:
        return [text for text, _ in self.tries]


@dataclass
class Told:
    """An observer that notes what it is told."""

    enrolments: list[Enrolled] = field(default_factory=list)
    results: list[Tried] = field(default_factory=list)
    losses: list[str] = field(default_factory=list)
    troubles: list[ReactorError] = field(default_factory=list)

    def enrolled(self, intent: Intent, enrolled: Enrolled) -> None:
        self.enrolments.append(enrolled)

    def tried(self, sending: Sending, tried: Tried) -> None:
        self.results.append(tried)

    def lost(self, intent: Intent) -> None:
        self.losses.append(intent.key)

    def in_trouble(self, error: ReactorError) -> None:
        self.troubles.append(error)


@dataclass
class Site:
    """A ledger, a clock and a bell, and as many senders as a test wants."""

    bell: Bell = field(default_factory=Bell)
    clock: ManualClock = field(default_factory=ManualClock)
    told: Told = field(default_factory=Told)
    caps: Caps = PLENTY
    attempts: int = 3  # also while the other side is away
    concurrency: int = 4
    timeout_s: float = 30.0

    def __post_init__(self) -> None:
        self.platform = Platform(
            packages=[Package(name="bell", components=(self.bell,))], types=[Unheard]
        )
        self.ledger = MemoryLedger(Codec(self.platform.catalog), self.clock)
        self.executor = Executor()

    def sender(self, owner: str = "a", *, asked_for: AskedFor | None = None) -> Sender:
        return Sender(
            ledger=self.ledger,
            tries=Tries(
                platform=self.platform,
                executor=self.executor,
                now=self.clock.now,
                monotonic_s=self.clock.monotonic_s,
                pause=lambda failures: PAUSE * (failures + 1),
                most_failures=self.attempts,
                most_away=self.attempts,
                timeout_s=self.timeout_s,
            ),
            caps=self.caps,
            clock=self.clock,
            owner=owner,
            observers=(self.told,),
            concurrency=self.concurrency,
            lease=timedelta(seconds=30),
            look_every=timedelta(milliseconds=5),
            asked_for=asked_for or (lambda head, record: False),
        )

    async def fate(self, key: str, *, subject: str = SUBJECT) -> Fate:
        return (await self.ledger.fates(subject, [key]))[key]

    async def comes_to(self, state: str, key: str = "k1") -> Fate:
        """The fate of the effect once it is that."""
        async with asyncio.timeout(10):
            while (found := await self.fate(key)).state != state:  # noqa: ASYNC110 - a ledger tells nobody
                await asyncio.sleep(0.002)
        return found


@pytest.fixture
def site() -> Site:
    return Site()


@asynccontextmanager
async def running(sender: Sender) -> AsyncIterator[Sender]:
    async with asyncio.TaskGroup() as group:
        task = group.create_task(sender.run())
        yield sender
        task.cancel()


async def eventually(holds: Callable[[], bool]) -> None:
    async with asyncio.timeout(10):
        while not holds():  # noqa: ASYNC110 - what is looked at has no event
            await asyncio.sleep(0.002)


def head(site: Site, process_id: str = "p1", delivery: str = "github.com/d-1") -> ProcessHead:
    return ProcessHead(
        id=process_id,
        delivery=delivery,
        reaction="bells",
        subject=SUBJECT,
        subject_name="octo/hello#7",
        host="github.com",
        cause="c1",
        causation=("d-0",),
        agent="reactor",
        planner="utility",
        created_at=site.clock.now(),
        updated_at=site.clock.now(),
    )


def record(
    key: str = "k1",
    effect: Effect | None = None,
    *,
    subject: str = SUBJECT,
    mode: Mode = "live",
    state: EffectState = "intended",
) -> EffectRecord:
    return EffectRecord(
        key=key,
        effect=effect or Ring(text=key),
        subject=subject,
        action="bell.want",
        mode=mode,
        state=state,
    )


def records(*keys: str) -> Sequence[EffectRecord]:
    return [record(key) for key in keys]


# What goes well ----------------------------------------------------------------------------


async def test_what_a_person_asked_for_is_sent_before_what_was_wished_earlier(site: Site) -> None:
    sender = site.sender(asked_for=lambda head, record: record.key == "asked for")
    others = [f"k{number}" for number in range(5)]
    for key in others:
        await sender.take(head(site), [record(key, subject=f"github.com/1#{key}")])
        site.clock.move(timedelta(seconds=1))

    await sender.take(head(site), [record("asked for")])
    sender.concurrency = 1
    async with running(sender):
        await eventually(lambda: len(site.bell.rung) == 6)

    assert site.bell.rung == ["asked for", *others]
    assert [attempt.priority for _, attempt in site.bell.tries] == [1, 0, 0, 0, 0, 0]


async def test_what_a_live_process_wants_is_sent_at_once(site: Site) -> None:
    async with running(site.sender()) as sender:
        await sender.take(head(site), [record()])

        done = await site.comes_to("done")

    ((text, attempt),) = site.bell.tries
    assert text == "k1"
    assert attempt == Attempt(
        key="k1",
        host="github.com",
        subject=SUBJECT,
        subject_name="octo/hello#7",
        delivery="github.com/d-1",
        cause="c1",
        number=1,
        may_be_done=False,
    )
    assert (done.attempts, done.process_id) == (1, "p1")


async def test_what_a_person_has_to_approve_is_sent_once_somebody_has(site: Site) -> None:
    async with running(site.sender()) as sender:
        await sender.take(head(site), [record("k1", mode="approve"), record("k2")])
        await site.comes_to("done", "k2")
        held = await site.fate("k1")
        ruling = Ruling(is_approved=True, by="octocat")
        await site.ledger.rule(SUBJECT, "k1", ruling, now=site.clock.now())

        done = await site.comes_to("done", "k1")

    assert held.state == "held"
    assert site.bell.rung == ["k2", "k1"]
    assert done.ruled_by == "octocat"


@pytest.mark.parametrize(("mode", "state"), [("observe", "observed"), ("live", "done")])
async def test_what_is_only_observed_never_enters_the_ledger(
    site: Site, mode: Mode, state: EffectState
) -> None:
    await site.sender().take(head(site), [record(mode=mode, state=state)])

    assert await site.ledger.fates(SUBJECT, ["k1"]) == {}
    assert await site.ledger.subjects_waiting() == 0


async def test_effects_of_a_subject_are_sent_in_order_and_one_at_a_time(site: Site) -> None:
    async def take_a_while(effect: Ring, attempt: Attempt) -> None:
        await asyncio.sleep(0)

    site.bell.says = take_a_while
    keys = [f"k{number}" for number in range(9)]
    async with running(site.sender()) as sender:
        await sender.take(head(site), records(*keys))
        await site.comes_to("done", keys[-1])

    assert site.bell.rung == keys
    assert site.bell.most_at_once == 1


async def test_subjects_are_sent_beside_each_other_up_to_the_limit(site: Site) -> None:
    site.concurrency = 3
    go_on = asyncio.Event()

    async def wait(effect: Ring, attempt: Attempt) -> None:
        await go_on.wait()

    site.bell.says = wait
    async with running(site.sender()) as sender:
        for number in range(5):
            subject = f"github.com/1#{number}"
            await sender.take(head(site), [record(f"k{number}", subject=subject)])
        await eventually(lambda: site.bell.at_once == 3)
        go_on.set()
        await eventually(lambda: len(site.told.results) == 5)

    assert site.bell.most_at_once == 3


async def test_the_result_is_kept_for_people(site: Site) -> None:
    async def answer(effect: Ring, attempt: Attempt) -> object:
        return {"id": 17, "at": site.clock.now()}

    site.bell.says = answer
    async with running(site.sender()) as sender:
        await sender.take(head(site), [record()])
        done = await site.comes_to("done")

    assert done.result == '{"id":17,"at":"2026-01-01T00:00:00Z"}'


@pytest.mark.parametrize("result", [object(), "x" * LONGEST_RESULT])
async def test_a_result_that_is_no_json_or_too_long_is_no_failure(
    site: Site, result: object
) -> None:
    async def answer(effect: Ring, attempt: Attempt) -> object:
        return result

    site.bell.says = answer
    async with running(site.sender()) as sender:
        await sender.take(head(site), [record()])
        done = await site.comes_to("done")

    assert 0 < len(done.result) < LONGEST_RESULT


# Once --------------------------------------------------------------------------------------


async def test_what_is_taken_again_is_not_sent_again(site: Site) -> None:
    """A record that is read again, and a process that goes on after it had waited."""
    async with running(site.sender()) as sender:
        await sender.take(head(site), [record()])
        await site.comes_to("done")
        await sender.take(head(site), records("k1", "k2"))
        await site.comes_to("done", "k2")

    assert site.bell.rung == ["k1", "k2"]


async def test_a_second_process_that_wants_the_same_learns_whose_it_is(site: Site) -> None:
    async with running(site.sender()) as sender:
        await sender.take(head(site), [record()])
        await site.comes_to("done")
        await sender.take(head(site, "p2", "github.com/d-2"), [record()])

    assert site.bell.rung == ["k1"]
    assert [(told.verdict, told.process_id) for told in site.told.enrolments] == [
        ("queued", "p1"),
        ("repeated", "p1"),
    ]


async def test_beyond_a_cap_nothing_is_sent(site: Site) -> None:
    site.caps = Caps(per_event=1, per_day=9, per_subject=9, window=timedelta(minutes=1))
    async with running(site.sender()) as sender:
        await sender.take(head(site), records("k1", "k2"))
        await site.comes_to("done")

    refused = await site.fate("k2")
    assert (refused.state, refused.reason) == ("refused", site.caps.over_event)
    assert site.bell.rung == ["k1"]


async def test_a_change_that_was_there_counts_as_done_and_is_told(site: Site) -> None:
    async def find_it(effect: Ring, attempt: Attempt) -> object:
        return AlreadyDone("comment 17")

    site.bell.says = find_it
    async with running(site.sender()) as sender:
        await sender.take(head(site), [record()])
        done = await site.comes_to("done")
        await eventually(lambda: len(site.told.results) == 1)

    assert done.result == '"comment 17"'
    assert site.told.results[0].was_there


# What goes wrong ---------------------------------------------------------------------------


async def test_one_that_is_refused_holds_up_nobody(site: Site) -> None:
    async def refuse(effect: Ring, attempt: Attempt) -> None:
        if effect.text == "k1":
            raise EffectRefused("bells are forbidden here")

    site.bell.says = refuse
    async with running(site.sender()) as sender:
        await sender.take(head(site), records("k1", "k2"))
        await site.comes_to("done", "k2")

    refused = await site.fate("k1")
    assert (refused.state, refused.attempts) == ("refused", 1)
    assert "bells are forbidden here" in refused.reason


async def test_one_that_is_delayed_is_sent_when_it_is_due_and_the_others_wait(site: Site) -> None:
    async def delay_once(effect: Ring, attempt: Attempt) -> None:
        if effect.text == "k1" and attempt.number == 1:
            raise EffectDelayed("quota used up", 120)

    site.bell.says = delay_once
    async with running(site.sender()) as sender:
        await sender.take(head(site), records("k1", "k2"))
        due = await site.comes_to("due")
        waiting = await site.fate("k2")
        site.clock.move(timedelta(seconds=120))
        await site.comes_to("done", "k2")

    assert "quota used up" in due.reason
    assert waiting.state == "intended"
    assert site.bell.rung == ["k1", "k1", "k2"]
    assert [attempt.may_be_done for _, attempt in site.bell.tries] == [False, False, False]


async def test_delays_count_as_no_failure(site: Site) -> None:
    async def delay(effect: Ring, attempt: Attempt) -> None:
        if attempt.number < 9:
            raise EffectDelayed("quota used up", 0)

    site.bell.says = delay
    async with running(site.sender()) as sender:
        await sender.take(head(site), [record()])
        done = await site.comes_to("done")

    assert done.attempts == 9


async def test_after_any_other_error_the_next_try_looks_first(site: Site) -> None:
    """Of an answer that was lost nobody knows what it said."""

    async def fail_once(effect: Ring, attempt: Attempt) -> None:
        if attempt.number == 1:
            raise ConnectionError("reset by peer")

    site.bell.says = fail_once
    async with running(site.sender()) as sender:
        await sender.take(head(site), [record()])
        due = await site.comes_to("due")
        site.clock.move(PAUSE)
        await site.comes_to("done")

    assert due.due_at == site.clock.now()
    assert "reset by peer" in due.reason
    assert [attempt.may_be_done for _, attempt in site.bell.tries] == [False, True]


@pytest.mark.parametrize(
    ("error", "setting"),
    [
        (ValueError("bad"), "effects.attempts"),
        (InfrastructureError("github", "away"), "effects.give_up_after_s"),
    ],
)
async def test_pauses_grow_and_after_so_many_failures_it_is_given_up(
    site: Site, error: Exception, setting: str
) -> None:
    async def fail(effect: Ring, attempt: Attempt) -> None:
        raise error

    site.bell.says = fail
    due = []
    async with running(site.sender()) as sender:
        await sender.take(head(site), records("k1", "k2"))
        for _ in range(2):
            found = await site.comes_to("due")
            assert found.due_at is not None
            due.append(found.due_at - site.clock.now())
            site.clock.move(due[-1])
            await eventually(lambda: len(site.bell.rung) > len(due))
        given_up = await site.comes_to("given_up")
        await site.comes_to("due", "k2")

    assert due == [PAUSE, 2 * PAUSE]
    assert given_up.attempts == 3
    assert type(error).__name__ in given_up.reason
    assert setting in given_up.reason


async def test_given_up_in_an_outage_and_driven_again_it_looks_first_and_is_made(
    site: Site,
) -> None:
    is_away = True

    async def fail(effect: Ring, attempt: Attempt) -> str:
        if is_away:
            raise ConnectionError("refused")
        return "made"

    site.attempts, site.bell.says = 1, fail
    async with running(site.sender()) as sender:
        await sender.take(head(site), [record()])
        await site.comes_to("given_up")
        is_away = False
        (given_up,) = await site.ledger.given_up(limit=9)
        await site.ledger.retry(given_up, now=site.clock.now())
        done = await site.comes_to("done")

    assert done.result == '"made"'
    assert [attempt.may_be_done for _, attempt in site.bell.tries] == [False, True]


async def test_what_waits_for_a_permission_holds_up_nobody_and_is_made_once_it_is_granted(
    site: Site,
) -> None:
    is_granted = False

    async def need_permission(effect: Ring, attempt: Attempt) -> None:
        if effect.text == "k1" and not is_granted:
            raise EffectGivenUp("the permission to ring is missing: grant it")

    site.bell.says = need_permission
    async with running(site.sender()) as sender:
        await sender.take(head(site), records("k1", "k2"))
        await site.comes_to("done", "k2")
        (given_up,) = await site.ledger.given_up(limit=9)
        is_granted = True
        await site.ledger.retry(given_up, now=site.clock.now())
        await site.comes_to("done")

    assert given_up.reason.endswith("grant it; then `reactor effects retry k1`")
    assert [attempt.may_be_done for _, attempt in site.bell.tries] == [False, False, False]


async def test_a_try_that_takes_too_long_is_given_up_and_may_be_done(site: Site) -> None:
    async def hang_once(effect: Ring, attempt: Attempt) -> None:
        if attempt.number == 1:
            await asyncio.Event().wait()

    site.timeout_s = 0.01
    site.bell.says = hang_once
    async with running(site.sender()) as sender:
        await sender.take(head(site), [record()])
        due = await site.comes_to("due")
        site.clock.move(PAUSE)
        await site.comes_to("done")

    assert "given up after 0.01 s" in due.reason
    assert site.bell.tries[1][1].may_be_done


async def test_a_kind_that_nothing_sends_is_given_up_with_its_name(site: Site) -> None:
    async with running(site.sender()) as sender:
        await sender.take(head(site), [record("k1", Unheard()), record("k2")])
        await site.comes_to("done", "k2")

    given_up = await site.fate("k1")
    assert given_up.state == "given_up"
    assert "nothing installed sends Unheard" in given_up.reason


# Crashes and takeovers ---------------------------------------------------------------------


async def test_what_a_worker_left_when_it_died_is_found_by_another(site: Site) -> None:
    await site.sender("a").take(head(site), [record()])  # and it never gets to send it

    async with running(site.sender("b")):
        await site.comes_to("done")

    assert site.bell.rung == ["k1"]


async def test_a_try_that_was_cut_off_is_made_again_when_its_turn_is_over(site: Site) -> None:
    await site.sender("a").take(head(site), [record()])
    lease = timedelta(seconds=30)
    await site.ledger.begin(SUBJECT, owner="a", lease=lease, now=site.clock.now())

    async with running(site.sender("b")):
        held = await site.ledger.begin(SUBJECT, owner="b", lease=lease, now=site.clock.now())
        site.clock.move(lease)
        done = await site.comes_to("done")

    assert isinstance(held, NotNow)
    ((_, attempt),) = site.bell.tries
    assert (attempt.number, attempt.may_be_done) == (2, True)
    assert done.attempts == 2


async def test_a_try_that_takes_its_workers_down_is_not_made_for_ever(site: Site) -> None:
    await site.sender("a").take(head(site), [record()])
    for _ in range(site.attempts + 1):
        await site.ledger.begin(
            SUBJECT, owner="a", lease=timedelta(seconds=30), now=site.clock.now()
        )

    async with running(site.sender("a")):
        given_up = await site.comes_to("given_up")

    assert site.bell.rung == []
    assert "cut off 4 times" in given_up.reason


async def test_what_comes_of_a_try_does_not_count_when_its_turn_was_taken_over(site: Site) -> None:
    async def lose_the_turn(effect: Ring, attempt: Attempt) -> object:
        if attempt.number > 1:
            return "second"
        site.clock.move(timedelta(seconds=31))
        await site.ledger.begin(
            SUBJECT, owner="b", lease=timedelta(seconds=30), now=site.clock.now()
        )
        return "first"

    site.bell.says = lose_the_turn
    async with running(site.sender("a")) as sender:
        await sender.take(head(site), [record()])
        await eventually(lambda: site.told.losses == ["k1"])
        taken_over = await site.fate("k1")
        site.clock.move(timedelta(seconds=31))
        done = await site.comes_to("done")

    assert taken_over.state == "sending"
    assert (done.result, done.attempts) == ('"second"', 3)


async def test_a_stopping_sender_finishes_what_it_is_at_and_begins_nothing_more(
    site: Site,
) -> None:
    go_on = asyncio.Event()

    async def wait(effect: Ring, attempt: Attempt) -> None:
        await go_on.wait()

    site.bell.says = wait
    async with asyncio.TaskGroup() as group:
        sender = site.sender()
        task = group.create_task(sender.run())
        await sender.take(head(site), records("k1", "k2"))
        await eventually(lambda: site.bell.at_once == 1)
        draining = group.create_task(sender.drain(timedelta(seconds=10)))
        await asyncio.sleep(0)
        go_on.set()
        await draining
        await task

    assert (await site.fate("k1")).state == "done"
    assert (await site.fate("k2")).state == "intended"


async def test_what_is_cut_off_by_a_stop_is_handed_back_at_once(site: Site) -> None:
    async def hang_once(effect: Ring, attempt: Attempt) -> None:
        if attempt.number == 1:
            await asyncio.Event().wait()

    site.bell.says = hang_once
    async with running(site.sender("a")) as sender:
        await sender.take(head(site), [record()])
        await eventually(lambda: site.bell.at_once == 1)
        await sender.drain(timedelta(0))
    handed_back = await site.fate("k1")

    async with running(site.sender("b")):
        await site.comes_to("done")

    assert handed_back.state == "due"
    assert [attempt.may_be_done for _, attempt in site.bell.tries] == [False, True]


class AwayLedger(MemoryLedger):
    """A ledger that can be away."""

    is_away = False

    async def waiting(self, **more: object) -> list[Waiting]:
        self._answer()
        return await super().waiting(**more)  # type: ignore[arg-type]

    async def finish(self, *arguments: object, **more: object) -> bool:
        self._answer()
        return await super().finish(*arguments, **more)  # type: ignore[arg-type]

    def _answer(self) -> None:
        if self.is_away:
            raise InfrastructureError("redis", "away")


async def test_a_change_that_was_made_while_the_ledger_was_away_is_kept_when_it_is_back(
    site: Site,
) -> None:
    ledger = AwayLedger(Codec(site.platform.catalog), site.clock)
    site.ledger = ledger

    async def cut_the_wire(effect: Ring, attempt: Attempt) -> None:
        ledger.is_away = True

    site.bell.says = cut_the_wire
    async with running(site.sender()) as sender:
        await sender.take(head(site), [record()])
        await eventually(lambda: len(site.told.troubles) > 1)
        meanwhile = await site.fate("k1")
        ledger.is_away = False
        done = await site.comes_to("done")

    assert meanwhile.state == "sending"
    assert done.attempts == 1
    assert site.bell.rung == ["k1"]


class OddLedger(MemoryLedger):
    """A ledger that holds what this version can't read, under one subject."""

    odd = "github.com/1#666"

    async def begin(self, subject: str, **more: object) -> Sending | NotNow:
        if subject == self.odd:
            raise UnreadableLine("intent", "{}")
        return await super().begin(subject, **more)  # type: ignore[arg-type]


async def test_a_subject_that_is_stuck_stops_no_other(site: Site) -> None:
    ledger = OddLedger(Codec(site.platform.catalog), site.clock)
    site.ledger = ledger
    async with running(site.sender()) as sender:
        await sender.take(head(site), [record("k0", subject=ledger.odd)])
        await eventually(lambda: len(site.told.troubles) == 1)
        await sender.take(head(site), [record("k1")])
        await site.comes_to("done")

    assert "the effects of github.com/1#666 wait" in str(site.told.troubles[0])
    due = await ledger.waiting(now=site.clock.now() + timedelta(seconds=30), limit=9)
    assert ledger.odd in [waiting.subject for waiting in due]


async def test_the_index_is_empty_once_all_is_sent(site: Site) -> None:
    async with running(site.sender()) as sender:
        await sender.take(head(site), records("k1", "k2"))
        await site.comes_to("done", "k2")
        async with asyncio.timeout(10):
            while await site.ledger.subjects_waiting():  # noqa: ASYNC110 - as above
                await asyncio.sleep(0.002)

    assert sorted(site.bell.rung) == ["k1", "k2"]
