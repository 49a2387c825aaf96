"""Every adapter of `Boards`: what was committed is there, and only its holder adds to it."""

import asyncio
from datetime import timedelta

import pytest

from reactor.blackboard import Blackboard, SetFlag
from reactor.encoded import UnstorableValue
from reactor.ports import Boards, Commit, Lease, LeaseHeld, LeaseLost, Opened, Recent
from reactor.status import Status
from tests.contract.samples import NOW, board, effect, head, record, run
from tests.contract.stores import BoardStore

D1 = "github.com/d-1"


async def opened(boards: Boards, owner: str = "a", process_id: str = "p1") -> Opened:
    return await boards.open(process_id, delivery=D1, owner=owner, lease=timedelta(minutes=5))


async def test_a_process_that_nobody_opened_is_not_there(boards: Boards) -> None:
    assert await boards.read("p1") is None
    assert await boards.journal("p1") == []
    assert await boards.started_by(D1) == []


async def test_a_new_process_is_opened_empty(boards: Boards) -> None:
    found = await opened(boards)

    assert found.stored is None
    assert (found.lease.process_id, found.lease.owner) == ("p1", "a")
    assert await boards.read("p1") is None


async def test_what_was_committed_is_found_as_it_was(boards: Boards) -> None:
    facts = board()
    found = await opened(boards)
    commit = Commit(
        head=head("p1", usage={"tokens": 12.0}),
        changes=facts.changes_since(0),
        history=[run("triage.assess"), run("triage.label")],
        effects=[effect("k1"), effect("k2")],
        journal=[record("p1", 1), record("p1", 2)],
    )

    await boards.commit(found.lease, commit)

    again = (await opened(boards)).stored
    assert again is not None
    assert again == await boards.read("p1")
    assert again.head == commit.head
    assert again.changes == facts.changes_since(0)
    assert Blackboard(now=lambda: NOW, changes=again.changes).visible == facts.visible
    assert again.history == tuple(commit.history)
    assert again.effects == tuple(commit.effects)
    assert (again.journal_seq, again.commits) == (2, 1)
    assert await boards.journal("p1") == list(commit.journal)


async def test_commits_add_up_in_their_order(boards: Boards) -> None:
    lease = (await opened(boards)).lease

    await boards.commit(lease, Commit(head=head("p1"), history=[run("a")], effects=[effect("k1")]))
    await boards.commit(lease, Commit(head=head("p1"), changes=[SetFlag("x", value=True)]))
    await boards.commit(lease, Commit(head=head("p1", Status.COMPLETED), history=[run("b")]))

    stored = await boards.read("p1")
    assert stored is not None
    assert [each.action for each in stored.history] == ["a", "b"]
    assert stored.changes == (SetFlag("x", value=True),)
    assert stored.effects == (effect("k1"),)
    assert stored.head.status is Status.COMPLETED
    assert stored.commits == 3


async def test_the_newest_record_of_an_effect_counts_in_the_place_of_the_first(
    boards: Boards,
) -> None:
    lease = (await opened(boards)).lease
    await boards.commit(
        lease, Commit(head=head("p1"), effects=[effect("k1", "intended"), effect("k2")])
    )

    await boards.commit(lease, Commit(head=head("p1"), effects=[effect("k1", "done")]))

    stored = await boards.read("p1")
    assert stored is not None
    assert stored.effects == (effect("k1", "done"), effect("k2"))


async def test_many_changes_fit_into_one_commit(boards: Boards) -> None:
    facts = Blackboard(now=lambda: NOW)
    for number in range(20_000):
        facts.set_flag(f"flag {number}")

    await boards.commit(
        (await opened(boards)).lease, Commit(head=head("p1"), changes=facts.changes_since(0))
    )

    stored = await boards.read("p1")
    assert stored is not None
    assert stored.changes == facts.changes_since(0)


async def test_a_value_that_can_not_be_stored_leaves_everything_as_it_was(boards: Boards) -> None:
    lease = (await opened(boards)).lease
    await boards.commit(lease, Commit(head=head("p1"), history=[run("a")]))
    facts = Blackboard(now=lambda: NOW)
    facts.add(1)
    facts.add(object())

    with pytest.raises(UnstorableValue):
        await boards.commit(
            lease,
            Commit(head=head("p1"), history=[run("b")], changes=facts.changes_since(0)),
        )

    stored = await boards.read("p1")
    assert stored is not None
    assert (len(stored.history), stored.changes, stored.commits) == (1, (), 1)


