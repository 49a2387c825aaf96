"""Planning problems as files: read them, decide them, and say why as plain data.

For `reactor plan` and for tests.  A file holds one case, a list of cases, or a suite (a mapping
with `cases`); the fields are those of `tests/conformance/README.md`.  Unlike the planners, this
module reads files; nothing else in `reactor.plan` imports it.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Literal, TypedDict

import yaml
from pydantic import BaseModel, BeforeValidator, ConfigDict, ValidationError, model_validator

from reactor.errors import ReactorError
from reactor.plan.decision import Candidate, Decision, NotRunnable, Unmet
from reactor.plan.planner import make_planner
from reactor.plan.problem import Aim, Problem, Step, Truth

_BOOL = "tag:yaml.org,2002:bool"


class BadCases(ReactorError):
    """A file of planning problems can't be read."""

    def __init__(self, path: Path, faults: tuple[str, ...]) -> None:
        super().__init__(path, faults)
        self.path, self.faults = path, faults

    def __str__(self) -> str:
        faults = "".join(f"\n  {fault}" for fault in self.faults)
        return f"{self.path} holds no planning problem that can be read:{faults}"


@dataclass(frozen=True, slots=True)
class Case:
    """One planning problem, and who is to solve it."""

    id: str
    planner: str
    problem: Problem


UnmetData = TypedDict("UnmetData", {"condition": str, "needs": str, "is": str})
"""A condition that kept an action from running; "is" may be "absent"."""


class NotRunnableData(TypedDict):
    """An action that could not run, and all that kept it."""

    action: str
    unmet: list[UnmetData]


class CandidateData(TypedDict):
    """An action that could have run."""

    action: str
    net_value: float
    cost: float
    value: float


class DecidedCase(TypedDict):
    """The decision on one case, JSON-ready."""

    id: str
    plan: list[str] | None  # [] the goal holds; None: there is no plan, or none was found
    goal: str | None
    cost: float  # of the plan; 0.0 where there is none
    net_value: float  # likewise
    evaluated: list[str]
    candidates: list[CandidateData]  # what could run now, best first
    not_runnable: list[NotRunnableData]  # by name
    outcome: str


def read_cases(path: Path) -> list[Case]:
    """The cases of a file, in its order.  Raises `BadCases`, with every fault in it."""
    try:
        content = yaml.load(path.read_bytes(), Loader=_Loader)
    except (OSError, UnicodeError, ValueError, RecursionError, yaml.YAMLError) as error:
        raise BadCases(path, (" ".join(str(error).split()) or type(error).__name__,)) from error
    found = content.get("cases", [content]) if isinstance(content, dict) else content
    if not isinstance(found, list) or not found:
        raise BadCases(path, ("expected a case, a list of cases, or a mapping with `cases`",))
    faults, cases = [], []
    for number, item in enumerate(found, start=1):
        try:
            cases.append(_case(_CaseFile.model_validate(item), f"{path.stem}-{number}"))
        except ValidationError as error:
            faults.extend(_faults(item, number, error))
    if faults:
        raise BadCases(path, tuple(faults))
    return cases


def decide_case(case: Case) -> DecidedCase:
    """Decide one case, and tell the decision."""
    return told_case(case, decide(case))


def decide(case: Case) -> Decision:
    """Decide one case, with a planner that has seen no other."""
    return make_planner(case.planner).decide(case.problem)


def told_case(case: Case, decision: Decision) -> DecidedCase:
    """The decision on a case, JSON-ready."""
    reasons = decision.reasons
    return DecidedCase(
        id=case.id,
        plan=None if decision.plan is None else list(decision.plan),
        goal=decision.goal,
        cost=decision.cost,
        net_value=decision.net_value,
        evaluated=list(decision.evaluated),
        candidates=[_candidate(candidate) for candidate in reasons.candidates],
        not_runnable=[_not_runnable(found) for found in reasons.not_runnable],
        outcome=decision.outcome,
    )


# What the file may say --------------------------------------------------------------------------


