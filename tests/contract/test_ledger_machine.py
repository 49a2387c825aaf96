"""Every adapter of `Ledger` behaves as a simple model, whoever crashes between which two steps.

What is sent goes to a sink that behaves as a server with marked comments does: who may have been
cut off looks first, and writes only what is not there.
"""

import asyncio
import secrets
from collections import Counter
from dataclasses import dataclass, field, replace
from datetime import timedelta
from itertools import count

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    invariant,
    precondition,
    rule,
    run_state_machine_as_test,
)

from reactor.adapters.redis_client import connect
from reactor.ledger import SETTLED, NotNow, Outcome, Ruling, Sending, Turn
from tests.contract.ledgers import (
    PLENTY,
    LedgerStore,
    MemoryLedgerStore,
    RedisLedgerStore,
    at,
    intent,
)
from tests.fixtures.redis_server import forget

LEASE = timedelta(hours=1)
CAPS = replace(PLENTY, per_event=3, per_subject=5, per_day=7, window=timedelta(seconds=100))
SUBJECTS = ["github.com/1#1", "github.com/1#2"]
OWNERS = st.sampled_from(["a", "b", "c"])


@dataclass
class Row:
    """An effect, in the simplest terms."""

    state: str
    attempts: int = 0
    failures: int = 0
    away: int = 0
    may_be_done: bool = False
    due_s: float = 0
    completed: int = 0  # how often a result was kept
    is_approved: bool | None = None  # None: nobody ruled on it
    newest: tuple[Turn, str] | None = None  # the try whose outcome it has, and that


@dataclass
class Queue:
    """A subject: what is to be sent, and who sends."""

    waiting: list[str] = field(default_factory=list)
    current: Sending | None = None  # the newest try
    is_held: bool = False


