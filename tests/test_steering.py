"""Signals steer processes: answers, wakes and wishes, each heard once."""

import json
from dataclasses import dataclass, replace
from datetime import timedelta

import pytest

from reactor import PassingError, RetryPolicy, action, component, wait_for
from reactor.adapters.clock import ManualClock
from reactor.adapters.memory import MemoryBoards, MemoryJournalLog
from reactor.adapters.memory_forms import MemoryForms
from reactor.adapters.memory_ledger import MemoryLedger
from reactor.adapters.memory_timers import MemoryTimers
from reactor.codec import Codec
from reactor.delivery import Delivery
from reactor.effect import EffectRecord, effect_key
from reactor.explain import ToldProcess, told_process
from reactor.firing import record_of
from reactor.follow_up import FollowUp, Pauses, waking
from reactor.github import AddLabels, Issue
from reactor.github.events import read_event
from reactor.github.facts import FACT_TYPES, cause_of
from reactor.github.own import OwnIdentity
from reactor.github.reading import GitHubReader
from reactor.ledger import Caps, Fate, Intent
from reactor.package import Package
from reactor.platform import Platform
from reactor.reaction import Reaction
from reactor.runner import Runner
from reactor.scope import Scope
from reactor.sentences import answer_sentence
from reactor.signal import (
    LIFECYCLE,
    BadSignal,
    EffectRuling,
    Signal,
    answering,
    as_delivery,
    retrying,
    ruling_on,
)
from reactor.status import ProcessHead, Status, process_id
from reactor.steering import AnswerUnheard, SignalLost, Steering
from reactor.testing import delivery, issue
from reactor.waiting import Answer, Wish
from reactor.worker import Listener, Settled, Worker

DAY = timedelta(days=1)


@dataclass(frozen=True)
class Urgency:
    level: int


@component(effects=(AddLabels,))
class Asking:
    """Asks a person how urgent it is."""

    @action(value=0.9)
    async def ask(self, issue: Issue) -> Urgency:
        """Ask."""
        return wait_for.form(Urgency, title=issue.title, expires=DAY, default=Urgency(0))

    @action(value=0.5)
    async def label(self, urgency: Urgency) -> AddLabels:
        """Say so."""
        return AddLabels(labels=(f"urgency-{urgency.level}",))


@component
class Model:
    """Answers when it is up."""

    def __init__(self) -> None:
        self.is_up = False

    @action(retry=RetryPolicy(attempts=1))
    async def assess(self, issue: Issue) -> Urgency:
        """Assess."""
        if not self.is_up:
            raise PassingError("down")
        return Urgency(1)


class Site:
    """A worker that hears signals, in memory."""

    def __init__(self, component: object) -> None:
        self.clock = ManualClock()
        platform = Platform(packages=[Package(name="p", components=(component,))], types=FACT_TYPES)
        self.boards = MemoryBoards(Codec(platform.catalog), self.clock)
        self.journal = MemoryJournalLog()
        self.forms, self.timers = MemoryForms(), MemoryTimers(self.clock)
        self.follow_up = FollowUp(forms=self.forms, timers=self.timers)
        self.worker = Worker(
            listeners=[
                Listener(
                    reaction=Reaction(name="triage", on=("issues",), max_wakes=2),
                    scope=Scope.platform(),
                    when=None,
                )
            ],
            reader=GitHubReader(OwnIdentity(login="reactor[bot]")),
            runner=Runner(platform=platform, boards=self.boards, clock=self.clock, owner="w"),
            boards=self.boards,
            journal=self.journal,
            follow_up=self.follow_up,
        )
        self.ledger = MemoryLedger(Codec(platform.catalog), self.clock)
        self.steering = Steering(
            worker=self.worker, follow_up=self.follow_up, clock=self.clock, ledger=self.ledger
        )

    async def begin(self) -> ProcessHead:
        settled = await self.worker.settle(delivery("issues.opened", issue=issue("It crashes")))
        (head,) = settled.heads
        return head

    async def tell(self, signal: Signal) -> Settled:
        return await self.steering.settle(sent(as_delivery(signal, at=self.clock.now())))

    async def fire(self) -> Settled:
        """Let the one timer fire."""
        (timer,) = await self.timers.all()
        self.clock.move(timer.due_at - self.clock.now())
        await self.timers.fired(timer, None)
        return await self.steering.settle(sent(record_of(timer, at=self.clock.now())))


