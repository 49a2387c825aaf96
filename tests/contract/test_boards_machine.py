"""Every adapter of `Boards` behaves as a simple model does, whatever happens in which order."""

import asyncio
import secrets
from dataclasses import dataclass, field
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
from reactor.blackboard import Blackboard
from reactor.ports import Commit, Lease, LeaseHeld, LeaseLost
from reactor.status import ProcessHead, Run, Status
from tests.contract.samples import NOW, Assessment, head, record, run
from tests.contract.stores import BoardStore, MemoryStore, RedisStore
from tests.fixtures.redis_server import forget

OWNERS = st.sampled_from(["a", "b"])
PROCESSES = st.sampled_from(["p1", "p2"])


@dataclass
class Model:
    """What a process is, in the simplest terms."""

    holder: Lease | None = None  # who may commit
    is_over: bool = True  # whether another owner may take it
    board: Blackboard = field(default_factory=lambda: Blackboard(now=lambda: NOW))
    history: list[Run] = field(default_factory=list)
    journal: int = 0
    sent: int = 0
    commits: int = 0
    head: ProcessHead | None = None


class BoardsMachine(RuleBasedStateMachine):
    """Two owners, two processes, and every lease that was ever given."""

    def __init__(self) -> None:
        super().__init__()
        self.loop = asyncio.Runner()
        self.store = self.make_store()
        self.boards = self.store.boards
        self.model = {"p1": Model(), "p2": Model()}
        self.leases: list[Lease] = []
        self.started: list[str] = []

    def make_store(self) -> BoardStore:
        return MemoryStore.new()

    def teardown(self) -> None:
        self.loop.close()

    @rule(process_id=PROCESSES, owner=OWNERS)
    def open(self, process_id: str, owner: str) -> None:
        model = self.model[process_id]
        if process_id not in self.started:
            self.started.append(process_id)
        opening = self.boards.open(
            process_id, delivery="github.com/d-1", owner=owner, lease=timedelta(hours=1)
        )

        if model.holder and model.holder.owner != owner and not model.is_over:
            with pytest.raises(LeaseHeld):
                self.loop.run(opening)
            return

        lease = self.loop.run(opening).lease
        of_this = [each.fence for each in self.leases if each.process_id == process_id]
        assert all(lease.fence > fence for fence in of_this)
        model.holder, model.is_over = lease, False
        self.leases.append(lease)

    @precondition(lambda self: self.leases)
    @rule(pick=st.data(), facts=st.integers(0, 3), ends=st.booleans(), is_last=st.booleans())
    def commit(self, pick: st.DataObject, facts: int, ends: bool, is_last: bool) -> None:
        lease = pick.draw(st.sampled_from(self.leases))
        model = self.model[lease.process_id]
        added = model.board.spawn()
        for number in range(facts):
            added.add(Assessment(number / 4), producer="triage.assess")
        added.hide(added.visible[0]) if added.visible else added.set_flag("empty")
        commit = Commit(
            head=head(lease.process_id, Status.COMPLETED if ends else Status.RUNNING),
            changes=added.changes_since(model.board.version),
            history=[run(f"n{model.commits}")],
            journal=[record(lease.process_id, model.journal + 1)],
            is_last=is_last,
        )

        if lease != model.holder:
            with pytest.raises(LeaseLost):
                self.loop.run(self.boards.commit(lease, commit))
            return

        self.loop.run(self.boards.commit(lease, commit))
        model.is_over = False
        model.board, model.head = added, commit.head
        model.history += commit.history
        model.journal += 1
        model.commits += 1
        if is_last:
            model.holder = None

    @precondition(lambda self: self.leases)
    @rule(pick=st.data())
    def release(self, pick: st.DataObject) -> None:
        lease = pick.draw(st.sampled_from(self.leases))
        self.loop.run(self.boards.release(lease))
        if self.model[lease.process_id].holder == lease:
            self.model[lease.process_id].holder = None

    @rule()
    def leases_run_out(self) -> None:
        self.loop.run(self.store.let_leases_run_out())
        for model in self.model.values():
            model.is_over = True

    @rule(process_id=PROCESSES, up_to=st.integers(0, 5))
    def mark_sent(self, process_id: str, up_to: int) -> None:
        model = self.model[process_id]
        up_to = min(up_to, model.journal)
        self.loop.run(self.boards.mark_sent({process_id: up_to}))
        model.sent = max(model.sent, up_to)

    @invariant()
    def all_that_was_committed_is_there_and_nothing_else(self) -> None:
        for process_id, model in self.model.items():
            stored = self.loop.run(self.boards.read(process_id))
            if stored is None:
                assert model.commits == 0
                continue
            assert stored.head == model.head
            assert stored.changes == model.board.changes_since(0)
            assert list(stored.history) == model.history
            assert (stored.commits, stored.journal_seq) == (model.commits, model.journal)
            assert stored.sent_seq == model.sent
            unsent = self.loop.run(self.boards.journal(process_id, unsent_only=True))
            assert [each.seq for each in unsent] == list(range(model.sent + 1, model.journal + 1))
        assert self.loop.run(self.boards.started_by("github.com/d-1")) == self.started


@pytest.mark.timeout(90)  # many small steps: slow where the machine is busy
def test_memory_behaves_as_the_model() -> None:
    run_state_machine_as_test(
        BoardsMachine, settings=settings(max_examples=40, stateful_step_count=30, deadline=None)
    )


@pytest.mark.redis
@pytest.mark.timeout(90)
def test_redis_behaves_as_the_model(redis_url: str) -> None:
    run_id, numbers = secrets.token_hex(6), count()

    class RedisMachine(BoardsMachine):
        def make_store(self) -> BoardStore:
            self.client, self.prefix = connect(redis_url), f"test-{run_id}-{next(numbers)}"
            return RedisStore.new(self.client, self.prefix)

        def teardown(self) -> None:
            self.loop.run(forget(self.client, self.prefix))
            self.loop.run(self.client.aclose())
            super().teardown()

    run_state_machine_as_test(
        RedisMachine, settings=settings(max_examples=20, stateful_step_count=25, deadline=None)
    )