class LedgerMachine(RuleBasedStateMachine):
    """Three senders, two subjects of one repository, and every try that was ever begun."""

    def __init__(self) -> None:
        super().__init__()
        self.loop = asyncio.Runner()
        self.store = self.make_store()
        self.ledger = self.store.ledger
        self.now_s = 0.0
        self.rows: dict[str, Row] = {}
        self.queues = {subject: Queue() for subject in SUBJECTS}
        self.tries: list[Sending] = []
        self.sink: Counter[str] = Counter()
        self.written: set[Turn] = set()  # the tries whose executor has done its work
        self.admitted: list[tuple[str, str, float]] = []  # delivery, subject, when

    def make_store(self) -> LedgerStore:
        return MemoryLedgerStore.new()

    def teardown(self) -> None:
        self.loop.close()

    @rule(
        subject=st.sampled_from(SUBJECTS),
        numbers=st.lists(st.integers(0, 7), min_size=1, max_size=3),
        delivery=st.sampled_from(["d-1", "d-2", "d-3"]),
        mode=st.sampled_from(["live", "approve"]),
    )
    def enrol(self, subject: str, numbers: list[int], delivery: str, mode: str) -> None:
        keys = [f"{subject}/{number}" for number in numbers]
        intents = [intent(key, subject=subject, delivery=delivery, mode=mode) for key in keys]

        enrolment = self.loop.run(self.ledger.enrol(intents, CAPS, now=at(self.now_s)))

        for key, enrolled in zip(keys, enrolment.found, strict=True):
            if key in self.rows:
                assert enrolled.verdict == "repeated"
            elif self._is_over_a_cap(delivery, subject):
                assert enrolled.verdict == "refused"
                self.rows[key] = Row("refused")
            else:
                assert enrolled.verdict == ("queued" if mode == "live" else "held")
                self.rows[key] = Row("intended" if mode == "live" else "held")
                self.admitted.append((delivery, subject, self.now_s))
                if mode == "live":
                    self.queues[subject].waiting.append(key)

    def _is_over_a_cap(self, delivery: str, subject: str) -> bool:
        of_event = [each for each in self.admitted if each[0] == delivery]
        lately = [
            each for each in self.admitted if each[1] == subject and each[2] > self.now_s - 100
        ]
        return len(of_event) >= 3 or len(lately) >= 5 or len(self.admitted) >= 7

    @rule(subject=st.sampled_from(SUBJECTS), number=st.integers(0, 7), is_approved=st.booleans())
    def somebody_rules(self, subject: str, number: int, *, is_approved: bool) -> None:
        """Also on what was ruled on before, or never held."""
        key = f"{subject}/{number}"
        row = self.rows.get(key, Row("unheard of"))
        if row.state == "held":
            row.is_approved, row.state = is_approved, "intended" if is_approved else "refused"
            if is_approved:
                self.queues[subject].waiting.append(key)
        ruling = Ruling(is_approved=is_approved, by="octocat")

        ruled = self.loop.run(self.ledger.rule(subject, key, ruling, now=at(self.now_s)))

        assert (ruled.is_approved if ruled else None) is row.is_approved
        is_open = row.is_approved is True and row.state not in SETTLED
        assert (ruled is not None and ruled.waiting is not None) is is_open

    @rule(subject=st.sampled_from(SUBJECTS), owner=OWNERS)
    def begin(self, subject: str, owner: str) -> None:
        queue = self.queues[subject]

        found = self.loop.run(
            self.ledger.begin(subject, owner=owner, lease=LEASE, now=at(self.now_s))
        )

        if queue.is_held and queue.current and queue.current.turn.owner != owner:
            assert isinstance(found, NotNow)
            assert found.why == "held"
            return
        if not queue.waiting:
            assert found == NotNow("empty")
            return
        row = self.rows[queue.waiting[0]]
        if row.state == "due" and row.due_s > self.now_s:
            assert found == NotNow("later", at(row.due_s))
            return
        assert isinstance(found, Sending)
        assert found.intent.key == queue.waiting[0]
        if row.state == "sending":
            row.failures, row.may_be_done = row.failures + 1, True
        row.state, row.attempts, row.newest = "sending", row.attempts + 1, None
        told = (found.number, found.failures, found.away, found.may_be_done)
        assert told == (row.attempts, row.failures, row.away, row.may_be_done)
        fences = [each.turn.fence for each in self.tries if each.turn.subject == subject]
        assert all(found.turn.fence > fence for fence in fences)
        queue.current, queue.is_held = found, True
        self.tries.append(found)

    @precondition(lambda self: any(queue.current for queue in self.queues.values()))
    @rule(pick=st.data())
    def write(self, pick: st.DataObject) -> None:
        """The executor of a try that has its turn does its work; it may crash any time after."""
        current = [queue.current for queue in self.queues.values() if queue.current]
        sending = pick.draw(st.sampled_from(current))
        key = sending.intent.key
        if sending.turn in self.written or (sending.may_be_done and self.sink[key]):
            return
        self.sink[key] += 1
        self.written.add(sending.turn)

    @precondition(lambda self: self.tries)
    @rule(
        pick=st.data(),
        state=st.sampled_from(["done", "refused", "given_up", "due"]),
        pause_s=st.integers(0, 60),
        failed=st.sampled_from(["", "own", "away"]),
    )
    def finish(self, pick: st.DataObject, state: str, pause_s: int, failed: str) -> None:
        """By whoever has ever begun a try, also one that was paused for long."""
        sending = pick.draw(st.sampled_from(self.tries))
        key, queue = sending.intent.key, self.queues[sending.turn.subject]
        row, is_current = self.rows[key], queue.current == sending
        if state == "done" and self.sink[key] == 0:
            state = "due"
        outcome = Outcome(
            state=state,  # type: ignore[arg-type]  # drawn from those that there are
            due_at=at(self.now_s + pause_s) if state == "due" else None,
            failed=bool(failed) and state == "due",
            away=failed == "away" and state == "due",
            may_be_done=state in ("due", "given_up"),
        )

        kept = self.loop.run(self.ledger.finish(sending, outcome, now=at(self.now_s)))

        is_told_again = row.newest == (sending.turn, state)
        assert kept is (is_current or is_told_again)
        if not is_current:
            return
        row.state, row.newest = state, (sending.turn, state)
        row.may_be_done = row.may_be_done or outcome.may_be_done
        if state == "due":
            row.due_s = self.now_s + pause_s
            row.failures += outcome.failed
            row.away += outcome.away
        else:
            row.completed += state != "given_up"
            queue.waiting.remove(key)
        queue.current, queue.is_held = None, False

    @precondition(lambda self: any(row.state == "given_up" for row in self.rows.values()))
    @rule(pick=st.data(), times=st.integers(1, 2))
    def somebody_drives_again(self, pick: st.DataObject, times: int) -> None:
        """Once or twice; the second does nothing."""
        listed = self.loop.run(self.ledger.given_up(limit=100))
        given_up = pick.draw(st.sampled_from(sorted(listed, key=lambda each: each.intent.key)))
        key, subject = given_up.intent.key, given_up.intent.record.subject
        row = self.rows[key]
        row.state, row.due_s, row.newest = "due", self.now_s, None
        row.failures = row.away = 0
        self.queues[subject].waiting.append(key)

        done = [
            self.loop.run(self.ledger.retry(given_up, now=at(self.now_s))) for _ in range(times)
        ]

        assert done == [True, False][:times]

    @precondition(lambda self: self.tries)
    @rule(pick=st.data())
    def renew(self, pick: st.DataObject) -> None:
        sending = pick.draw(st.sampled_from(self.tries))
        queue = self.queues[sending.turn.subject]

        kept = self.loop.run(self.ledger.renew(sending.turn, lease=LEASE))

        assert kept is (queue.current == sending)
        queue.is_held = queue.is_held or kept

    @rule()
    def turns_run_out(self) -> None:
        self.loop.run(self.store.let_turns_run_out())
        for queue in self.queues.values():
            queue.is_held = False

    @rule(seconds=st.sampled_from([1, 30, 99, 101]))
    def time_passes(self, seconds: int) -> None:
        self.now_s += seconds

    @rule(seconds=st.sampled_from([1, 30]))
    def the_clock_goes_back(self, seconds: int) -> None:
        """Of two workers one may be ahead; caps and pauses go by what each of them says."""
        self.now_s = max(0.0, self.now_s - seconds)

    @invariant()
    def what_is_kept_is_what_the_model_has(self) -> None:
        for subject in SUBJECTS:
            keys = [key for key in self.rows if key.startswith(f"{subject}/")]
            fates = self.loop.run(self.ledger.fates(subject, keys))
            assert {key: fate.state for key, fate in fates.items()} == {
                key: self.rows[key].state for key in keys
            }

    @invariant()
    def what_is_held_is_told(self) -> None:
        held = self.loop.run(self.ledger.held(until=at(10**6), limit=100))
        keys = {key for key, row in self.rows.items() if row.state == "held"}
        assert {each.intent.key for each in held} == keys

    @invariant()
    def what_is_given_up_is_listed(self) -> None:
        listed = self.loop.run(self.ledger.given_up(limit=100))
        keys = {key for key, row in self.rows.items() if row.state == "given_up"}
        assert {each.intent.key for each in listed} == keys

    @invariant()
    def no_change_is_made_twice_and_no_result_is_kept_twice(self) -> None:
        assert all(made <= 1 for made in self.sink.values()), self.sink
        assert all(row.completed <= 1 for row in self.rows.values())

    @invariant()
    def a_subject_with_something_to_send_is_in_the_index(self) -> None:
        waiting = self.loop.run(self.ledger.waiting(now=at(10**6), limit=10))
        found = {each.subject for each in waiting}
        assert found >= {subject for subject, queue in self.queues.items() if queue.waiting}


@pytest.mark.timeout(90)  # many small steps: slow where the machine is busy
def test_memory_behaves_as_the_model() -> None:
    run_state_machine_as_test(
        LedgerMachine, settings=settings(max_examples=60, stateful_step_count=30, deadline=None)
    )


@pytest.mark.redis
@pytest.mark.timeout(90)
def test_redis_behaves_as_the_model(redis_url: str) -> None:
    run_id, numbers = secrets.token_hex(6), count()

    class RedisMachine(LedgerMachine):
        def make_store(self) -> LedgerStore:
            self.client, self.prefix = connect(redis_url), f"test-{run_id}-{next(numbers)}"
            return RedisLedgerStore.new(self.client, self.prefix)

        def teardown(self) -> None:
            self.loop.run(forget(self.client, self.prefix))
            self.loop.run(self.client.aclose())
            super().teardown()

    run_state_machine_as_test(
        RedisMachine, settings=settings(max_examples=20, stateful_step_count=25, deadline=None)
    )
