"""Hybrid: completion first, then the runnable action that is worth most."""

import pytest

from reactor.plan import NIRVANA, make_planner
from tests.plan.worlds import aim, problem, step

DIG = step("dig_on", {"ready": True}, {"dug": True}, cost=0.1, value=0.6)
FINISH = step("finish", {"dug": True}, {"done": True}, value=0.1)
DONE = aim({"done": True}, name="done")


def test_a_goal_that_holds_ends_it_whatever_else_could_run() -> None:
    world = problem({"ready": True, "done": True}, DIG, aims=(NIRVANA, DONE))

    decision = make_planner("hybrid").decide(world)

    assert (decision.outcome, decision.goal, decision.plan) == ("satisfied", "done", ())
    assert [candidate.action for candidate in decision.reasons.candidates] == ["dig_on"]


def test_of_two_goals_that_hold_the_more_valuable_one_is_told() -> None:
    better = aim({"ready": True}, name="better", value=0.2)

    decision = make_planner("hybrid").decide(
        problem({"ready": True, "done": True}, DIG, aims=(DONE, better))
    )

    assert (decision.goal, decision.net_value) == ("better", 0.2)


@pytest.mark.parametrize(
    ("state", "plan"),
    [
        ({"ready": True}, ("dig_on",)),  # the real goal is two steps away
        ({"dug": True}, ("finish",)),
        ({"ready": True, "dug": True}, ("dig_on",)),  # nets more than finishing
        ({}, None),
    ],
)
def test_while_no_goal_holds_it_does_as_utility_does(
    state: dict[str, bool], plan: tuple[str, ...] | None
) -> None:
    world = problem(state, DIG, FINISH, aims=(DONE, NIRVANA))

    decision = make_planner("hybrid").decide(world)

    assert decision.plan == plan
    assert decision == make_planner("utility").decide(world)
