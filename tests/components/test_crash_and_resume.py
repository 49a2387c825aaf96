"""A worker that dies at any commit, and the next one that goes on: as if nothing had happened.

The shipped packages run over boards that die on command, at any commit, before it is kept or
just after, as often as they like.  Death is silent: nothing is given back, nothing is cleaned up.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import timedelta
from typing import Literal

import pytest
import reactor_community
import reactor_hello
import reactor_triage
from hypothesis import given, settings
from hypothesis import strategies as st

from reactor.adapters.clock import ManualClock
from reactor.adapters.memory import MemoryBoards
from reactor.blackboard import Blackboard
from reactor.codec import Codec
from reactor.execution import Execution, Executor
from reactor.github.event import Event
from reactor.github.facts import cause_of, facts_of
from reactor.installed import Action
from reactor.options import ProcessOptions
from reactor.package import Package
from reactor.ports import Commit, Lease, Opened, Stored
from reactor.runner import CommitPolicy, Runner, commit_every_tick, commit_when_it_matters
from reactor.start import Start
from reactor.testing import Workbench, account, comment, event, issue, pull_request

Fate = Literal["lives", "dies before", "dies after"]
DEATHS: tuple[Fate, ...] = ("dies before", "dies after")

ID = "p-1"
PACKAGES = (
    Package(name="community", components=reactor_community.COMPONENTS),
    Package(name="hello", components=reactor_hello.COMPONENTS),
    Package(name="triage", components=reactor_triage.COMPONENTS),
)
POLICIES: Mapping[str, CommitPolicy] = {
    "every tick": commit_every_tick,
    "when it matters": commit_when_it_matters,
}
EVENTS: Mapping[str, Callable[[], Event]] = {
    "incomplete": lambda: event("issues.opened", issue=issue()),
    "urgent": lambda: event(
        "issues.opened",
        issue=issue("Data loss: everything is down, crash at start", body="It crashes. " * 30),
    ),
    "large": lambda: event(
        "pull_request.opened", pull_request=pull_request("Rewrite", changed_files=40)
    ),
    "comment": lambda: event(
        "issue_comment.created",
        issue=issue(labels=[{"id": 1, "name": "needs-information"}], user=account("asker")),
        comment=comment(user=account("asker")),
    ),
    "star": lambda: event("star.created", starred_at="2026-03-01T10:00:00Z"),
    "nothing to do": lambda: event("push", ref="refs/heads/main", commits=[]),
}


class Death(BaseException):
    """The worker is gone.  No `Exception`: nobody handles it."""


class MortalBoards(MemoryBoards):
    """Boards in memory whose worker dies as `fates` say, one for each commit; then it lives."""

    def __init__(self, codec: Codec, clock: ManualClock, fates: list[Fate]) -> None:
        super().__init__(codec, clock)
        self._fates, self._is_dead = list(fates), False

    async def open(self, process_id: str, *, delivery: str, owner: str, lease: timedelta) -> Opened:
        self._is_dead = False
        return await super().open(process_id, delivery=delivery, owner=owner, lease=lease)

    async def commit(self, lease: Lease, commit: Commit) -> None:
        fate = self._fates.pop(0) if self._fates else "lives"
        self._is_dead = fate != "lives"
        if fate != "dies before":
            await super().commit(lease, commit)
        if self._is_dead:
            raise Death

    async def release(self, lease: Lease) -> None:
        if not self._is_dead:
            await super().release(lease)


class Watching(Executor):
    """Notes which actions are run."""

    def __init__(self) -> None:
        super().__init__()
        self.actions: list[str] = []

    async def run(self, action: Action, arguments: Callable[[], Mapping[str, object]]) -> Execution:
        self.actions.append(action.name)
        return await super().run(action, arguments)


@dataclass(frozen=True)
class Outcome:
    """What is left of a process in the end, and how it came to it."""

    stored: Stored
    journal_seqs: list[int]
    journal: list[tuple[str, object]]  # kind, and for a tick its action
    repeated: set[str]  # actions that ran again though their tick had been committed
    deaths: int


@pytest.fixture(scope="module")
def bench() -> Workbench:
    """One for all runs: what is new to a process stays new to it, however often it is run."""
    return Workbench(*PACKAGES)


async def run(
    bench: Workbench,
    name: str,
    policy: str,
    fates: list[Fate] | None = None,
    *,
    moves: bool = False,
) -> Outcome:
    """Run the process of an event, starting a new worker whenever one dies.

    With `moves`, each worker is another one, which waits until the lease of the dead one is over.
    """
    clock = ManualClock()
    boards = MortalBoards(Codec(bench.platform.catalog), clock, fates or [])
    repeated: set[str] = set()
    deaths = 0
    while True:
        before = await boards.read(ID)
        with Watching() as watching:
            runner = Runner(
                platform=bench.platform,
                boards=boards,
                clock=clock,
                owner=f"worker-{deaths if moves else 0}",
                must_commit=POLICIES[policy],
                executor=watching,
            )
            try:
                await runner.run(start_for(EVENTS[name]()))
            except Death:
                deaths += 1
                clock.move(runner.lease)
                continue
            finally:
                done = {item.action for item in before.history} if before else set()
                repeated |= done & set(watching.actions)
        stored = await boards.read(ID)
        assert stored is not None
        journal = await boards.journal(ID)
        return Outcome(
            stored,
            [record.seq for record in journal],
            [(record.kind, record.data.get("chosen")) for record in journal],
            repeated,
            deaths,
        )


def start_for(event: Event) -> Start:
    return Start(
        process_id=ID,
        delivery="github.com/d-1",
        reaction="test",
        subject=event.subject_key,
        facts=facts_of(event),
        options=ProcessOptions(terminate_when_stuck=True),
        host=event.host,
        cause=cause_of(event),
    )


def essence(stored: Stored) -> dict[str, object]:
    """Everything that may not depend on who died when; times do."""
    board = Blackboard(now=ManualClock().now, changes=stored.changes)
    return {
        "status": stored.head.status,
        "entries": [(e.seq, e.name, e.value, e.producer) for e in board.visible],
        "flags": board.flags,
        "history": [(r.action, r.outcome, r.attempts, r.error) for r in stored.history],
        "effects": [(e.key, e.effect, e.action, e.state) for e in stored.effects],
        "journal_seq": stored.journal_seq,
    }


def check(outcome: Outcome, undisturbed: Outcome) -> None:
    assert essence(outcome.stored) == essence(undisturbed.stored)
    assert outcome.journal == undisturbed.journal
    assert outcome.journal_seqs == list(range(1, len(outcome.journal) + 1))
    assert outcome.repeated == set()


@pytest.mark.parametrize("policy", POLICIES)
@pytest.mark.parametrize("name", EVENTS)
async def test_a_death_at_any_commit_changes_nothing(
    bench: Workbench, name: str, policy: str
) -> None:
    undisturbed = await run(bench, name, policy)

    for commit in range(undisturbed.stored.commits):
        for fate in DEATHS:
            lived: list[Fate] = ["lives"] * commit
            outcome = await run(bench, name, policy, [*lived, fate])

            assert outcome.deaths == 1
            check(outcome, undisturbed)


@pytest.mark.parametrize("name", EVENTS)
async def test_each_commit_may_kill_a_worker_and_another_one_takes_over(
    bench: Workbench, name: str
) -> None:
    undisturbed = await run(bench, name, "every tick")

    for fate in DEATHS:
        outcome = await run(
            bench, name, "every tick", [fate] * 3 + ["lives", fate, fate], moves=True
        )

        assert outcome.deaths >= 1
        check(outcome, undisturbed)


@settings(max_examples=40, deadline=None)
@given(
    name=st.sampled_from(sorted(EVENTS)),
    policy=st.sampled_from(sorted(POLICIES)),
    fates=st.lists(st.sampled_from(["lives", *DEATHS]), max_size=16),
    moves=st.booleans(),
)
async def test_any_number_of_deaths_changes_nothing(
    bench: Workbench, name: str, policy: str, fates: list[Fate], moves: bool
) -> None:
    undisturbed = await run(bench, name, policy)

    outcome = await run(bench, name, policy, fates, moves=moves)

    check(outcome, undisturbed)


async def test_the_events_make_the_packages_work(bench: Workbench) -> None:
    actions = {name: len((await run(bench, name, "every tick")).stored.history) for name in EVENTS}

    assert actions["incomplete"] > 4
    assert actions["urgent"] > 4
    assert actions["large"] > 2
    assert actions["comment"] == 1
    assert actions["star"] == 1
    assert actions["nothing to do"] == 0