def sent(record: Delivery) -> Delivery:
    """As it is read from its topic."""
    return replace(record, payload=json.loads(record.body))


def answer_to(head: ProcessHead, value: object, *, id: str = "a-1") -> Answer:
    return Answer(id=id, form_id=head.forms[0].id, by="ann", value=value)


def statuses(settled: Settled) -> list[Status]:
    return [head.status for head in settled.heads]


async def labels(site: Site, head: ProcessHead) -> list[object]:
    stored = await site.boards.read(head.id)
    assert stored is not None
    return [record.effect for record in stored.effects]


async def explained(site: Site, head: ProcessHead) -> ToldProcess:
    stored = await site.boards.read(head.id)
    assert stored is not None
    return told_process(stored, await site.boards.journal(head.id))


# Forms ---------------------------------------------------------------------------------------


async def test_a_process_that_waits_has_its_form_listed_and_a_timer_set() -> None:
    site = Site(Asking())

    head = await site.begin()

    assert head.status is Status.WAITING
    assert await site.forms.newest(limit=9) == [head.forms[0].id]
    (timer,) = await site.timers.all()
    assert timer.due_at == head.forms[0].expires_at


async def test_an_answer_lets_the_process_go_on_with_its_scope_and_its_effects() -> None:
    site = Site(Asking())
    head = await site.begin()

    settled = await site.tell(answering(answer_to(head, {"level": 3})))

    assert statuses(settled) == [Status.TERMINATED]
    assert await labels(site, head) == [AddLabels(labels=("urgency-3",))]
    assert await site.forms.newest(limit=9) == []
    assert await site.timers.all() == []


async def test_the_keys_of_effects_are_those_of_a_run_without_a_break() -> None:
    site = Site(Asking())
    opened = delivery("issues.opened", issue=issue("It crashes"))
    head = await site.begin()

    await site.tell(answering(answer_to(head, {"level": 3})))

    stored = await site.boards.read(head.id)
    assert stored is not None
    (record,) = stored.effects
    cause = cause_of(read_event(opened))
    assert record.key == effect_key(
        record.effect, host=opened.host, subject=opened.subject.key, cause=cause
    )


async def test_the_journal_tells_all_of_it_once() -> None:
    site = Site(Asking())
    head = await site.begin()
    signal = answering(answer_to(head, {"level": 3}))

    await site.tell(signal)
    await site.tell(signal)

    kinds = [record.kind for record in site.journal.records]
    assert kinds == ["seeded", "tick", "ended", "answered", "tick", "ended"]


async def test_an_answer_that_is_read_again_changes_nothing() -> None:
    site = Site(Asking())
    head = await site.begin()
    signal = answering(answer_to(head, {"level": 3}))
    first = await site.tell(signal)

    again = await site.tell(signal)

    assert again.heads == first.heads
    assert len(await labels(site, head)) == 1


async def test_it_can_be_explained_who_is_asked_and_who_answered() -> None:
    site = Site(Asking())
    head = await site.begin()
    asked = await explained(site, head)

    await site.tell(answering(answer_to(head, {"level": 3})))

    (form,) = asked["forms"]
    assert (form["id"], form["title"]) == (head.forms[0].id, "It crashes")
    told = await explained(site, head)
    assert told["forms"] == []
    assert [answer_sentence(answer) for answer in told["answers"]] == [
        "ann answered 'It crashes' -> Urgency"
    ]


