"""Whole runs of processes, as data: each case becomes real components on a real platform.

`README.md` says what the fields of a case mean.
"""

import inspect
from collections.abc import Callable, Iterable, Mapping
from dataclasses import make_dataclass
from pathlib import Path
from typing import Any

import pytest
import yaml

from reactor import wait_for
from reactor.action import Not, Precondition, action, component
from reactor.adapters.clock import ManualClock
from reactor.agent import state
from reactor.context import ActionContext
from reactor.execution import Executor
from reactor.failure import ReplanRequested, TerminateProcess
from reactor.goal import Goal
from reactor.options import ProcessOptions
from reactor.package import Package
from reactor.platform import Platform
from reactor.process import Engine, Process
from reactor.start import Start

Case = Mapping[str, Any]
Types = Mapping[str, type]

CASES: dict[str, Case] = {
    case["id"]: case
    for case in yaml.safe_load(Path(__file__).with_name("states.yaml").read_text(encoding="utf-8"))[
        "cases"
    ]
}


async def run(case: Case) -> Process:
    """The process of a case, at its end."""
    types = _types(case)
    platform = _platform(case, types)
    limits = case.get("limits", {})
    start = Start(
        process_id="p-1",
        delivery="github.com/d-1",
        reaction="case",
        subject="",
        facts=[("it", types[name]()) for name in case["start"]["objects"]],
        planner=case["planner"],
        endless=any(goal.get("nirvana") for goal in case["goals"]),
        options=ProcessOptions(
            max_actions=limits.get("max_actions", 50),
            terminate_when_stuck=limits.get("terminate_when_stuck", False),
            on_failure=case["on_failure"],
        ),
    )
    with Executor() as executor:
        process = Process(Engine(platform, ManualClock(), executor), start)
        for name in case["start"]["protected"]:
            process.board.bind("it", types[name](), protected=True)
        for name, value in case["start"]["conditions"].items():
            process.board.set_flag(name, value)
        await process.run()
    return process


def _types(case: Case) -> Types:
    """A frozen dataclass for every type that is spoken of, supertypes first; states are marked."""
    made: dict[str, type] = {}

    def make(name: str) -> type:
        if name not in made:
            bases = tuple(make(base) for base in case["types"].get(name, ()))
            kind = make_dataclass(name, [], bases=bases, frozen=True)
            made[name] = state(kind) if name in case["states"] else kind
        return made[name]

    for name in _type_names(case):
        make(name)
    return made


def _type_names(case: Case) -> Iterable[str]:
    yield from case["types"]
    yield from case["start"]["objects"]
    yield from case["start"]["protected"]
    for made in case["actions"]:
        yield from made["inputs"]
        yield from made["outputs"]
        for outcome in made.get("outcomes", ()):
            yield from outcome.get("gives", ())
    for goal in case["goals"]:
        yield from goal["has"]
    for expected in _expected(case):
        yield from (*expected.get("has", ()), *expected.get("lacks", ()))


def _platform(case: Case, types: Types) -> Platform:
    methods = {made["name"]: _method(made, types) for made in case["actions"]}
    flags = sorted(set(_flags(case)))
    cls = component(name="case", flags=flags)(type("CaseComponent", (), methods))
    goals = tuple(
        Goal(
            name=goal["name"],
            inputs=tuple(types[name] for name in goal["has"]),
            pre=_preconditions(goal["pre"]),
            ran=tuple(f"case.{name}" for name in goal["ran"]),
            value=goal["value"],
        )
        for goal in case["goals"]
        if not goal.get("nirvana")
    )
    return Platform(
        packages=[Package(name="case", components=(cls,), goals=goals)],
        types=tuple(types.values()),
    )


def _flags(case: Case) -> Iterable[str]:
    yield from case["start"]["conditions"]
    for made in case["actions"]:
        yield from (*made["pre"], *made["effects"])
        for outcome in made.get("outcomes", ()):
            yield from outcome.get("sets", ())
    for goal in case["goals"]:
        yield from goal["pre"]


