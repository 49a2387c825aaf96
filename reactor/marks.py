"""Marks: what the decorators of `reactor.action` said, kept on the class or method itself.

Plain data.  A platform reads it; nothing else does.  Imports nothing at run time, so that a
component's import costs nothing.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import lru_cache
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from pydantic import BaseModel

    from reactor.effect import Effect

M = TypeVar("M")
T = TypeVar("T")

API_VERSION = 1  # of the marks in this file; a component may name the one it was written for

_MARK = "__reactor_mark__"
_GOAL = "__reactor_goal__"  # apart, as a method is an action and a goal as well


@dataclass(frozen=True, slots=True)
class Not:
    """The opposite of a precondition: an expression, a condition method or a flag."""

    condition: str


class Named:
    """`Annotated[Issue, Named]`: the entry must have the parameter's name as well as its type."""


Precondition = str | Not
"""A CEL expression over the blackboard, the name of a condition method, or a flag."""

Amount = float | Callable[..., float]
"""A number from 0 to 1, or a method marked with `estimate` that gives one."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RetryPolicy:
    """When an action that failed runs again; the delay doubles after each failure.

    Only errors that can pass are tried again: lost connections, time-outs, HTTP 408, 429 and
    5xx, `PassingError`, and those named here.
    """

    attempts: int = 3  # runs in all, the first included
    first_delay_s: float = 0.2
    max_delay_s: float = 5.0  # well below the lease of a worker on its process
    on: tuple[type[Exception], ...] = ()  # further errors that can pass


@dataclass(frozen=True, slots=True, kw_only=True)
class ActionMark:
    """What `@action` said."""

    pre: tuple[Precondition, ...] = ()
    post: tuple[Precondition, ...] = ()
    output: str | None = None
    cost: Amount = 0.0
    value: Amount = 0.0
    can_rerun: bool = False
    clear_blackboard: bool = False
    trigger: type | None = None
    unique_output: bool = True
    read_only: bool = False
    idempotent: bool = True
    retry: RetryPolicy | None = None
    timeout_s: float = 60.0
    description: str = ""
    formerly: tuple[str, ...] = ()  # other names that it had
    deprecated: str = ""  # what to use instead; "": it is here to stay


@dataclass(frozen=True, slots=True, kw_only=True)
class ConditionMark:
    """What `@condition` said."""

    cost: float = 0.0
    description: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class ExecutesMark:
    """What `@executes` said."""

    description: str = ""


@dataclass(frozen=True, slots=True)
class EstimateMark:
    """What `@estimate` said."""

    amount: float


@dataclass(frozen=True, slots=True, kw_only=True)
class GoalMark:
    """What `@achieves_goal` said."""

    description: str
    value: float = 0.0
    tags: tuple[str, ...] = ()
    examples: tuple[str, ...] = ()
    export: bool = False


@dataclass(frozen=True, slots=True)
class StateMark:
    """What `@state` said."""


@dataclass(frozen=True, slots=True)
class RequestMark:
    """What `@request_type` said."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ComponentMark:
    """What `@component` or `@agent` said."""

    name: str
    description: str = ""
    settings: "type[BaseModel] | None" = None
    effects: tuple["type[Effect]", ...] = ()
    events: tuple[str, ...] = ()
    flags: tuple[str, ...] = ()
    uses_llm: bool = False
    api: int = field(default=API_VERSION)
    is_agent: bool = False  # self-contained: in no pool of actions, unless it is named
    planner: str = ""  # of an agent


def put_mark(target: T, mark: object) -> T:
    """The same class or function, with a mark on it."""
    setattr(target, _MARK, mark)
    return target


def mark_of(target: object, kind: type[M]) -> M | None:
    """The mark of that kind on a class or function itself; one that is inherited does not count."""
    mark = getattr(target, "__dict__", {}).get(_MARK)
    return mark if isinstance(mark, kind) else None


def put_goal(method: T, mark: GoalMark) -> T:
    """The same method, marked as one that reaches a goal."""
    setattr(method, _GOAL, mark)
    return method


def goal_of(method: object) -> GoalMark | None:
    """The goal that a method reaches, if any."""
    mark = getattr(method, "__dict__", {}).get(_GOAL)
    return mark if isinstance(mark, GoalMark) else None


def is_state(kind: type) -> bool:
    """Whether the class, or a base of it, is marked with `state`."""
    return _has_mark(kind, StateMark)


def is_request_type(kind: type) -> bool:
    """Whether the class, or a base of it, is marked with `request_type`."""
    return _has_mark(kind, RequestMark)


@lru_cache(maxsize=1024)
def _has_mark(kind: Callable[..., object], mark: Callable[..., object]) -> bool:
    """Classes, said so that they are hashable."""
    bases = getattr(kind, "__mro__", ())
    return any(isinstance(base.__dict__.get(_MARK), mark) for base in bases)  # type: ignore[arg-type]
