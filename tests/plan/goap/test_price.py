"""The price of a plan orders plans by cost, then steps, then preconditions."""

from itertools import pairwise

from reactor.plan import Step
from reactor.plan.goap.price import cost_of, price
from tests.plan.worlds import step


def priced(cost: float, preconditions: int = 0) -> Step:
    return step("s", {f"c{n}": True for n in range(preconditions)}, cost=cost)


def total(*steps: Step) -> int:
    return sum(map(price, steps))


def test_cost_goes_before_steps_and_steps_before_preconditions() -> None:
    plans = [
        [priced(0.3, 2)],
        [priced(0.3, 1)],
        [priced(0.1, 40), priced(0.2, 40)],
        [priced(0.1, 20), priced(0.2, 20)],
        [priced(0.1), priced(0.1), priced(0.1)],
        [priced(0.300000001, 100)],
        [priced(0.4, 300)],
    ]

    prices = [total(*plan) for plan in plans]

    assert all(one < other for one, other in pairwise(prices))


def test_equal_costs_are_equal_however_they_are_added_up() -> None:
    assert 0.1 + 0.2 != 0.3

    assert cost_of(total(priced(0.1), priced(0.2))) == cost_of(total(priced(0.3))) == 0.3


def test_many_steps_do_not_spill_into_the_cost() -> None:
    assert cost_of(100_000 * price(priced(0.0))) == 0.0
    assert 100_000 * price(priced(0.0)) < price(priced(0.000000001))


def test_every_step_costs_more_than_nothing() -> None:
    assert price(priced(0.0, 10_000)) > 0
    assert price(priced(-5.0)) == price(priced(0.0))