# Leases --------------------------------------------------------------------------------------


async def test_another_owner_is_held_off_and_told_for_how_long_and_by_whom(boards: Boards) -> None:
    await opened(boards, "a")

    with pytest.raises(LeaseHeld) as held:
        await opened(boards, "b")

    assert (held.value.process_id, held.value.owner) == ("p1", "a")
    assert 0 < held.value.retry_in_s <= 300


async def test_the_same_owner_gets_the_lease_again_and_the_older_one_is_lost(
    boards: Boards,
) -> None:
    older = (await opened(boards, "a")).lease
    newer = (await opened(boards, "a")).lease

    assert newer.fence > older.fence
    await boards.commit(newer, Commit(head=head("p1")))
    with pytest.raises(LeaseLost):
        await boards.commit(older, Commit(head=head("p1"), history=[run("late")]))
    stored = await boards.read("p1")
    assert stored is not None
    assert stored.history == ()


async def test_a_lease_that_ran_out_can_be_taken_over_and_its_old_holder_writes_nothing(
    store: BoardStore,
) -> None:
    boards = store.boards
    old = (await opened(boards, "a")).lease
    await boards.commit(old, Commit(head=head("p1"), history=[run("a")]))
    await store.let_leases_run_out()

    new = await opened(boards, "b")

    assert new.lease.fence > old.fence
    assert new.stored is not None
    with pytest.raises(LeaseLost):
        await boards.commit(old, Commit(head=head("p1"), history=[run("late")]))
    await boards.commit(new.lease, Commit(head=head("p1"), history=[run("b")]))
    stored = await boards.read("p1")
    assert stored is not None
    assert [each.action for each in stored.history] == ["a", "b"]


async def test_a_lease_that_ran_out_is_still_good_while_nobody_took_it(store: BoardStore) -> None:
    lease = (await opened(store.boards, "a")).lease
    await store.let_leases_run_out()

    await store.boards.commit(lease, Commit(head=head("p1")))

    assert await store.boards.read("p1") is not None


async def test_a_commit_renews_the_lease(store: BoardStore) -> None:
    lease = (await opened(store.boards, "a")).lease
    await store.let_leases_run_out()

    await store.boards.commit(lease, Commit(head=head("p1")))

    with pytest.raises(LeaseHeld):
        await opened(store.boards, "b")


async def test_a_released_process_is_open_to_the_next_at_once(boards: Boards) -> None:
    old = (await opened(boards, "a")).lease
    await boards.release(old)

    new = (await opened(boards, "b")).lease

    assert new.fence > old.fence


async def test_the_last_commit_gives_the_lease_back_and_the_process_is_open_to_the_next(
    boards: Boards,
) -> None:
    old = (await opened(boards, "a")).lease
    await boards.commit(old, Commit(head=head("p1"), history=[run("a")]))

    await boards.commit(old, Commit(head=head("p1"), history=[run("b")], is_last=True))

    with pytest.raises(LeaseLost):
        await boards.commit(old, Commit(head=head("p1"), history=[run("late")]))
    new = await opened(boards, "b")
    assert new.lease.fence > old.fence
    assert new.stored is not None
    assert [each.action for each in new.stored.history] == ["a", "b"]


async def test_a_released_lease_is_no_right_to_commit(boards: Boards) -> None:
    lease = (await opened(boards, "a")).lease
    await boards.release(lease)

    with pytest.raises(LeaseLost):
        await boards.commit(lease, Commit(head=head("p1")))


async def test_releasing_a_lost_lease_does_not_touch_its_new_holder(store: BoardStore) -> None:
    old = (await opened(store.boards, "a")).lease
    await store.let_leases_run_out()
    await opened(store.boards, "b")

    await store.boards.release(old)

    with pytest.raises(LeaseHeld):
        await opened(store.boards, "c")


async def test_releasing_an_older_lease_of_the_same_owner_leaves_the_newer_one(
    boards: Boards,
) -> None:
    older = (await opened(boards, "a")).lease
    newer = (await opened(boards, "a")).lease

    await boards.release(older)

    await boards.commit(newer, Commit(head=head("p1")))


