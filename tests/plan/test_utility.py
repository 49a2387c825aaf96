"""Utility: each time the runnable action that is worth most."""

from dataclasses import replace

import pytest

from reactor.plan import NIRVANA, Truth, make_planner
from tests.plan.worlds import Oracle, aim, once, problem, step, truths

LABEL = step("label", {"issue": True}, {"labelled": True}, cost=0.1, value=0.4)
REPLY = step("reply", {"issue": True}, {"replied": True}, cost=0.3, value=0.9)
CLOSE = step("close", {"replied": True}, {"closed": True}, value=1.0)


def test_the_endless_goal_takes_the_highest_net_value() -> None:
    decision = make_planner("utility").decide(problem({"issue": True}, LABEL, REPLY, CLOSE))

    assert (decision.outcome, decision.goal, decision.plan) == ("optimal", "nirvana", ("reply",))
    assert (decision.cost, decision.net_value) == (0.3, 0.6)
    assert decision.chosen == "reply"


def test_a_loss_is_taken_rather_than_nothing() -> None:
    fine = step("pay_fine", {}, {"paid": True}, cost=0.9, value=0.1)

    assert make_planner("utility").decide(problem({}, fine)).plan == ("pay_fine",)


def test_without_anything_to_run_there_is_no_plan() -> None:
    decision = make_planner("utility").decide(problem({}, LABEL, CLOSE))

    assert (decision.outcome, decision.plan, decision.chosen) == ("unreachable", None, None)


def test_a_tie_goes_to_the_more_specific_action_and_then_to_the_name() -> None:
    left = step("left", {"fork": True}, cost=0.2, value=0.6)  # 0.6 - 0.2 and 0.5 - 0.1 differ
    right = step("right", {"fork": True}, cost=0.1, value=0.5)  # as floats, not as amounts
    sure = step("sure", {"fork": True, "map": True}, value=0.4)

    with_map = make_planner("utility").decide(
        problem({"fork": True, "map": True}, right, left, sure)
    )
    without = make_planner("utility").decide(problem({"fork": True}, right, left, sure))

    assert with_map.plan == ("sure",)
    assert without.plan == ("left",)


def test_an_open_goal_takes_the_best_of_those_that_reach_it_in_one_step() -> None:
    slow = step("close_slowly", {"issue": True}, {"closed": True}, cost=0.5, value=0.4)
    fast = step("close_fast", {"issue": True}, {"closed": True}, cost=0.1, value=0.1)
    closed = aim({"closed": True})

    decision = make_planner("utility").decide(
        problem({"issue": True}, LABEL, REPLY, slow, fast, aims=(closed,))
    )

    assert (decision.goal, decision.plan) == ("goal", ("close_fast",))


def test_a_step_that_breaks_another_part_of_the_goal_does_not_reach_it() -> None:
    swap = step("swap", {}, {"a": True, "b": False}, value=1.0)
    both = aim({"a": True, "b": True})

    decision = make_planner("utility").decide(problem({"b": True}, swap, aims=(both,)))

    assert decision.plan is None


def test_a_goal_two_steps_away_has_no_plan() -> None:
    closed = aim({"closed": True})

    decision = make_planner("utility").decide(
        problem({"issue": True}, REPLY, CLOSE, aims=(closed,))
    )

    assert decision.plan is None
    assert [(goal, str(why)) for goal, why in decision.reasons.unreachable] == [
        ("goal", "closed is absent, needs true")
    ]


def test_a_goal_that_holds_does_not_end_it() -> None:
    labelled = aim({"labelled": True})

    going_on = make_planner("utility").decide(
        problem({"issue": True, "labelled": True}, REPLY, aims=(labelled, NIRVANA))
    )
    done = make_planner("utility").decide(problem({"labelled": True}, REPLY, aims=(labelled,)))

    assert going_on.plan == ("reply",)
    assert (done.outcome, done.plan) == ("satisfied", ())


def test_on_a_tie_a_real_goal_goes_before_the_endless_one() -> None:
    replied = aim({"replied": True}, name="zzz")

    decision = make_planner("utility").decide(
        problem({"issue": True}, REPLY, aims=(NIRVANA, replied))
    )

    assert (decision.goal, decision.plan) == ("zzz", ("reply",))


