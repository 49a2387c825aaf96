"""Every adapter of `Purses`: what is spent is spent for all, and no limit is passed by a step."""

import asyncio
from datetime import timedelta

import pytest

from reactor.adapters.clock import ManualClock
from reactor.ai.budget import ALL, Purses

REPOSITORY, OTHER = "github.com/1", "github.com/2"


async def test_nothing_is_spent_at_first(purses: Purses) -> None:
    assert await purses.spent(ALL) == 0


async def test_what_is_taken_is_spent_of_each_purse(purses: Purses) -> None:
    taken = await purses.take(0.25, {ALL: 10, REPOSITORY: 1})
    await purses.take(0.5, {ALL: 10, OTHER: 1})

    assert taken.spent == ""
    assert await purses.spent(ALL) == pytest.approx(0.75)
    assert await purses.spent(REPOSITORY) == pytest.approx(0.25)


async def test_a_purse_that_is_spent_is_named_and_nothing_is_taken_of_the_others(
    purses: Purses,
) -> None:
    await purses.take(1, {ALL: 10, REPOSITORY: 1})

    assert (await purses.take(1, {ALL: 10, REPOSITORY: 1})).spent == REPOSITORY
    assert (await purses.take(1, {ALL: 1, OTHER: 1})).spent == ALL
    assert await purses.spent(ALL) == pytest.approx(1)
    assert await purses.spent(OTHER) == 0


async def test_a_price_is_corrected_either_way(purses: Purses) -> None:
    day = (await purses.take(1, {ALL: 2, REPOSITORY: 2})).day

    await purses.correct(-0.75, (ALL, REPOSITORY), day=day)
    await purses.correct(0.000001, (ALL,), day=day)

    assert await purses.spent(REPOSITORY) == pytest.approx(0.25)
    assert await purses.spent(ALL) == pytest.approx(0.250001)
    assert not (await purses.take(1, {ALL: 2, REPOSITORY: 2})).spent


async def test_nothing_may_be_spent_where_the_limit_is_nothing(purses: Purses) -> None:
    assert (await purses.take(0, {ALL: 0})).spent == ALL


async def test_who_calls_at_the_same_time_does_not_spend_the_same_money(purses: Purses) -> None:
    taken = await asyncio.gather(*(purses.take(0.25, {ALL: 1}) for _ in range(10)))

    assert [each.spent for each in taken].count("") == 4


async def test_a_call_across_midnight_is_corrected_on_the_day_that_paid_for_it(
    purses: Purses, purse_clock: ManualClock
) -> None:
    day = (await purses.take(1, {ALL: 1})).day
    purse_clock.move(timedelta(days=1))
    await purses.take(0.5, {ALL: 1})

    await purses.correct(-0.75, (ALL,), day=day)

    assert await purses.spent(ALL) == pytest.approx(0.5)
    purse_clock.move(timedelta(days=-1))
    assert await purses.spent(ALL) == pytest.approx(0.25)


async def test_no_purse_holds_more_than_its_limit_however_much_is_given_back(
    purses: Purses,
) -> None:
    day = (await purses.take(0.25, {ALL: 1})).day

    await purses.correct(-2, (ALL,), day=day)

    assert await purses.spent(ALL) == 0
    assert not (await purses.take(1, {ALL: 1})).spent
    assert (await purses.take(1, {ALL: 1})).spent == ALL
