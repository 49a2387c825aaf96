"""Planners by name."""

import pickle

import pytest

from reactor.plan import UnknownPlanner, make_planner


@pytest.mark.parametrize("name", ["utility", "hybrid", "goap"])
def test_every_known_name_gives_a_planner_of_its_own(name: str) -> None:
    assert make_planner(name) is not make_planner(name)


def test_an_unknown_name_is_answered_with_the_known_ones() -> None:
    with pytest.raises(UnknownPlanner) as told:
        make_planner("oracle")

    assert (
        str(told.value)
        == "there is no planner 'oracle'; choose one of goap, hybrid, supervisor, utility"
    )
    assert str(pickle.loads(pickle.dumps(told.value))) == str(told.value)
