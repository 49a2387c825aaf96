"""GOAP against exhaustive search: as cheap, executable, and `None` only where there is nothing."""

import pytest
from hypothesis import given, settings

from reactor.plan import Problem, make_planner
from reactor.plan.goap.solver import Solution, Solver
from reactor.plan.goap.task import Domain
from tests.plan.drawn import FAR, MIXED, PLAIN, TANGLED, Flavour, draw, seeded
from tests.plan.exhaustive import Price, cheapest, price_of, reaches
from tests.plan.strategies import ONE_GOAL


def price_found(problem: Problem) -> Price | None:
    """What GOAP's plan costs, after a check that it runs."""
    decision = make_planner("goap").decide(problem)
    if decision.plan is None:
        assert decision.outcome == "unreachable"
        return None
    assert reaches(problem, decision.plan, problem.aims[0].pre)
    assert decision.outcome == ("optimal" if decision.plan else "satisfied")
    named = {step.name: step for step in problem.steps}
    return price_of([named[name] for name in decision.plan])


@given(ONE_GOAL)
@settings(max_examples=80, deadline=None)
def test_no_plan_is_cheaper_shorter_or_more_specific(problem: Problem) -> None:
    found = price_found(problem)

    assert found == cheapest(problem, problem.aims[0].pre)


@pytest.mark.parametrize(
    ("flavour", "count"),
    [(MIXED, 1_200), (TANGLED, 1_200), (FAR, 600), (PLAIN, 600)],
    ids=["mixed", "tangled", "far", "plain"],
)
def test_no_plan_is_cheaper_in_thousands_of_small_problems(flavour: Flavour, count: int) -> None:
    differing = []
    for seed in range(count):
        problem = draw(seeded(seed), flavour)
        if price_found(problem) != cheapest(problem, problem.aims[0].pre):
            differing.append(seed)

    assert differing == []


def test_the_problems_drawn_are_of_every_kind() -> None:
    flavours = (MIXED, TANGLED, FAR, PLAIN)
    drawn = [draw(seeded(seed), flavour) for flavour in flavours for seed in range(100)]
    solved = [solve(problem) for problem in drawn]

    assert {found.outcome for found in solved} == {"optimal", "satisfied", "unreachable"}
    assert len([found for found in solved if len(found.steps or ()) >= 5]) > 5
    assert len([found for found in solved if found.expanded]) > 20


def solve(problem: Problem) -> Solution:
    task = Domain(problem.steps).compile(problem.aims[0], problem.excluded)
    return Solver(task).solve(task.state(problem.state, problem.ran))
