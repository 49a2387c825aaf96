"""Every adapter of `Ledger`: which subjects are looked at first."""

import pytest

from reactor.ledger import HEAD_START, Ledger, Ruling
from tests.contract.conftest import operator, redis
from tests.contract.ledgers import (
    PLENTY,
    LedgerStore,
    MemoryLedgerStore,
    RedisLedgerStore,
    at,
    intent,
)

HOUR_S = HEAD_START.total_seconds()


@pytest.fixture
def ledger(adapter: str, request: pytest.FixtureRequest) -> Ledger:
    store: LedgerStore
    if adapter == "memory":
        store = MemoryLedgerStore.new()
    else:
        store = RedisLedgerStore.new(*redis(request))
        store.client = operator(request)
    return store.ledger


def issue(number: int) -> str:
    return f"github.com/1#{number}"


async def enrol(ledger: Ledger, number: int, *, after_s: float, priority: int = 0) -> None:
    wanted = intent(f"k{number}/{after_s}", subject=issue(number), priority=priority)
    await ledger.enrol([wanted], PLENTY, now=at(after_s))


async def order(ledger: Ledger, *, after_s: float) -> list[str]:
    return [each.subject for each in await ledger.waiting(now=at(after_s), limit=9)]


async def test_those_that_wait_longest_come_first_also_where_more_was_wished_since(
    ledger: Ledger,
) -> None:
    for number in (1, 2):
        await enrol(ledger, number, after_s=number)

    await enrol(ledger, 1, after_s=3)

    assert await order(ledger, after_s=4) == [issue(1), issue(2)]


async def test_one_where_a_person_asked_for_something_comes_before_them(ledger: Ledger) -> None:
    for number in (1, 2):
        await enrol(ledger, number, after_s=HOUR_S + number)

    await enrol(ledger, 3, after_s=HOUR_S + 3, priority=1)
    await enrol(ledger, 3, after_s=HOUR_S + 4)

    assert await order(ledger, after_s=HOUR_S + 5) == [issue(3), issue(1), issue(2)]


async def test_one_where_a_person_approved_something_comes_before_them(ledger: Ledger) -> None:
    held = intent("held", subject=issue(3), mode="approve")
    await ledger.enrol([held], PLENTY, now=at(0))
    for number in (1, 2):
        await enrol(ledger, number, after_s=HOUR_S + number)

    yes = Ruling(is_approved=True, by="octocat")
    await ledger.rule(issue(3), "held", yes, now=at(HOUR_S + 3))

    assert await order(ledger, after_s=HOUR_S + 4) == [issue(3), issue(1), issue(2)]


async def test_people_do_not_keep_anything_from_being_sent_for_longer_than_the_head_start(
    ledger: Ledger,
) -> None:
    await enrol(ledger, 1, after_s=0)

    await enrol(ledger, 2, after_s=HOUR_S + 1, priority=1)

    assert await order(ledger, after_s=HOUR_S + 2) == [issue(1), issue(2)]


async def test_one_that_is_put_off_is_looked_at_at_once_when_a_person_asks(
    ledger: Ledger,
) -> None:
    await enrol(ledger, 1, after_s=0)
    (seen,) = await ledger.waiting(now=at(0), limit=9)
    await ledger.put_off(seen, at(600))
    assert await order(ledger, after_s=1) == []

    await enrol(ledger, 1, after_s=1, priority=1)

    assert await order(ledger, after_s=1) == [issue(1)]