async def test_a_lease_that_was_never_given_is_no_right_to_commit(boards: Boards) -> None:
    with pytest.raises(LeaseLost):
        await boards.commit(Lease("p1", "a", 1), Commit(head=head("p1")))

    assert await boards.read("p1") is None


async def test_of_many_that_open_at_once_exactly_one_gets_the_lease(boards: Boards) -> None:
    owners = [f"w{number}" for number in range(20)]

    answers = await asyncio.gather(
        *(opened(boards, owner) for owner in owners), return_exceptions=True
    )

    assert sum(isinstance(answer, Opened) for answer in answers) == 1
    assert sum(isinstance(answer, LeaseHeld) for answer in answers) == 19


async def test_processes_at_once_do_not_mix(boards: Boards) -> None:
    async def work(process_id: str) -> None:
        lease = (await opened(boards, "a", process_id)).lease
        for number in range(5):
            done = run(f"{process_id}.{number}")
            await boards.commit(lease, Commit(head=head(process_id), history=[done]))

    ids = [f"p{number}" for number in range(10)]
    await asyncio.gather(*map(work, ids))

    for process_id in ids:
        stored = await boards.read(process_id)
        assert stored is not None
        assert [each.action for each in stored.history] == [f"{process_id}.{n}" for n in range(5)]


async def test_a_reader_sees_whole_commits_only(boards: Boards) -> None:
    lease = (await opened(boards)).lease

    async def commit_many() -> None:
        for number in range(30):
            done = run(f"n{number}")
            await boards.commit(lease, Commit(head=head("p1"), history=[done, done]))

    async def read_many() -> None:
        for _ in range(60):
            stored = await boards.read("p1")
            assert stored is None or len(stored.history) == 2 * stored.commits

    await asyncio.gather(commit_many(), read_many(), read_many())


# Journal and links ---------------------------------------------------------------------------


async def test_records_wait_until_they_are_marked_as_sent(boards: Boards) -> None:
    lease = (await opened(boards)).lease
    records = [record("p1", seq) for seq in (1, 2, 3)]
    await boards.commit(lease, Commit(head=head("p1"), journal=records[:2]))
    await boards.commit(lease, Commit(head=head("p1"), journal=records[2:]))

    await boards.mark_sent({"p1": 2})

    assert await boards.journal("p1", unsent_only=True) == records[2:]
    assert await boards.journal("p1") == records


async def test_a_process_tells_up_to_where_its_records_are_marked(boards: Boards) -> None:
    for process_id in ("p1", "p2", "p3"):
        lease = (await opened(boards, process_id=process_id)).lease
        records = [record(process_id, seq) for seq in (1, 2, 3)]
        await boards.commit(lease, Commit(head=head(process_id), journal=records))

    await boards.mark_sent({"p1": 3, "p2": 1})
    await boards.mark_sent({})

    found = [(await opened(boards, process_id=each)).stored for each in ("p1", "p2", "p3")]
    assert [stored.sent_seq for stored in found if stored] == [3, 1, 0]
    assert found[1] == await boards.read("p2")


async def test_marks_never_go_backwards(boards: Boards) -> None:
    lease = (await opened(boards)).lease
    await boards.commit(lease, Commit(head=head("p1"), journal=[record("p1", 1), record("p1", 2)]))

    await boards.mark_sent({"p1": 2})
    await boards.mark_sent({"p1": 1})

    assert await boards.journal("p1", unsent_only=True) == []


async def test_marking_a_process_that_is_not_there_makes_none(boards: Boards) -> None:
    await boards.mark_sent({"p1": 4})

    assert await boards.read("p1") is None
    lease = (await opened(boards)).lease
    await boards.commit(lease, Commit(head=head("p1"), journal=[record("p1", 1)]))
    assert await boards.journal("p1", unsent_only=True) == [record("p1", 1)]


async def test_the_number_of_the_last_record_stays_when_a_commit_adds_none(boards: Boards) -> None:
    lease = (await opened(boards)).lease
    await boards.commit(lease, Commit(head=head("p1"), journal=[record("p1", 1), record("p1", 2)]))
    await boards.commit(lease, Commit(head=head("p1")))

    stored = await boards.read("p1")

    assert stored is not None
    assert stored.journal_seq == 2


