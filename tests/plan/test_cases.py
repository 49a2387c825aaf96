"""Planning problems as files."""

import json
from pathlib import Path

import pytest

from reactor.plan import Truth
from reactor.plan.cases import BadCases, decide_case, read_cases

CASE = """
id: refund
planner: goap
actions:
  - {name: guess, pre: {orders: true}, effects: {sure: true}, cost: 0.15}
  - {name: ask, pre: {orders: true}, effects: {sure: true}, cost: 0.6, can_rerun: true}
  - {name: answer, pre: {sure: true, polite: true}, effects: {answered: true}, cost: 0.1}
start: {orders: true, sure: false, polite: unknown, answered: false}
resolve: {polite: true}
goals:
  - {name: answered, pre: {answered: true}, value: 1}
expect: {plan: [nonsense]}
"""


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "problem.yaml"


def test_one_case_is_decided_with_its_reasons(file: Path) -> None:
    file.write_text(CASE)

    (case,) = read_cases(file)
    decided = decide_case(case)

    assert decided == {
        "id": "refund",
        "plan": ["guess", "answer"],
        "goal": "answered",
        "cost": 0.25,
        "net_value": 0.75,
        "evaluated": ["polite"],
        "candidates": [
            {"action": "guess", "net_value": -0.15, "cost": 0.15, "value": 0.0},
            {"action": "ask", "net_value": -0.6, "cost": 0.6, "value": 0.0},
        ],
        "not_runnable": [
            {
                "action": "answer",
                "unmet": [{"condition": "sure", "needs": "true", "is": "false"}],
            }
        ],
        "outcome": "optimal",
    }
    assert json.loads(json.dumps(decided)) == decided


def test_a_suite_and_a_list_hold_several_cases(file: Path) -> None:
    indented = CASE.strip().replace("\n", "\n    ")

    file.write_text(f"suite: mine\nversion: 1\ncases:\n  - {indented}\n  - {indented}\n")
    suite = read_cases(file)
    file.write_text(f"- {indented}\n- {indented}\n- {indented}\n".replace("    ", "  "))
    listed = read_cases(file)

    assert [case.id for case in suite] == ["refund"] * 2
    assert [case.id for case in listed] == ["refund"] * 3


def test_what_is_left_out_is_as_nothing(file: Path) -> None:
    file.write_text("actions: [{name: do, effects: {done: true}}]\nstart: {}\ngoals: []\nran:\n")

    (case,) = read_cases(file)

    (only,) = case.problem.steps
    assert (case.id, case.planner) == ("problem-1", "goap")
    assert (only.pre, only.cost, only.can_rerun) == ({}, 0.0, False)
    assert (case.problem.ran, case.problem.aims) == (frozenset(), ())


def test_names_that_yaml_would_take_for_something_else_stay_text(file: Path) -> None:
    file.write_text(
        "actions: [{name: on, pre: {no: false, 5: true}, effects: {yes: true}}]\n"
        "start: {no: false, 5: true}\ngoals: [{name: off, pre: {yes: true}}]\n"
    )

    (case,) = read_cases(file)

    assert case.problem.state == {"no": Truth.FALSE, "5": Truth.TRUE}
    assert decide_case(case)["plan"] == ["on"]
    assert decide_case(case)["goal"] == "off"


@pytest.mark.parametrize("cost", [".inf", ".nan", "1" + "0" * 400, "1e400"])
def test_any_number_is_read_however_large(file: Path, cost: str) -> None:
    file.write_text(
        f"actions: [{{name: do, effects: {{done: true}}, cost: {cost}}}]\n"
        "start: {}\ngoals: [{name: done, pre: {done: true}}]\n"
    )

    decided = decide_case(read_cases(file)[0])

    assert decided["plan"] is None
    json.dumps(decided, allow_nan=False)


def test_planners_that_look_one_step_ahead_never_look_into_an_unknown(file: Path) -> None:
    file.write_text(CASE.replace("goap", "utility").replace("sure: false", "sure: true"))

    decided = decide_case(read_cases(file)[0])

    assert decided["plan"] is None
    assert decided["evaluated"] == []


def test_all_faults_of_a_file_are_told_at_once(file: Path) -> None:
    file.write_text(
        "- {id: first, planner: oracle, actions: [{cost: much}], start: {}, goals: []}\n"
        "- {id: second, level: process, actions: [], start: {a: maybe}, goals: []}\n"
        "- 7\n"
    )

    with pytest.raises(BadCases) as told:
        read_cases(file)

    assert str(file) in str(told.value)
    places = [fault.split(": ")[:2] for fault in told.value.faults]
    assert places == [
        ["case 1 first", "planner"],
        ["case 1 first", "actions.0.name"],
        ["case 1 first", "actions.0.cost"],
        ["case 2 second", "level"],
        ["case 2 second", "start.a"],
        ["case 3 ", "all"],
    ]


@pytest.mark.parametrize("content", [b"", b"cases: []", b"7", b"{", b"\xff\xfe\x00", b"a: [b"])
def test_what_holds_no_case_is_refused_in_words(file: Path, content: bytes) -> None:
    file.write_bytes(content)

    with pytest.raises(BadCases) as told:
        read_cases(file)

    assert str(told.value).startswith(f"{file} holds no planning problem that can be read:\n  ")


def test_a_file_that_is_not_there_is_refused_in_words(tmp_path: Path) -> None:
    with pytest.raises(BadCases, match="No such file"):
        read_cases(tmp_path / "none.yaml")
