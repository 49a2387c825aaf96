"""What is true of every planner: no order, no memory, no clock, no surprise."""

import math
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from reactor.plan import Decision, Problem, Step, Truth, make_planner
from reactor.plan.goap import GoapPlanner
from tests.plan.drawn import FAR, MIXED, draw, seeded, shuffled
from tests.plan.strategies import SEVERAL_GOALS, TRUTHS
from tests.plan.worlds import aim, problem, step

PLANNERS = ["utility", "hybrid", "goap"]
AMOUNTS = st.floats() | st.just(-0.0)


def told(decision: Decision) -> tuple[Decision, object]:
    return decision, decision.reasons


@pytest.mark.parametrize("name", PLANNERS)
@given(world=SEVERAL_GOALS, truth=TRUTHS, seed=st.integers(0, 2**32))
@settings(max_examples=60, deadline=None)
def test_the_order_of_lists_means_nothing(
    name: str, world: Problem, truth: dict[str, Truth], seed: int
) -> None:
    world = replace(world, resolve=truth.__getitem__)

    one = make_planner(name).decide(world)
    other = make_planner(name).decide(shuffled(seeded(seed), world))

    assert told(one) == told(other)


@pytest.mark.parametrize("name", PLANNERS)
def test_a_planner_that_has_seen_much_decides_as_a_new_one(name: str) -> None:
    worlds = [draw(seeded(seed), flavour) for flavour in (MIXED, FAR) for seed in range(60)]
    experienced = make_planner(name)
    walk = [world for first in worlds for world in _as_planned(first)]

    decisions = [experienced.decide(world) for world in walk]

    assert len(walk) > len(worlds)
    assert decisions == [make_planner(name).decide(world) for world in walk]


def _as_planned(world: Problem) -> list[Problem]:
    """The problem, and the same after each step of GOAP's plan, as a process meets them."""
    named = {step.name: step for step in world.steps}
    met = [world]
    for name in make_planner("goap").decide(world).plan or ():
        effects = {c: Truth.of(value) for c, value in named[name].effects.items()}
        world = replace(world, state={**world.state, **effects}, ran=world.ran | {name})
        met.append(world)
    return met


@pytest.mark.parametrize("name", PLANNERS)
@given(world=SEVERAL_GOALS, amounts=st.lists(AMOUNTS, min_size=15, max_size=15))
@settings(max_examples=60, deadline=None)
def test_no_amount_breaks_a_planner(name: str, world: Problem, amounts: list[float]) -> None:
    steps = tuple(
        replace(step, cost=cost, value=value)
        for step, cost, value in zip(world.steps, amounts[:6], amounts[6:], strict=False)
    )
    aims = tuple(replace(a, value=v) for a, v in zip(world.aims, amounts[12:], strict=False))

    decision = make_planner(name).decide(replace(world, steps=steps, aims=aims))

    assert math.isfinite(decision.cost)
    assert math.isfinite(decision.net_value)
    assert all(math.isfinite(candidate.net_value) for candidate in decision.reasons.candidates)


@pytest.mark.parametrize("name", PLANNERS)
@pytest.mark.parametrize("cost", [math.inf, math.nan, 1e308, -math.inf])
def test_a_step_whose_cost_is_no_number_to_reckon_with_is_left_out(name: str, cost: float) -> None:
    dear = step("dear", {}, {"done": True}, cost=cost)

    decision = make_planner(name).decide(
        problem({"done": False}, dear, aims=(aim({"done": True}),))
    )

    assert decision.plan is None
    assert str(decision.reasons.not_runnable[0].unmet[0]) == "priced(dear) is false, needs true"


@pytest.mark.parametrize("name", PLANNERS)
def test_two_steps_of_one_name_do_no_harm(name: str) -> None:
    twins = [step("do", {}, {"done": True}, cost=cost) for cost in (0.2, 0.1)]
    done = (aim({"done": True}),)

    one = make_planner(name).decide(problem({}, *twins, aims=done))
    other = make_planner(name).decide(problem({}, *twins[::-1], aims=done))

    assert one == other
    assert one.cost == pytest.approx(0.1)


@pytest.mark.parametrize("name", PLANNERS)
def test_names_are_any_text(name: str) -> None:
    odd = Step(name="", pre={"": Truth.TRUE, "not a": Truth.FALSE}, effects={"\n": True})
    world = problem({"": True, "not a": False}, odd, aims=(aim({"\n": True}, name="ran()"),))

    decision = make_planner(name).decide(world)

    assert (decision.goal, decision.plan) == ("ran()", ("",))


@pytest.mark.parametrize("name", PLANNERS)
def test_nothing_to_do_and_nothing_wanted_is_a_question_like_any_other(name: str) -> None:
    nothing = Problem(state={}, steps=(), aims=())
    anything = Problem(state={}, steps=[], aims=[aim({})])

    assert make_planner(name).decide(nothing).outcome == "unreachable"
    assert make_planner(name).decide(anything).plan == ()


def counter(digits: int) -> Problem:
    """A binary counter: the only plan has 2**digits - 1 steps."""
    steps = []
    for n in range(digits):
        lower = [f"bit{k}" for k in range(n)]
        pre = {**dict.fromkeys(lower, True), f"bit{n}": False}
        effects = {**dict.fromkeys(lower, False), f"bit{n}": True}
        steps.append(step(f"carry{n}", pre, effects, cost=0.1))
    bits = [f"bit{n}" for n in range(digits)]
    full = aim(dict.fromkeys(bits, True))
    return problem(dict.fromkeys(bits, False), *steps, aims=(full,))


def test_a_plan_may_be_exponentially_long() -> None:
    decision = make_planner("goap").decide(counter(8))

    assert decision.outcome == "optimal"
    assert len(decision.plan or ()) == 255


def test_a_plan_too_long_to_find_is_not_called_impossible() -> None:
    decision = GoapPlanner(node_limit=100).decide(counter(30))

    assert (decision.outcome, decision.plan) == ("limit", None)
    assert decision.bound is not None
    assert decision.bound > 0