async def test_a_second_answer_comes_too_late() -> None:
    site = Site(Asking())
    head = await site.begin()
    await site.tell(answering(answer_to(head, {"level": 3})))

    late = await site.tell(answering(answer_to(head, {"level": 9}, id="a-2")))

    assert late.ignored == "late_answer"
    assert await labels(site, head) == [AddLabels(labels=("urgency-3",))]


async def test_an_answer_that_is_not_as_asked_is_given_up_and_the_form_stays_open() -> None:
    site = Site(Asking())
    head = await site.begin()

    with pytest.raises(AnswerUnheard, match="level"):
        await site.tell(answering(answer_to(head, {"level": "high"})))

    assert await site.forms.newest(limit=9) == [head.forms[0].id]
    better = await site.tell(answering(answer_to(head, {"level": 1}, id="a-2")))
    assert statuses(better) == [Status.TERMINATED]


async def test_a_form_that_nobody_answers_expires_with_its_default() -> None:
    site = Site(Asking())
    head = await site.begin()

    settled = await site.fire()

    assert statuses(settled) == [Status.TERMINATED]
    assert await labels(site, head) == [AddLabels(labels=("urgency-0",))]


async def test_an_answer_that_came_before_the_expiry_counts() -> None:
    site = Site(Asking())
    head = await site.begin()
    (timer,) = await site.timers.all()
    await site.tell(answering(answer_to(head, {"level": 3})))
    site.clock.move(2 * DAY)

    late = await site.steering.settle(sent(record_of(timer, at=site.clock.now())))

    assert late.ignored == "late_answer"
    assert await labels(site, head) == [AddLabels(labels=("urgency-3",))]


async def test_reading_the_delivery_again_lists_the_form_again() -> None:
    site = Site(Asking())
    head = await site.begin()
    await site.forms.remove(head.forms[0].id)  # as if it had crashed before it was listed

    again = await site.begin()

    assert again == head
    assert await site.forms.newest(limit=9) == [head.forms[0].id]


# Waking --------------------------------------------------------------------------------------


async def test_a_process_that_is_stuck_on_a_passing_error_is_woken_and_ends_well() -> None:
    model = Model()
    site = Site(model)
    head = await site.begin()
    assert head.status is Status.STUCK

    model.is_up = True
    settled = await site.fire()

    assert statuses(settled) == [Status.TERMINATED]
    assert await site.timers.all() == []


async def test_the_pauses_grow_and_after_the_last_wake_it_has_failed() -> None:
    site = Site(Model())
    pauses = []
    head = await site.begin()
    while head.status is Status.STUCK:
        (timer,) = await site.timers.all()
        pauses.append(timer.due_at - head.updated_at)
        (head,) = (await site.fire()).heads

    assert pauses == [timedelta(seconds=15), timedelta(minutes=1)]
    assert head.status is Status.FAILED


async def test_a_wake_that_is_read_again_wakes_nobody_twice() -> None:
    site = Site(Model())
    head = await site.begin()
    signal = waking(head)
    (first,) = (await site.tell(signal)).heads

    (again,) = (await site.tell(signal)).heads

    assert (first.wakes, again.wakes) == (1, 1)


def test_a_pause_is_never_longer_than_the_longest() -> None:
    pauses = Pauses()

    assert [pauses.before(wakes) for wakes in (0, 3, 4, 10**6)] == [
        timedelta(seconds=15),
        timedelta(minutes=16),
        timedelta(hours=1),
        timedelta(hours=1),
    ]


async def test_only_the_wake_that_made_it_fail_counts_as_a_failure() -> None:
    site = Site(Model())
    first = await site.begin()
    (second,) = (await site.tell(waking(first))).heads
    last = await site.tell(waking(second))
    again = await site.tell(waking(second))
    late = await site.tell(waking(first))
    killed = await site.tell(Signal(id="s-1", kind="kill", process_id=first.id))

    assert statuses(last) == [Status.FAILED]
    assert last.failed == again.failed == last.heads
    assert late.failed == killed.failed == ()
    assert (late.ignored, killed.ignored) == ("late_wake", "process_over")