def _preconditions(pre: Mapping[str, bool]) -> tuple[Precondition, ...]:
    return tuple(name if wanted else Not(name) for name, wanted in pre.items())


def _method(made: Case, types: Types) -> Callable[..., Any]:
    """An action that does what its outcomes say, one after the other, the last one for ever."""
    outcomes = list(made.get("outcomes", [{}]))

    async def act(self: object, **given: Any) -> object:
        outcome = outcomes.pop(0) if len(outcomes) > 1 else outcomes[0]
        context: ActionContext = given["context"]
        _misbehave(outcome, made, types)
        for name, value in outcome.get("sets", made["effects"]).items():
            context.set_condition(name, value)
        gives = list(outcome.get("gives", made["outputs"]))
        returned = [
            types[gives.pop(0)]() if _fits(gives, o, types) else None for o in made["outputs"]
        ]
        for name in gives:
            context.add(types[name]())
        return tuple(returned) if len(returned) > 1 else next(iter(returned), None)

    taken = {f"input_{n}": types[name] for n, name in enumerate(made["inputs"])}
    options = [types[name] | None for name in made["outputs"]]
    returns = tuple[*options] if len(options) > 1 else next(iter(options), None)  # type: ignore[valid-type]
    annotations = {**taken, "context": ActionContext, "return": returns}
    act.__annotations__ = annotations
    kind = inspect.Parameter.POSITIONAL_OR_KEYWORD
    names = ["self", *taken, "context"]
    act.__signature__ = inspect.Signature([inspect.Parameter(n, kind) for n in names])  # type: ignore[attr-defined]
    return action(
        pre=_preconditions(made["pre"]),
        post=_preconditions(made["effects"]),
        cost=made["cost"],
        value=made["value"],
        can_rerun=made["can_rerun"],
        clear_blackboard=made["clears"],
    )(act)


def _fits(gives: list[str], output: str, types: Types) -> bool:
    """Whether the next thing given is of the declared type."""
    return bool(gives) and issubclass(types[gives[0]], types[output])


def _misbehave(outcome: Case, made: Case, types: Types) -> None:
    match outcome.get("kind"):
        case "replan":
            raise ReplanRequested("as told", conditions=outcome.get("sets", {}))
        case "fail":
            raise RuntimeError("as told")
        case "stop":
            raise TerminateProcess("as told")
        case "wait":
            wait_for.form(types[made["outputs"][0]], title="As told?")


def _expected(case: Case) -> list[Case]:
    """The runs of which any one is right."""
    return list(case["expect"].get("any_of", [case["expect"]]))


def _facts_about(process: Process, expected: Case, types: Types) -> dict[str, Any]:
    """What came of the process, in the words of what was expected."""
    finished = ("done", "nothing")
    visible = [type(entry.value).__name__ for entry in process.board.visible]
    in_sight = {name for name, kind in types.items() if any(_is(v, kind, types) for v in visible)}
    found: dict[str, Any] = {
        "sequence": [_short(r.action) for r in process.history if r.outcome in finished],
        "attempts": [_short(run.action) for run in process.history],
        "status": process.status.value,
        "goal": process.head.goal,
        "has": [name for name in expected.get("has", ()) if name in in_sight],
        "lacks": [name for name in expected.get("lacks", ()) if name not in in_sight],
        "conditions": {n: process.board.flag(n) for n in expected.get("conditions", ())},
    }
    return {key: found[key] for key in expected}


def _is(name: str, kind: type, types: Types) -> bool:
    return name in types and issubclass(types[name], kind)


def _short(action_name: str) -> str:
    return action_name.removeprefix("case.")


def _comes_out_right(case: Case, process: Process) -> bool:
    types = _types(case)
    return any(_facts_about(process, run, types) == run for run in _expected(case))


@pytest.mark.parametrize("name", sorted(CASES))
async def test_a_process_runs_as_the_case_says(name: str) -> None:
    case = CASES[name]

    process = await run(case)

    found = _facts_about(process, _expected(case)[0], _types(case))
    assert _comes_out_right(case, process), f"{case['why']}  Found: {found}"


def test_every_public_case_is_here() -> None:
    assert len(CASES) == 55
