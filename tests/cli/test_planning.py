"""`reactor plan`: planning problems as files."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest
import yaml
from typer.testing import Result

from reactor.plan.cases import BadCases

Run = Callable[..., Result]

CONFORMANCE = Path(__file__).parents[1] / "conformance"
REFUND = Path(__file__).parents[2] / "docs" / "refund.yaml"


def test_a_plan_is_told_with_its_cost_and_why_nothing_else_could_run(run: Run) -> None:
    result = run("plan", str(REFUND))

    assert result.exit_code == 0
    assert result.stdout.startswith(
        "refund  goap  optimal\n"
        "  goal        answered\n"
        "  plan        find_orders -> disambiguate -> check_eligibility -> answer\n"
        "  worth       +0.58 net, at a cost of 0.42\n"
        "  could run   find_orders -0.05\n"
        "  could not   answer: eligible is false, needs true\n"
    )


def test_as_json_each_case_is_one_object_with_all_fields(run: Run) -> None:
    told = json.loads(run("plan", str(REFUND), "--json").stdout)

    assert [case["id"] for case in told] == [
        "refund",
        "refund when disambiguating has just failed",
    ]
    assert set(told[0]) == {
        "id",
        "plan",
        "goal",
        "cost",
        "net_value",
        "evaluated",
        "candidates",
        "not_runnable",
        "outcome",
    }
    assert told[1]["plan"] == ["ask_user_to_clarify", "check_eligibility", "answer"]


@pytest.mark.parametrize(
    "suite", ["goals", "goap_basic", "goap_threevalued", "goap_unreachable", "hybrid", "utility"]
)
def test_the_plans_of_the_conformance_suites_come_out(run: Run, suite: str) -> None:
    path = CONFORMANCE / f"{suite}.yaml"
    written = yaml.safe_load(path.read_bytes())["cases"]

    told = json.loads(run("plan", str(path), "--json").stdout)

    assert [case["id"] for case in told] == [case["id"] for case in written]
    expected = [case["expect"] for case in written]
    pairs = [(c["plan"], e["plan"]) for c, e in zip(told, expected, strict=True) if "plan" in e]
    assert [found for found, _ in pairs] == [wanted for _, wanted in pairs]


def test_what_a_goal_hangs_on_is_told(run: Run, tmp_path: Path) -> None:
    file = tmp_path / "tree.yaml"
    file.write_text(
        "actions: [{name: plant, pre: {sapling: true}, effects: {tree: true}}]\n"
        "start: {sapling: false, tree: false}\n"
        "goals: [{name: a tree, pre: {tree: true}}]\n"
    )

    lines = run("plan", str(file)).stdout.splitlines()

    assert lines[:3] == [
        "tree-1  goap  unreachable",
        "  no plan",
        "  unreachable a tree: tree is false, needs true; it hangs on this: sapling is false, "
        "needs true, which nothing brings about",
    ]


def test_a_file_that_is_no_problem_is_refused_with_every_fault(run: Run, tmp_path: Path) -> None:
    file = tmp_path / "bad.yaml"
    file.write_text("[{id: one, planner: magic, actions: [], start: {}, goals: []}, {id: two}]")

    result = run("plan", str(file))

    assert isinstance(result.exception, BadCases)
    assert "case 1 one: planner" in str(result.exception)
    assert "case 2 two: actions" in str(result.exception)
