"""The answer to one state: a proof where there is one, and what is known where there is none."""

import pytest

from reactor.plan import Problem
from reactor.plan.goap.greedy import some_plan
from reactor.plan.goap.price import cost_of
from reactor.plan.goap.schedule import NO_PLAN, without_detours
from reactor.plan.goap.solver import Solution, Solver
from tests.plan.drawn import FAR, draw, seeded
from tests.plan.exhaustive import cheapest, reaches
from tests.plan.goap.tasks import chain, choices, coins, compiled, gripper, names
from tests.plan.worlds import aim, problem, step


def solve(world: Problem, node_limit: int | None = None) -> Solution:
    task, state = compiled(world)
    return Solver(task, node_limit).solve(state)


def test_where_the_bound_is_the_plan_nothing_is_searched() -> None:
    for world in (chain(50), choices(30)):
        solution = solve(world)

        assert (solution.outcome, solution.expanded) == ("optimal", 0)


@pytest.mark.parametrize("jobs", [4, 8, 16])
def test_consumables_take_a_search_that_grows_no_faster_than_they_do(jobs: int) -> None:
    solution = solve(coins(jobs))

    assert solution.outcome == "optimal"
    assert solution.expanded <= 2 * jobs


@pytest.mark.parametrize("world", [coins(5), gripper(3)], ids=["coins", "gripper"])
def test_a_search_ends_with_the_cheapest_plan(world: Problem) -> None:
    task, state = compiled(world)
    best = cheapest(world, world.aims[0].pre)

    solution = Solver(task).solve(state)

    assert best is not None
    assert round(cost_of(solution.bound) * 10**9) == best.cost
    assert reaches(world, names(task, solution.steps) or (), world.aims[0].pre)


def test_a_goal_that_holds_needs_nothing() -> None:
    done = problem({"f3": True}, *chain(3).steps, aims=chain(3).aims)

    assert solve(done) == Solution("satisfied", ())


def test_what_only_excludes_itself_is_found_unreachable_by_search() -> None:
    flip = step("flip", {"up": False}, {"up": True, "down": False})
    flop = step("flop", {"up": True}, {"up": False, "down": True})
    both = aim({"up": True, "down": True})

    solution = solve(problem({"up": False, "down": False}, flip, flop, aims=(both,)))

    assert (solution.outcome, solution.steps) == ("unreachable", None)
    assert solution.expanded > 0


def test_a_search_cut_short_tells_a_plan_and_what_none_can_undercut() -> None:
    world = gripper(5)
    task, state = compiled(world)

    cut_short = Solver(task, node_limit=200).solve(state)
    best = Solver(task).solve(state)

    assert cut_short.outcome == "limit"
    assert reaches(world, names(task, cut_short.steps) or (), world.aims[0].pre)
    assert cut_short.bound <= best.bound <= sum(task.price[j] for j in cut_short.steps or ())
    assert (best.outcome, len(best.steps or ())) == ("optimal", 15)


def test_some_plan_is_found_quickly_though_it_is_not_the_best() -> None:
    world = gripper(5)
    task, state = compiled(world)

    found = some_plan(task, state, 1_000)

    assert reaches(world, names(task, found.steps) or (), world.aims[0].pre)


def test_some_plan_gives_up_after_so_many_states() -> None:
    task, state = compiled(gripper(5))

    assert some_plan(task, state, 10) == NO_PLAN


def test_a_plan_that_is_not_proved_best_has_at_least_no_detour() -> None:
    shortened = 0
    for seed in range(500):
        task, state = compiled(draw(seeded(seed), FAR))
        solution = Solver(task, node_limit=0).solve(state)
        if solution.outcome == "limit" and solution.steps:
            assert tuple(without_detours(task, state, solution.steps)) == solution.steps
            shortened += 1
    assert shortened > 20