# The next attempt ----------------------------------------------------------------------------


async def failed(site: Site) -> ProcessHead:
    """A process that was woken as often as it may be."""
    head = await site.begin()
    while head.status is Status.STUCK:
        (head,) = (await site.fire()).heads
    return head


async def test_a_process_that_failed_after_its_last_wake_has_a_next_attempt() -> None:
    model = Model()
    site = Site(model)
    first = await failed(site)
    model.is_up = True

    settled = await site.tell(retrying(first.id, attempt=2))
    again = await site.tell(retrying(first.id, attempt=2))

    (second,) = settled.heads
    assert (second.attempt, second.status) == (2, Status.TERMINATED)
    assert second.id == process_id(delivery=first.delivery, reaction="triage", attempt=2)
    assert again.heads == (second,)
    seeds = [(await explained(site, head))["facts"] for head in (first, second)]
    assert seeds[0] == seeds[1] != []


async def test_the_next_attempt_is_the_one_that_the_delivery_itself_would_begin() -> None:
    model = Model()
    site = Site(model)
    first = await failed(site)
    model.is_up = True
    (second,) = (await site.tell(retrying(first.id, attempt=2))).heads

    opened = delivery("issues.opened", issue=issue("It crashes"))
    settled = await site.worker.settle(replace(opened, attempt=2))

    assert settled.heads == (second,)


async def test_what_has_not_failed_is_not_tried_again() -> None:
    site = Site(Asking())
    head = await site.begin()

    settled = await site.tell(retrying(head.id, attempt=2))

    assert (settled.heads, settled.ignored) == ((head,), "process_not_failed")
    with pytest.raises(BadSignal, match="no attempt after"):
        await site.tell(retrying(head.id, attempt=1))


# Wishes --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("wish", "status"),
    [
        ("kill", Status.KILLED),
        ("terminate", Status.TERMINATED),
        ("pause", Status.PAUSED),
        ("resume", Status.WAITING),
    ],
)
async def test_a_wish_is_heeded_and_reading_it_again_does_no_harm(
    wish: Wish, status: Status
) -> None:
    site = Site(Asking())
    head = await site.begin()
    signal = Signal(id="s-1", kind=wish, process_id=head.id, by="ann")

    first = await site.tell(signal)
    again = await site.tell(signal)

    assert statuses(first) == statuses(again) == [status]


@pytest.mark.parametrize("wish", ["kill", "terminate"])
async def test_what_was_to_come_of_a_process_is_taken_back_when_it_is_ended(wish: Wish) -> None:
    site = Site(Asking())
    head = await site.begin()

    await site.tell(Signal(id="s-1", kind=wish, process_id=head.id))

    assert await site.timers.all() == []
    assert await site.forms.newest(limit=9) == []


async def test_one_that_is_stuck_is_not_woken_after_its_end() -> None:
    site = Site(Model())
    head = await site.begin()
    assert len(await site.timers.all()) == 1

    await site.tell(Signal(id="s-1", kind="kill", process_id=head.id))

    assert await site.timers.all() == []


async def test_why_it_was_ended_stands_in_its_journal() -> None:
    site = Site(Asking())
    head = await site.begin()
    why = "octo/hello#7 was deleted"

    await site.tell(Signal(id="s-1", kind="kill", process_id=head.id, reason=why))

    told = await explained(site, head)
    assert (told["status"], told["reason"]) == ("KILLED", why)


async def test_an_end_that_comes_after_its_process_has_expired_is_none() -> None:
    site = Site(Asking())
    late = Signal(id="s-1", kind="kill", process_id="p404", by=LIFECYCLE)

    settled = await site.tell(late)

    assert (settled.heads, settled.ignored) == ((), "process_gone")


