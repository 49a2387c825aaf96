"""An order in which steps run for real."""

from reactor.plan.goap.schedule import NO_PLAN, schedule, without_detours
from tests.plan.goap.tasks import chain, coins, compiled, names
from tests.plan.worlds import aim, problem, step

OPEN = step("open", {}, {"open": True})
SERVE = step("serve", {"open": True}, {"served": True})
SHUT = step("shut", {"open": True}, {"open": False, "shut": True})


def test_a_step_waits_until_it_can_run() -> None:
    task, state = compiled(chain(4))

    plan = schedule(task, state, [3, 1, 0, 2])

    assert plan.steps == [0, 1, 2, 3]
    assert plan.price == sum(task.price)


def test_a_step_that_undoes_what_another_wants_goes_last() -> None:
    served_and_shut = aim({"served": True, "shut": True})
    task, state = compiled(problem({}, OPEN, SERVE, SHUT, aims=(served_and_shut,)))

    plan = schedule(task, state, [0, 2, 1])

    assert names(task, plan.steps) == ["open", "serve", "shut"]


def test_where_every_order_undoes_something_it_goes_on_all_the_same() -> None:
    task, state = compiled(coins(2))
    mint, pay0, pay1 = (
        next(j for j, s in enumerate(task.steps) if s.name == n) for n in ("mint", "pay0", "pay1")
    )

    plan = schedule(task, state, [pay0, mint, pay1])

    assert plan.steps in ([pay0, mint, pay1], [pay1, mint, pay0])


def test_what_cannot_run_is_no_plan() -> None:
    task, state = compiled(chain(3))

    assert schedule(task, state, [0, 2]) == NO_PLAN


def test_what_does_not_reach_the_goal_is_no_plan() -> None:
    task, state = compiled(chain(3))

    assert schedule(task, state, [0, 1]) == NO_PLAN


def test_detours_are_cut_out_of_a_plan() -> None:
    back = step("back", {"f1": True}, {"f1": False, "f0": True})
    world = chain(3)
    start = {"f0": True, "f1": False}
    task, state = compiled(problem(start, *world.steps, back, aims=world.aims))
    place = {s.name: j for j, s in enumerate(task.steps)}

    plan = without_detours(task, state, [place[n] for n in ("a0", "back", "a0", "a1", "a2")])

    assert names(task, plan) == ["a0", "a1", "a2"]


def test_a_step_waits_while_it_would_give_nothing_new() -> None:
    task, state = compiled(coins(2))
    place = {s.name: j for j, s in enumerate(task.steps)}

    plan = schedule(task, state, [place[n] for n in ("mint", "pay0", "pay1")])

    assert names(task, plan.steps) == ["pay0", "mint", "pay1"]


def test_steps_that_turn_out_to_give_nothing_are_left_out() -> None:
    task, state = compiled(coins(2))
    place = {s.name: j for j, s in enumerate(task.steps)}

    plan = schedule(task, state, [place[n] for n in ("toil0", "pay0", "toil1")])

    assert names(task, plan.steps) == ["toil0", "toil1"]