def _text(value: object) -> object:
    """Names are arbitrary text, also where YAML reads a number or a date."""
    return value if isinstance(value, str | dict | list) else str(value)


def _number(value: object) -> object:
    """Any number, also one that YAML 1.1 takes for text ("1e-3") or that no float can hold."""
    if isinstance(value, bool) or not isinstance(value, int | float | str):
        return value
    try:
        return float(value)
    except OverflowError:
        return math.inf
    except ValueError:
        return value


def _truth(value: object) -> object:
    return Truth.of(value) if isinstance(value, bool) else value


_Name = Annotated[str, BeforeValidator(_text)]
_Number = Annotated[float, BeforeValidator(_number)]
_Conditions = dict[_Name, Annotated[Truth, BeforeValidator(_truth)]]


class _Lenient(BaseModel):
    model_config = ConfigDict(extra="ignore")  # `why`, `source`, `expect` and so on

    @model_validator(mode="before")
    @classmethod
    def _without_empty_fields(cls, fields: object) -> object:
        """`pre:` with nothing behind it is as if it were not there."""
        if not isinstance(fields, dict):
            return fields
        return {name: value for name, value in fields.items() if value is not None}


class _ActionFile(_Lenient):
    name: _Name
    pre: _Conditions = {}
    effects: dict[_Name, bool] = {}
    cost: _Number = 0.0
    value: _Number = 0.0
    can_rerun: bool = False


class _GoalFile(_Lenient):
    name: _Name
    pre: _Conditions = {}
    value: _Number = 0.0
    nirvana: bool = False


class _CaseFile(_Lenient):
    id: _Name = ""
    level: Literal["planner"] = "planner"
    planner: Literal["goap", "hybrid", "utility"] = "goap"
    actions: list[_ActionFile]
    start: _Conditions
    goals: list[_GoalFile]
    resolve: _Conditions | None = None
    exclude: list[_Name] = []
    ran: list[_Name] = []


def _case(file: _CaseFile, default_id: str) -> Case:
    found = file.resolve or {}

    def resolve(condition: str) -> Truth:
        return found.get(condition, Truth.UNKNOWN)

    problem = Problem(
        state=file.start,
        steps=tuple(Step(**dict(action)) for action in file.actions),
        aims=tuple(Aim(**dict(goal)) for goal in file.goals),
        ran=frozenset(file.ran),
        excluded=frozenset(file.exclude),
        resolve=resolve if file.planner == "goap" else None,  # the others never look
    )
    return Case(file.id or default_id, file.planner, problem)


def _faults(item: object, number: int, error: ValidationError) -> list[str]:
    name = item.get("id", "") if isinstance(item, Mapping) else ""
    return [
        f"case {number} {name}: {'.'.join(map(str, fault['loc'])) or 'all'}: {fault['msg']}"
        for fault in error.errors(include_url=False, include_context=False)
    ]


class _Loader(getattr(yaml, "CSafeLoader", yaml.SafeLoader)):  # type: ignore[misc]
    """YAML in which only true and false are booleans: `on`, `yes` and `no` may be names."""


_Loader.yaml_implicit_resolvers = {
    first: [found for found in resolvers if first in "tTfF" or found[0] != _BOOL]
    for first, resolvers in yaml.SafeLoader.yaml_implicit_resolvers.items()
}


# What the answer says ---------------------------------------------------------------------------


def _candidate(candidate: Candidate) -> CandidateData:
    return CandidateData(
        action=candidate.action,
        net_value=candidate.net_value,
        cost=candidate.cost,
        value=candidate.value,
    )


def _not_runnable(found: NotRunnable) -> NotRunnableData:
    return NotRunnableData(action=found.action, unmet=[_unmet(unmet) for unmet in found.unmet])


def _unmet(unmet: Unmet) -> UnmetData:
    actual = unmet.actual.value if unmet.actual else "absent"
    return {"condition": unmet.condition, "needs": unmet.needs.value, "is": actual}
