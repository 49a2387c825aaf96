"""Where something is used up and made again, prices may be moved from makers to takers."""

from itertools import product

from reactor.plan.goap.stock import Shift, holdings
from tests.plan.goap.tasks import chain, coins, compiled


def test_what_is_taken_and_made_is_a_holding() -> None:
    task, _ = compiled(coins(2))

    (coin,) = holdings(task)

    assert task.condition(coin.literal) == "coin"
    assert [task.steps[j].name for j in coin.makers] == ["mint"]
    assert [task.steps[j].name for j in coin.takers] == ["pay0", "pay1"]


def test_what_is_never_used_up_is_none() -> None:
    task, _ = compiled(chain(3))

    assert holdings(task) == []


def test_moving_prices_makes_no_plan_dearer_than_it_is() -> None:
    task, state = compiled(coins(2))
    (coin,) = holdings(task)

    shift = Shift(task.price).further(coin)

    assert shift is not None
    for plan in product(range(len(task.steps)), repeat=4):
        end = state
        for j in plan:
            if task.pre[j] & ~end:
                break
            end = task.after(end, j)
        else:
            if not task.goal & ~end:
                moved = sum(shift.prices[j] for j in plan) + shift.correction(task.goal, state)
                assert moved <= sum(task.price[j] for j in plan)


def test_when_the_makers_have_nothing_left_there_is_nothing_to_move() -> None:
    task, _ = compiled(coins(2))
    (coin,) = holdings(task)

    once = Shift(task.price).further(coin)

    assert once is not None
    assert min(once.prices) == 0
    assert once.further(coin) is None
