"""What is particular to keeping things in memory: time is moved, and outages are played."""

from datetime import timedelta

import pytest

from reactor.adapters.clock import ManualClock, SystemClock
from reactor.adapters.memory import (
    MemoryBoards,
    MemoryClaims,
    MemoryDeadLetters,
    MemoryDeliveryLog,
    MemoryJournalLog,
)
from reactor.blackboard import Blackboard, Put
from reactor.codec import Codec
from reactor.errors import InfrastructureError
from reactor.ports import Claim, Commit
from reactor.topic import DeadLetter, Position
from tests.contract.samples import CATALOG, NOW, Account, Issue, head, record

WHERE = Position("reactor.deliveries", 0, 0)


async def test_a_pending_claim_is_open_again_after_a_minute() -> None:
    clock = ManualClock()
    claims = MemoryClaims(clock)
    await claims.claim("github.com/d-1", digest="aa")

    clock.move(timedelta(seconds=59))
    before = await claims.claim("github.com/d-1", digest="aa")
    clock.move(timedelta(seconds=1))
    after = await claims.claim("github.com/d-1", digest="aa")

    assert before == Claim("pending")
    assert after == Claim("new")


async def test_a_claim_that_ran_out_does_not_release_its_successor() -> None:
    clock = ManualClock()
    claims = MemoryClaims(clock)
    expired = await claims.claim("github.com/d-1", digest="aa")
    clock.move(timedelta(seconds=60))
    await claims.claim("github.com/d-1", digest="aa")

    await claims.release("github.com/d-1", expired.token)

    assert await claims.claim("github.com/d-1", digest="aa") == Claim("pending")


async def test_a_produced_claim_is_kept_as_long_as_it_was_told() -> None:
    clock = ManualClock()
    claims = MemoryClaims(clock, keep=timedelta(days=2))
    await claims.claim("github.com/d-1", digest="aa")
    await claims.produced("github.com/d-1", WHERE, digest="aa")

    clock.move(timedelta(days=2, seconds=-1))
    before = await claims.position("github.com/d-1")
    clock.move(timedelta(seconds=1))
    after = await claims.position("github.com/d-1")

    assert (before, after) == (WHERE, None)


async def test_what_is_read_is_never_the_object_that_was_written() -> None:
    boards = MemoryBoards(Codec(CATALOG), ManualClock())
    issue = Issue(number=7, title="It crashes", user=Account(login="octo", id=1))
    board = Blackboard(now=lambda: NOW)
    board.add(issue)
    lease = (await boards.open("p1", delivery="d", owner="a", lease=timedelta(hours=1))).lease

    await boards.commit(lease, Commit(head=head("p1"), changes=board.changes_since(0)))

    stored = await boards.read("p1")
    assert stored is not None
    change = stored.changes[0]
    assert isinstance(change, Put)
    assert change.entry.value == issue
    assert change.entry.value is not issue


async def test_an_outage_can_be_played() -> None:
    claims, log = MemoryClaims(ManualClock()), MemoryDeliveryLog()
    letters, journal = MemoryDeadLetters(), MemoryJournalLog()
    for each in (claims, log, letters, journal):
        each.is_down = True

    with pytest.raises(InfrastructureError, match="redis"):
        await claims.claim("github.com/d-1", digest="aa")
    with pytest.raises(InfrastructureError, match="kafka"):
        await letters.bury(DeadLetter(reason="poison", detail="", key=None, body=b""))
    with pytest.raises(InfrastructureError, match="kafka"):
        await journal.publish([record("p1", 1)])
    claims.is_down = journal.is_down = False

    assert (await claims.claim("github.com/d-1", digest="aa")).status == "new"
    await journal.publish([record("p1", 1)])
    assert journal.records == [record("p1", 1)]


def test_the_system_clock_is_aware_and_only_goes_forward() -> None:
    clock = SystemClock()

    first, second = clock.monotonic_s(), clock.monotonic_s()

    assert clock.now().utcoffset() == timedelta(0)
    assert second >= first


def test_the_manual_clock_stands_still_until_it_is_moved() -> None:
    clock = ManualClock()
    start = clock.now()

    clock.move(timedelta(seconds=2.5))

    assert clock.now() - start == timedelta(seconds=2.5)
    assert clock.monotonic_s() == 2.5