async def test_a_paused_process_takes_its_answer_when_it_is_resumed() -> None:
    site = Site(Asking())
    head = await site.begin()
    await site.tell(Signal(id="s-1", kind="pause", process_id=head.id))
    await site.tell(Signal(id="s-2", kind="resume", process_id=head.id))

    settled = await site.tell(answering(answer_to(head, {"level": 3})))

    assert statuses(settled) == [Status.TERMINATED]


# Rulings on effects ---------------------------------------------------------------------------

SUBJECT = "github.com/1#7"


async def hold(site: Site) -> None:
    record = EffectRecord(
        key="k1",
        effect=AddLabels(labels=("bug",)),
        subject=SUBJECT,
        action="p.label",
        mode="approve",
        state="intended",
    )
    wish = Intent(
        record=record,
        process_id="p404",  # its process may be gone by the time that somebody rules
        delivery="github.com/d-1",
        host="github.com",
        subject_name="octo/hello#7",
        cause="c1",
    )
    plenty = Caps(per_event=9, per_day=9, per_subject=9, window=DAY)
    await site.ledger.enrol([wish], plenty, now=site.clock.now())


def ruling(*, is_approved: bool, by: str = "ann", reason: str = "") -> Signal:
    said = EffectRuling(subject=SUBJECT, key="k1", is_approved=is_approved)
    return ruling_on(said, process_id="p404", by=by, reason=reason)


async def fate(site: Site) -> Fate:
    return (await site.ledger.fates(SUBJECT, ["k1"]))["k1"]


async def test_an_approval_puts_the_effect_into_its_queue_however_often_it_is_read() -> None:
    site = Site(Asking())
    await hold(site)

    settled = [await site.tell(ruling(is_approved=True)) for _ in range(2)]

    assert [each.ignored for each in settled] == ["", ""]
    approved = await fate(site)
    assert (approved.state, approved.ruled_by) == ("intended", "ann")
    lease = timedelta(minutes=1)
    await site.ledger.begin(SUBJECT, owner="a", lease=lease, now=site.clock.now())
    assert (await fate(site)).attempts == 1


async def test_a_rejection_refuses_it_and_says_who_and_why() -> None:
    site = Site(Asking())
    await hold(site)

    await site.tell(ruling(is_approved=False, reason="not a bug"))

    rejected = await fate(site)
    assert (rejected.state, rejected.reason) == ("refused", "ann rejected it: not a bug")


async def test_of_two_rulings_the_first_counts_and_the_second_is_told_to_be_late() -> None:
    site = Site(Asking())
    await hold(site)
    await site.tell(ruling(is_approved=True))

    late = await site.tell(ruling(is_approved=False, by="bob"))

    assert late.ignored == "late_ruling"
    assert (await fate(site)).ruled_by == "ann"


async def test_a_ruling_on_what_is_not_held_is_given_up() -> None:
    with pytest.raises(SignalLost, match="no effect k1"):
        await Site(Asking()).tell(ruling(is_approved=True))


# Signals for nobody --------------------------------------------------------------------------


def kill(process_id: str) -> Signal:
    return Signal(id="s-1", kind="kill", process_id=process_id)


async def test_a_signal_for_a_process_that_is_not_there_is_given_up() -> None:
    with pytest.raises(SignalLost, match="no process p404"):
        await Site(Asking()).tell(kill("p404"))


async def test_a_timer_that_outlives_its_process_is_no_ones_fault() -> None:
    site = Site(Asking())
    gone = Signal(id="s-1", kind="wake", process_id="p404", by="timer", reason="1")

    settled = await site.tell(gone)

    assert (settled.heads, settled.ignored) == ((), "process_gone")


async def test_a_signal_for_a_reaction_that_was_taken_away_is_given_up() -> None:
    site = Site(Asking())
    head = await site.begin()
    site.worker.listeners = ()

    with pytest.raises(SignalLost, match="'triage'"):
        await site.tell(kill(head.id))