async def test_a_delivery_knows_the_processes_it_started_oldest_first_each_once(
    boards: Boards,
) -> None:
    for process_id in ("p9", "p1", "p5", "p9"):
        await opened(boards, process_id=process_id)

    assert await boards.started_by(D1) == ["p9", "p1", "p5"]
    assert await boards.started_by("github.com/d-2") == []


# Recent ones ---------------------------------------------------------------------------------


async def changed(boards: Boards, process_id: str, *, after_s: float) -> None:
    """The process has changed that long after the start of time."""
    found = await opened(boards, process_id=process_id)
    at = NOW + timedelta(seconds=after_s)
    await boards.commit(found.lease, Commit(head=head(process_id, updated_at=at)))


def ids(found: list[Recent]) -> list[str]:
    return [recent.head.id for recent in found]


async def test_nothing_is_recent_before_something_was_committed(boards: Boards) -> None:
    await opened(boards)

    assert await boards.recent(limit=5) == []


async def test_recent_processes_come_newest_first_each_once_as_they_are_now(
    boards: Boards,
) -> None:
    for process_id, after_s in (("p1", 1.0), ("p3", 3.0), ("p2", 2.0), ("p1", 4.0)):
        await changed(boards, process_id, after_s=after_s)

    found = await boards.recent(limit=5)

    assert ids(found) == ["p1", "p3", "p2"]
    assert found[0].head.updated_at == found[0].place.at == NOW + timedelta(seconds=4)


async def test_pages_of_recent_processes_follow_each_other_without_gap_or_repeat(
    boards: Boards,
) -> None:
    moments = [0, 0, 0, 0, 0, 1, 2, 2, 3]  # several at one moment
    for number, after_s in enumerate(moments):
        await changed(boards, f"p{number}", after_s=after_s)

    for limit in (1, 2, 3, 9, 20):
        seen: list[str] = []
        page = await boards.recent(limit=limit)
        while page:
            assert len(page) <= limit
            seen += ids(page)
            page = await boards.recent(limit=limit, before=page[-1].place)
        assert seen == [f"p{number}" for number in (8, 7, 6, 5, 4, 3, 2, 1, 0)]


async def test_what_changes_while_one_reads_on_is_not_shown_twice(boards: Boards) -> None:
    for number in range(4):
        await changed(boards, f"p{number}", after_s=number)
    first = await boards.recent(limit=2)

    await changed(boards, "p2", after_s=9)
    await changed(boards, "p7", after_s=10)

    assert ids(await boards.recent(limit=2, before=first[-1].place)) == ["p1", "p0"]


async def test_microseconds_count_in_the_order_of_recent_processes(boards: Boards) -> None:
    for number in (2, 1, 3):
        await changed(boards, f"p{number}", after_s=number / 1_000_000)

    assert ids(await boards.recent(limit=5)) == ["p3", "p2", "p1"]


async def test_it_is_counted_how_many_workers_opened_a_process_and_kept_nothing(
    store: BoardStore,
) -> None:
    crashed = []
    for _ in range(3):
        crashed.append((await opened(store.boards)).opens)
        store.start_worker_anew()
    last = await opened(store.boards)
    await store.boards.commit(last.lease, Commit(head=head("p1")))  # renews it, and adds nothing
    store.start_worker_anew()
    again = await opened(store.boards)
    await store.boards.commit(again.lease, Commit(head=head("p1"), history=[run("a")]))
    store.start_worker_anew()

    assert (crashed, last.opens, again.opens) == ([1, 2, 3], 4, 5)
    assert (await opened(store.boards)).opens == 1


async def test_a_worker_that_opens_it_again_counts_once(store: BoardStore) -> None:
    for _ in range(3):  # as it does when an answer was lost
        found = await opened(store.boards)

    assert found.opens == 1


async def test_who_gives_a_lease_back_has_not_been_ended_by_its_process(
    store: BoardStore,
) -> None:
    first = await opened(store.boards)
    store.start_worker_anew()
    second = await opened(store.boards)
    await store.boards.release(first.lease)  # taken over: no longer its to give

    await store.boards.release(second.lease)
    await store.boards.release(second.lease)

    assert (first.opens, second.opens) == (1, 2)
    store.start_worker_anew()
    assert (await opened(store.boards, "b")).opens == 2
