"""The planner-level conformance cases, as the README beside this file says."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import combinations
from pathlib import Path
from typing import Any

import pytest
import yaml

from reactor.plan.cases import Case, DecidedCase, decide_case, read_cases
from tests.plan.exhaustive import reaches

HERE = Path(__file__).parent
SUITES = [
    "goals",
    "goap_basic",
    "goap_optimal",
    "goap_threevalued",
    "goap_unreachable",
    "hybrid",
    "utility",
]
TOLERANCE = 1e-6


@dataclass(frozen=True)
class Expected:
    """A case, and what the file says of its decision."""

    case: Case
    expect: dict[str, Any]


def expectations() -> Iterator[Expected]:
    for suite in SUITES:
        path = HERE / f"{suite}.yaml"
        written = yaml.safe_load(path.read_bytes())["cases"]
        for case, item in zip(read_cases(path), written, strict=True):
            yield Expected(case, item["expect"])


EXPECTATIONS = list(expectations())


def those_that_tell(field: str) -> pytest.MarkDecorator:
    """One test for each case whose expectation has the field."""
    found = [expected for expected in EXPECTATIONS if field in expected.expect]
    return pytest.mark.parametrize("expected", found, ids=[e.case.id for e in found])


@pytest.mark.parametrize("expected", EXPECTATIONS, ids=[e.case.id for e in EXPECTATIONS])
def test_the_decision_is_as_expected(expected: Expected) -> None:
    decided = decide_case(expected.case)

    assert disagreements(expected.case, decided, expected.expect) == []


@those_that_tell("per_goal")
def test_each_goal_alone_is_planned_for_as_expected(expected: Expected) -> None:
    for goal, expect in expected.expect["per_goal"].items():
        alone = only(expected.case, goal)

        decided = decide_case(alone)

        assert disagreements(alone, decided, expect) == []


@those_that_tell("ranking")
def test_goals_rank_by_what_their_plans_net(expected: Expected) -> None:
    goals = [aim.name for aim in expected.case.problem.aims]

    decided = {goal: decide_case(only(expected.case, goal)) for goal in goals}

    planned = [goal for goal in goals if decided[goal]["plan"] is not None]
    planned.sort(key=lambda goal: -decided[goal]["net_value"])
    assert planned == expected.expect["ranking"]


def test_every_public_case_is_here() -> None:
    assert len(EXPECTATIONS) == 171


def only(case: Case, goal: str) -> Case:
    aims = tuple(aim for aim in case.problem.aims if aim.name == goal)
    return replace(case, problem=replace(case.problem, aims=aims))


def disagreements(case: Case, decided: DecidedCase, expect: dict[str, Any]) -> list[str]:
    """What is not as expected, in words."""
    plan = decided["plan"]
    found = {
        "plan": "plan" not in expect or plan == expect["plan"],
        "any_of": "any_of" not in expect or plan in expect["any_of"],
        "plan_cost": near(decided["cost"], expect.get("plan_cost")),
        "net_value": near(decided["net_value"], expect.get("net_value")),
        "chosen_goal": "chosen_goal" not in expect or decided["goal"] == expect["chosen_goal"],
        "chosen_goal_any": decided["goal"] in expect.get("chosen_goal_any", [decided["goal"]]),
        "evaluated": set(expect.get("evaluated", ())) <= set(decided["evaluated"]),
        "not_evaluated": not set(expect.get("not_evaluated", ())) & set(decided["evaluated"]),
    }
    if "plan" not in expect and "any_of" not in expect and "plan_cost" in expect:
        found["a plan that runs and has no needless step"] = plan is not None and is_lean(
            case, plan
        )
    return [f"{what}: {decided}" for what, is_met in found.items() if not is_met]


def near(found: float, expected: float | None) -> bool:
    return expected is None or abs(found - expected) <= TOLERANCE


def is_lean(case: Case, plan: list[str]) -> bool:
    goal = case.problem.aims[0].pre
    shorter = (
        [name for place, name in enumerate(plan) if place not in left_out]
        for count in range(1, min(3, len(plan)) + 1)
        for left_out in combinations(range(len(plan)), count)
    )
    return reaches(case.problem, plan, goal) and not any(
        reaches(case.problem, other, goal) for other in shorter
    )
