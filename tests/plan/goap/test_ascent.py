"""The ascent: a bound that no plan undercuts, and a candidate that often meets it."""

from hypothesis import given, settings

from reactor.plan import Problem
from reactor.plan.goap.ascent import View, ascend
from reactor.plan.goap.price import cost_of
from reactor.plan.goap.task import Task, bits
from tests.plan.drawn import FAR, MIXED, draw, seeded
from tests.plan.exhaustive import cheapest
from tests.plan.goap.tasks import chain, choices, coins, compiled, names
from tests.plan.strategies import ONE_GOAL
from tests.plan.worlds import aim, problem, step


def view(task: Task, *, backwards: bool = False) -> View:
    """Preconditions in their own order, or the other way round."""
    way = -1 if backwards else 1
    order = [list(bits(pre))[::way] for pre in task.pre]
    return View(task.price, task.makers, order, list(bits(task.goal))[::way])


def test_on_a_chain_the_bound_is_the_cost_and_the_candidate_is_the_plan() -> None:
    task, state = compiled(chain(6))

    bound = ascend(task, state, view(task))

    assert bound is not None
    assert bound.price == sum(task.price)
    assert bound.candidate == list(range(6))
    assert len(bound.cuts) == 6


def test_of_alternatives_the_cheapest_is_charged() -> None:
    task, state = compiled(choices(3))

    bound = ascend(task, state, view(task))

    assert bound is not None
    assert cost_of(bound.price) == 0.3
    assert names(task, bound.candidate) == ["cheap0", "cheap1", "cheap2"]
    assert {cut.steps for cut in bound.cuts} == {frozenset({n, n + 3}) for n in range(3)}


def test_a_goal_that_holds_costs_nothing() -> None:
    task, _ = compiled(chain(2))

    assert ascend(task, task.goal, view(task)) == (0, [], [])


def test_an_empty_cut_proves_that_there_is_no_way() -> None:
    world = chain(4)
    broken = [s for s in world.steps if s.name != "a1"]
    task, state = compiled(problem({"f0": True}, *broken, aims=world.aims))

    assert ascend(task, state, view(task)) is None


def test_where_things_are_used_up_the_bound_is_too_low_but_never_too_high() -> None:
    world = coins(4)
    task, state = compiled(world)

    bound = ascend(task, state, view(task))
    best = cheapest(world, world.aims[0].pre)

    assert bound is not None
    assert best is not None
    assert cost_of(bound.price) * 10**9 < best.cost


@given(ONE_GOAL)
@settings(max_examples=80, deadline=None)
def test_no_plan_costs_less_than_the_bound(world: Problem) -> None:
    assert_bound(world)


def test_no_plan_costs_less_than_the_bound_in_hundreds_of_larger_problems() -> None:
    for seed in range(300):
        assert_bound(draw(seeded(seed), MIXED))
        assert_bound(draw(seeded(seed), FAR))


def assert_bound(world: Problem) -> None:
    task, state = compiled(world)
    best = cheapest(world, world.aims[0].pre)
    for backwards in (False, True):
        bound = ascend(task, state, view(task, backwards=backwards))
        if best is None:
            continue
        assert bound is not None
        assert round(cost_of(bound.price) * 10**9) <= best.cost
        charged = [
            sum(cut.charge for cut in bound.cuts if j in cut.steps) for j in range(len(task.price))
        ]
        assert all(
            all_in_all <= price for all_in_all, price in zip(charged, task.price, strict=True)
        )


def test_every_plan_contains_a_step_of_every_cut() -> None:
    both = problem(
        {},
        step("a", {}, {"x": True}, cost=0.1),
        step("b", {}, {"x": True}, cost=0.2),
        step("c", {"x": True}, {"y": True}, cost=0.1),
        aims=(aim({"y": True}),),
    )
    task, state = compiled(both)

    bound = ascend(task, state, view(task))

    assert bound is not None
    assert all(cut.steps & plan for cut in bound.cuts for plan in ({0, 2}, {1, 2}))