def test_the_value_of_a_goal_counts_between_goals() -> None:
    labelled, replied = (
        aim({"labelled": True}, name="l", value=0.5),
        aim({"replied": True}, name="r"),
    )

    decision = make_planner("utility").decide(
        problem({"issue": True}, LABEL, REPLY, aims=(labelled, replied))
    )

    assert (decision.goal, decision.net_value) == ("l", 0.8)


def test_what_failed_or_ran_is_passed_over() -> None:
    welcome = once("welcome", {"issue": True}, {"welcomed": True})
    world = problem({"issue": True}, replace(welcome, value=1.0), REPLY, LABEL)

    after_welcome = make_planner("utility").decide(replace(world, ran=frozenset({"welcome"})))
    after_failure = make_planner("utility").decide(
        replace(world, ran=frozenset({"welcome", "label"}), excluded=frozenset({"reply"}))
    )

    assert after_welcome.plan == ("reply",)
    assert after_failure.plan == ("label",)


def test_reasons_tell_what_could_run_and_what_kept_the_others() -> None:
    world = problem({"issue": True}, LABEL, REPLY, CLOSE, once("welcome"))

    reasons = (
        make_planner("utility")
        .decide(replace(world, ran=frozenset({"welcome"}), excluded=frozenset({"reply"})))
        .reasons
    )

    assert [(c.action, c.net_value) for c in reasons.candidates] == [("label", 0.3)]
    assert [(n.action, [str(u) for u in n.unmet]) for n in reasons.not_runnable] == [
        ("close", ["replied is absent, needs true"]),
        ("reply", ["excluded(reply) is true, needs false"]),
        ("welcome", ["ran(welcome) is true, needs false"]),
    ]


def test_an_unknown_is_looked_into_only_for_an_action_that_would_win() -> None:
    sell = step("sell", {"open": True, "stock": True}, value=0.9)
    wait = step("wait", {}, value=0.5)
    dream = step("dream", {"rich": True}, value=0.1)
    missing = step("missing", {"open": True, "gone": True}, value=1.0)
    oracle = Oracle(truths({"open": True, "rich": True}))
    world = problem(
        {"open": None, "stock": True, "rich": None, "gone": False}, sell, wait, dream, missing
    )

    decision = make_planner("utility").decide(replace(world, resolve=oracle))

    assert decision.plan == ("sell",)
    assert decision.evaluated == ("open",)
    assert oracle.asked == ["open"]


def test_nothing_is_looked_into_for_an_action_that_leaves_the_goal_open() -> None:
    half = step("half", {"open": True}, {"a": True}, value=1.0)
    whole = step("whole", {}, {"a": True, "b": True})
    oracle = Oracle(truths({"open": True}))
    world = problem({"open": None}, half, whole, aims=(aim({"a": True, "b": True}),))

    decision = make_planner("utility").decide(replace(world, resolve=oracle))

    assert decision.plan == ("whole",)
    assert oracle.asked == []


def test_an_unknown_that_stays_unknown_keeps_the_action_out_and_is_asked_once() -> None:
    sell, gift = step("sell", {"open": True}, value=0.9), step("gift", {"open": False}, value=0.8)
    wait = step("wait", {"open": None}, value=0.1)
    oracle = Oracle({"open": Truth.UNKNOWN})

    decision = make_planner("utility").decide(
        replace(problem({"open": None}, sell, gift, wait), resolve=oracle)
    )

    assert decision.plan == ("wait",)
    assert oracle.asked == ["open"]


@pytest.mark.parametrize("count", [10, 1_000])
def test_few_and_many_actions_are_chosen_from_alike(count: int) -> None:
    steps = [
        step(f"offer{n}", {"open": n % 3 > 0, f"seen{n}": False}, value=n / count)
        for n in range(count)
    ]
    planner = make_planner("utility")
    world = problem({"open": True, **{f"seen{n}": False for n in range(count)}}, *steps)
    chosen = []
    for _ in range(4):
        plan = planner.decide(world).plan or ("",)
        chosen.append(int(plan[0].removeprefix("offer")))
        world = replace(world, state={**world.state, f"seen{chosen[-1]}": Truth.TRUE})

    assert chosen == [n for n in range(count - 1, 0, -1) if n % 3][:4]
