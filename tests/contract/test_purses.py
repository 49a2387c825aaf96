"""Every adapter of `Purses`: what is spent is spent for all, and no limit is passed by a step."""

import asyncio

import pytest

from reactor.ai.budget import ALL, Purses

REPOSITORY, OTHER = "github.com/1", "github.com/2"


async def test_nothing_is_spent_at_first(purses: Purses) -> None:
    assert await purses.spent(ALL) == 0


async def test_what_is_taken_is_spent_of_each_purse(purses: Purses) -> None:
    taken = await purses.take(0.25, {ALL: 10, REPOSITORY: 1})
    await purses.take(0.5, {ALL: 10, OTHER: 1})

    assert taken is None
    assert await purses.spent(ALL) == pytest.approx(0.75)
    assert await purses.spent(REPOSITORY) == pytest.approx(0.25)


async def test_a_purse_that_is_spent_is_named_and_nothing_is_taken_of_the_others(
    purses: Purses,
) -> None:
    await purses.take(1, {ALL: 10, REPOSITORY: 1})

    assert await purses.take(1, {ALL: 10, REPOSITORY: 1}) == REPOSITORY
    assert await purses.take(1, {ALL: 1, OTHER: 1}) == ALL
    assert await purses.spent(ALL) == pytest.approx(1)
    assert await purses.spent(OTHER) == 0


async def test_a_price_is_corrected_either_way(purses: Purses) -> None:
    await purses.take(1, {ALL: 2, REPOSITORY: 2})

    await purses.correct(-0.75, (ALL, REPOSITORY))
    await purses.correct(0.000001, (ALL,))

    assert await purses.spent(REPOSITORY) == pytest.approx(0.25)
    assert await purses.spent(ALL) == pytest.approx(0.250001)
    assert await purses.take(1, {ALL: 2, REPOSITORY: 2}) is None


async def test_nothing_may_be_spent_where_the_limit_is_nothing(purses: Purses) -> None:
    assert await purses.take(0, {ALL: 0}) == ALL


async def test_who_calls_at_the_same_time_does_not_spend_the_same_money(purses: Purses) -> None:
    taken = await asyncio.gather(*(purses.take(0.25, {ALL: 1}) for _ in range(10)))

    assert taken.count(None) == 4
