"""Supervisor: what was picked runs if it can; else the model is asked, if there is a choice."""

from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from reactor.plan import NIRVANA, Aim, Pick, Problem, Supervision, Truth, make_planner
from tests.plan.drawn import seeded, shuffled
from tests.plan.strategies import SEVERAL_GOALS, TRUTHS
from tests.plan.worlds import aim, problem, step

ASK = step("ask", {"llm": True})
COOK = step("choose_cook", {"wish": True}, {"cook": True})
ORDER = step("take_order", {"wish": True}, {"order": True}, value=0.5)
PREPARE = step("prepare", {"cook": True, "order": True}, {"meal": True})
MEAL = aim({"meal": True}, name="meal")
OPEN = {"llm": True, "wish": True, "cook": False, "order": False, "meal": False}


def supervised(state: dict[str, bool], *picks: str, **supplies: dict[str, str]) -> Problem:
    world = problem(state, ASK, COOK, ORDER, PREPARE, aims=(MEAL,))
    said = tuple(Pick(step=name, by="round 1") for name in picks)
    return replace(world, supervision=Supervision(asks="ask", picks=said, supplies=supplies or {}))


def test_without_a_pick_the_model_is_asked_what_to_run() -> None:
    decision = make_planner("supervisor").decide(supervised(OPEN))

    assert (decision.plan, decision.goal, decision.chosen_by) == (("ask",), "meal", "")
    assert decision.offered == ("take_order", "choose_cook")
    assert [each.action for each in decision.reasons.candidates] == ["take_order", "choose_cook"]
    assert [each.action for each in decision.reasons.not_runnable] == ["prepare"]


def test_what_was_picked_runs_in_the_order_of_the_picks() -> None:
    decision = make_planner("supervisor").decide(supervised(OPEN, "choose_cook", "take_order"))

    assert (decision.plan, decision.chosen_by) == (("choose_cook", "take_order"), "round 1")


def test_a_pick_whose_preconditions_fail_is_passed_over() -> None:
    decision = make_planner("supervisor").decide(supervised(OPEN, "prepare", "choose_cook"))

    assert decision.plan == ("choose_cook",)


def test_where_no_pick_can_run_the_model_is_asked_again() -> None:
    decision = make_planner("supervisor").decide(supervised(OPEN, "prepare", "nothing_known"))

    assert decision.plan == ("ask",)


def test_the_asking_itself_can_not_be_picked() -> None:
    decision = make_planner("supervisor").decide(supervised({**OPEN, "wish": False}, "ask"))

    assert decision.plan is None


def test_what_a_pick_brings_holds_for_its_step_alone() -> None:
    world = supervised(OPEN)
    brought = {"cook": Truth.TRUE, "order": Truth.TRUE}
    picks = (Pick(step="prepare", brings=brought),)
    refused = (Pick(step="prepare", brings={**brought, "order": Truth.FALSE}),)

    def plan_of(picks: tuple[Pick, ...]) -> tuple[str, ...] | None:
        supervision = Supervision(asks="ask", picks=picks)
        return make_planner("supervisor").decide(replace(world, supervision=supervision)).plan

    assert plan_of(picks) == ("prepare",)
    assert plan_of(refused) == ("ask",)


def test_a_step_is_offered_whose_lacking_facts_a_model_can_supply() -> None:
    both = {"cook": "cook", "order": "order"}
    state = {**OPEN, "wish": False}

    with_both = make_planner("supervisor").decide(supervised(state, prepare=both))
    with_one = make_planner("supervisor").decide(supervised(state, prepare={"cook": "cook"}))

    assert with_both.offered == ("prepare",)
    assert with_both.reasons.not_runnable[0].action == "choose_cook"
    assert with_one.plan is None


def test_an_expression_over_a_fact_that_is_there_is_nothing_to_supply() -> None:
    about_cook = {"cook": "cook", "order": "cook"}  # `order` stands for `cook.age > 30`

    absent = make_planner("supervisor").decide(supervised(OPEN, prepare=about_cook))
    too_young = make_planner("supervisor").decide(
        supervised({**OPEN, "cook": True}, prepare=about_cook)
    )

    assert "prepare" in absent.offered
    assert "prepare" not in too_young.offered


def test_a_goal_that_holds_ends_it_whatever_was_picked() -> None:
    decision = make_planner("supervisor").decide(supervised({**OPEN, "meal": True}, "choose_cook"))

    assert (decision.outcome, decision.plan) == ("satisfied", ())


def test_without_a_model_there_is_no_plan_and_that_is_the_reason() -> None:
    decision = make_planner("supervisor").decide(supervised({**OPEN, "llm": False}))

    assert decision.plan is None
    assert [(goal, str(root)) for goal, root in decision.reasons.roots] == [
        ("meal", "llm is false, needs true")
    ]


def test_what_was_picked_runs_without_a_model() -> None:
    decision = make_planner("supervisor").decide(supervised({**OPEN, "llm": False}, "choose_cook"))

    assert decision.plan == ("choose_cook",)


def test_what_is_left_out_is_neither_run_nor_offered() -> None:
    world = replace(supervised(OPEN, "choose_cook"), excluded=frozenset({"choose_cook"}))

    decision = make_planner("supervisor").decide(world)

    assert (decision.plan, decision.offered) == (("ask",), ("take_order",))


@pytest.mark.parametrize("aims", [(NIRVANA,), ()])
def test_there_is_nothing_to_do_without_a_goal(aims: tuple[Aim, ...]) -> None:
    world = replace(supervised(OPEN, "choose_cook"), aims=aims)

    assert make_planner("supervisor").decide(world).plan is None


@given(world=SEVERAL_GOALS, truth=TRUTHS, seed=st.integers(0, 2**32), data=st.data())
@settings(max_examples=60, deadline=None)
def test_the_order_of_lists_means_nothing_but_that_of_the_picks(
    world: Problem, truth: dict[str, Truth], seed: int, data: st.DataObject
) -> None:
    names = sorted(each.name for each in world.steps)
    picks = tuple(Pick(step=name) for name in data.draw(st.permutations(names))[:2])
    world = replace(
        world,
        steps=(*world.steps, step("ask")),
        resolve=truth.__getitem__,
        supervision=Supervision(asks="ask", picks=picks),
    )

    one = make_planner("supervisor").decide(world)
    other = make_planner("supervisor").decide(shuffled(seeded(seed), world))

    assert (one, one.reasons) == (other, other.reasons)
