"""Worth in whole billionths: exact where floats are not."""

import math

import pytest

from reactor.plan.worth import amount, exact, is_priced, net, worth
from tests.plan.worlds import aim, step


def test_equal_worths_are_equal_numbers() -> None:
    assert 0.6 - 0.2 != 0.5 - 0.1  # as floats

    assert net(step("a", cost=0.2, value=0.6)) == net(step("b", cost=0.1, value=0.5))


@pytest.mark.parametrize("value", [0.0, 0.1, 0.123456789, -0.3, 12.0])
def test_an_amount_comes_back_as_it_was(value: float) -> None:
    assert amount(exact(value)) == value


@pytest.mark.parametrize("value", [math.inf, -math.inf, math.nan, 1e300])
def test_what_is_no_number_to_reckon_with_is_no_price(value: float) -> None:
    assert not is_priced(step("dear", cost=value))
    assert not is_priced(step("grand", value=value))
    assert is_priced(step("plain", cost=0.5, value=-3.0))
    assert worth(aim({}, value=value)) == 0
