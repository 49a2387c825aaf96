"""The additive estimate: what it takes if nothing is ever undone."""

from reactor.plan.goap.estimate import estimate
from reactor.plan.goap.price import cost_of
from tests.plan.goap.tasks import chain, coins, compiled, names
from tests.plan.worlds import aim, problem, step


def test_a_literal_costs_its_cheapest_maker_and_all_that_it_needs() -> None:
    steps = [
        step("a", {}, {"x": True}, cost=0.2),
        step("b", {}, {"y": True}, cost=0.3),
        step("join", {"x": True, "y": True}, {"z": True}, cost=0.1),
        step("buy", {}, {"z": True}, cost=0.7),
    ]
    task, state = compiled(problem({}, *steps, aims=(aim({"z": True}),)))

    reach = estimate(task, state)

    assert cost_of(reach.of_literal[task.goal]) == 0.6
    assert names(task, reach.plan()) == ["a", "b", "join"]


def test_what_has_no_estimate_cannot_be_reached() -> None:
    world = chain(3)
    task, state = compiled(problem({}, *world.steps, aims=world.aims))

    reach = estimate(task, state)

    assert reach.missing(task.goal) == task.goal
    assert reach.makers() == {literal: [] for literal in task.makers}
    assert reach.plan() == []


def test_literals_are_ordered_by_what_they_take() -> None:
    task, state = compiled(chain(3))
    everything = (1 << len(task.literals)) - 1

    hardest = estimate(task, state).hardest_first(everything)

    assert hardest == [0b1000, 0b100, 0b10, 0b1]


def test_deletes_are_ignored() -> None:
    task, state = compiled(coins(3))

    plan = names(task, estimate(task, state).plan())

    assert plan == ["pay0", "pay1", "pay2"]
