"""GOAP's decision: among goals the plan that nets most, and why not another one."""

from dataclasses import replace

from reactor.plan import NIRVANA, Aim, Problem, make_planner
from reactor.plan.goap import GoapPlanner
from tests.plan.goap.tasks import chain, gripper
from tests.plan.worlds import aim, once, problem, step

ROAD = step("road", {"home": True}, {"mid": True}, cost=0.1)
TO_A = step("to_a", {"mid": True}, {"a": True}, cost=0.1)
TO_B = step("to_b", {"home": True}, {"b": True}, cost=0.3, value=0.1)
A, B = aim({"a": True}, name="A", value=0.5), aim({"b": True}, name="B", value=0.5)
MOON = aim({"moon": True}, name="moon", value=1.0)


def at_home(*aims: Aim) -> Problem:
    return replace(problem({"home": True}, ROAD, TO_A, TO_B), aims=aims)


def test_the_goal_whose_plan_nets_most_is_chosen() -> None:
    near = make_planner("goap").decide(at_home(B, A))
    far = make_planner("goap").decide(at_home(A, replace(B, value=0.6)))

    assert (near.goal, near.plan, near.cost, near.net_value) == ("A", ("road", "to_a"), 0.2, 0.3)
    assert (far.goal, far.plan, far.net_value) == ("B", ("to_b",), 0.4)


def test_what_cannot_be_reached_is_passed_over_and_explained() -> None:
    decision = make_planner("goap").decide(at_home(MOON, A))

    assert (decision.outcome, decision.goal) == ("optimal", "A")
    assert [(goal, str(why)) for goal, why in decision.reasons.unreachable] == [
        ("moon", "moon is absent, needs true")
    ]


def test_the_plans_to_all_goals_are_told_best_first() -> None:
    reasons = make_planner("goap").decide(at_home(B, MOON, A)).reasons

    assert [(r.goal, r.plan, r.cost, r.net_value) for r in reasons.rivals] == [
        ("A", ("road", "to_a"), 0.2, 0.3),
        ("B", ("to_b",), 0.3, 0.3),
    ]
    assert [candidate.action for candidate in reasons.candidates] == ["road", "to_b"]
    assert [(n.action, str(n.unmet[0])) for n in reasons.not_runnable] == [
        ("to_a", "mid is absent, needs true")
    ]


def test_the_endless_goal_has_no_plan() -> None:
    decision = make_planner("goap").decide(at_home(NIRVANA))

    assert (decision.outcome, decision.plan) == ("unreachable", None)


def test_an_action_that_failed_is_planned_around() -> None:
    shortcut = step("fly", {"home": True}, {"a": True}, cost=0.05)
    world = problem({"home": True}, shortcut, ROAD, TO_A, aims=(A,))

    planner = make_planner("goap")

    assert planner.decide(world).plan == ("fly",)
    assert planner.decide(replace(world, excluded=frozenset({"fly"}))).plan == ("road", "to_a")
    assert planner.decide(world).plan == ("fly",)


def test_what_may_run_once_is_not_planned_for_twice() -> None:
    spark = once("strike_match", {}, {"lit": True})
    wind = step("cross_yard", {"lit": True}, {"lit": False, "across": True})
    candle = step("light_lamp", {}, {"lit": True}, cost=0.5)
    goal = aim({"across": True, "lit": True})

    world = problem({}, spark, wind, candle, aims=(goal,))

    assert make_planner("goap").decide(world).plan == ("strike_match", "cross_yard", "light_lamp")


def test_the_reason_goes_back_to_what_nobody_makes() -> None:
    world = chain(4)
    broken = [s for s in world.steps if s.name != "a1"]
    state = {"f0": True, "f2": False}

    reasons = make_planner("goap").decide(problem(state, *broken, aims=world.aims)).reasons

    assert [(goal, str(why)) for goal, why in reasons.unreachable] == [
        ("goal", "f4 is absent, needs true")
    ]
    assert [(goal, str(why)) for goal, why in reasons.roots] == [
        ("goal", "f2 is false, needs true")
    ]


def test_an_action_that_has_run_is_named_as_the_root() -> None:
    welcome = once("welcome", {"user": True}, {"welcomed": True})
    world = problem({"user": True}, welcome, aims=(aim({"welcomed": True}),))

    decision = make_planner("goap").decide(replace(world, ran=frozenset({"welcome"})))

    assert [(goal, str(why)) for goal, why in decision.reasons.roots] == [
        ("goal", "ran(welcome) is true, needs false")
    ]


def test_conditions_that_only_exclude_each_other_have_no_root() -> None:
    flip = step("flip", {"up": False}, {"up": True, "down": False})
    flop = step("flop", {"up": True}, {"up": False, "down": True})
    both = aim({"up": True, "down": True})

    reasons = make_planner("goap").decide(problem({"up": False}, flip, flop, aims=(both,))).reasons

    assert [(goal, str(why)) for goal, why in reasons.unreachable] == [
        ("goal", "down is absent, needs true")
    ]
    assert reasons.roots == ()


def test_two_makers_that_wait_for_each_other_end_the_way_back() -> None:
    hen = step("hen", {"egg": True}, {"hen": True})
    egg = step("egg", {"hen": True}, {"egg": True})

    reasons = make_planner("goap").decide(problem({}, hen, egg, aims=(aim({"hen": True}),))).reasons

    assert [goal for goal, _ in reasons.unreachable] == ["goal"]
    assert [str(why) for _, why in reasons.roots] == ["egg is absent, needs true"]


def test_a_search_cut_short_is_told_with_its_bound() -> None:
    decision = GoapPlanner(node_limit=200).decide(gripper(5))
    best = GoapPlanner().decide(gripper(5))

    assert decision.outcome == "limit"
    assert decision.bound is not None
    assert 0 < decision.bound <= best.cost <= decision.cost


def test_a_goal_that_holds_is_no_less_so_if_another_one_is_too_hard() -> None:
    hard, easy = gripper(5), aim({"here": True}, name="stay", value=0.5)
    world = replace(hard, aims=(*hard.aims, easy))

    decision = GoapPlanner(node_limit=0).decide(world)

    assert (decision.outcome, decision.goal, decision.plan) == ("satisfied", "stay", ())
