"""Stubborn sets: of what does not meddle with each other, one order is enough."""

from reactor.plan.goap.stubborn import StubbornSets
from tests.plan.goap.tasks import choices, coins, compiled
from tests.plan.worlds import aim, problem, step


def test_independent_steps_are_not_tried_in_every_order() -> None:
    task, state = compiled(choices(5))
    sets = StubbornSets(task, task.makers)

    assert sorted(sets.of(state, task.makers[0b1])) == sorted(task.makers[0b1])


def test_steps_that_want_the_same_coin_are_tried_together() -> None:
    task, state = compiled(coins(3))
    name = {s.name: j for j, s in enumerate(task.steps)}
    sets = StubbornSets(task, task.makers)

    found = sets.of(state, [name["pay0"]])

    assert {name["pay0"], name["pay1"], name["pay2"], name["mint"]} <= set(found)


def test_for_a_step_that_cannot_run_all_makers_of_something_it_lacks_are_tried() -> None:
    steps = [
        step("key", {}, {"key": True}),
        step("pick", {}, {"key": True}),
        step("light", {}, {"light": True}),
        step("enter", {"key": True, "light": True}, {"in": True}),
    ]
    task, state = compiled(problem({}, *steps, aims=(aim({"in": True}),)))
    name = {s.name: j for j, s in enumerate(task.steps)}
    sets = StubbornSets(task, task.makers)

    assert sets.of(state, [name["enter"]]) == [name["light"]]  # it has fewer makers than the key


def test_a_step_meddles_with_those_that_it_may_stop_and_that_may_stop_it() -> None:
    steps = [
        step("wet", {}, {"dry": False, "clean": True}),
        step("paint", {"dry": True}, {"painted": True}),
        step("wait", {}, {"dry": True}),
        step("sing", {}, {"happy": True}),
    ]
    everything = aim({"clean": True, "painted": True, "happy": True})
    task, _ = compiled(problem({"dry": True}, *steps, aims=(everything,)))
    name = {s.name: j for j, s in enumerate(task.steps)}
    sets = StubbornSets(task, task.makers)

    assert set(sets.meddled_with(name["wet"])) == {name["paint"], name["wait"]}
    assert set(sets.meddled_with(name["paint"])) == {name["wet"]}
    assert sets.meddled_with(name["sing"]) == []
