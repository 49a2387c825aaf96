"""What a component author writes: classes and methods with marks on them.

    @component(effects=(AddLabels,))
    class TriageComponent:
        @action(pre=["issue_assessment.urgency > 0.7"], cost=0.1, value=0.8)
        async def escalate(self, issue: Issue, issue_assessment: IssueAssessment) -> AddLabels: ...

A mark only describes.  Importing a marked class registers nothing anywhere, and its methods stay
plain methods that a test can call; a `Platform` reads the marks of the classes it is given.
Imports nothing that is slow to import.
"""

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, TypeVar, overload

from reactor.blackboard import snake_case
from reactor.marks import (
    API_VERSION,
    ActionMark,
    Amount,
    ComponentMark,
    ConditionMark,
    EstimateMark,
    ExecutesMark,
    Named,
    Not,
    Precondition,
    RequestMark,
    RetryPolicy,
    put_mark,
)

if TYPE_CHECKING:
    from pydantic import BaseModel

    from reactor.effect import Effect

__all__ = [
    "Amount",
    "Named",
    "Not",
    "Precondition",
    "RetryPolicy",
    "action",
    "component",
    "condition",
    "estimate",
    "executes",
    "request_type",
]

F = TypeVar("F", bound=Callable[..., object])
C = TypeVar("C", bound=type)


@overload
def action(method: F, /) -> F: ...
@overload
def action(
    *,
    pre: Sequence[Precondition] = (),
    post: Sequence[Precondition] = (),
    output: str | None = None,
    cost: Amount = 0.0,
    value: Amount = 0.0,
    can_rerun: bool = False,
    clear_blackboard: bool = False,
    trigger: type | None = None,
    unique_output: bool = True,
    read_only: bool = False,
    idempotent: bool = True,
    retry: RetryPolicy | None = None,
    timeout_s: float = 60.0,
    description: str = "",
    formerly: Sequence[str] = (),
    deprecated: str = "",
) -> Callable[[F], F]: ...
def action(
    method: F | None = None,
    /,
    *,
    pre: Sequence[Precondition] = (),
    post: Sequence[Precondition] = (),
    output: str | None = None,
    cost: Amount = 0.0,
    value: Amount = 0.0,
    can_rerun: bool = False,
    clear_blackboard: bool = False,
    trigger: type | None = None,
    unique_output: bool = True,
    read_only: bool = False,
    idempotent: bool = True,
    retry: RetryPolicy | None = None,
    timeout_s: float = 60.0,
    description: str = "",
    formerly: Sequence[str] = (),
    deprecated: str = "",
) -> F | Callable[[F], F]:
    """Mark a method as something that a process can do.

    Parameters are looked up by type: `T` must be on the blackboard, `T | None` may be, `list[T]`
    takes all there are (at least one), `Annotated[T, Named]` goes by the name as well; an
    `ActionContext`, a `Blackboard` and what the platform provides are passed in and are no
    preconditions.  What is returned goes onto the blackboard (`None`: nothing came of it; a
    tuple: all its items; a list: each item), and an `Effect` goes to where effects are executed.

    Args:
        method: The method, where the mark is used without brackets.
        pre: What must hold besides the inputs.
        post: Flags and conditions that may be expected to hold afterwards.  A plan counts on
            them; they hold only where the action sets them, or where they come out true.
        output: The name under which the result is bound.
        cost: Number from 0 to 1, or a method marked with `estimate`.
        value: The same; actions are chosen by value minus cost.
        can_rerun: It may run more than once in a process.
        clear_blackboard: Everything else goes out of sight before the result is added.
        trigger: It runs only for an entry of this type that it has not yet run for.
        unique_output: It is not on offer once a result of its type is there.
        read_only: It changes nothing anywhere and may run beside others.
        idempotent: Running it twice does no harm.
        retry: When to try again.  Left out: three tries, or one if it is not idempotent.
        timeout_s: Longest time for one try.
        description: One sentence; left out, the first line of the docstring.
        formerly: Names that it had before: of the method, or with another component's in full.
            Processes and forms under way go on by them, and settings may still use them.
        deprecated: What to use instead.  It works as ever; whoever checks packages is told.
    """

    def mark(method: F) -> F:
        said = ActionMark(
            pre=_items(pre),
            post=_items(post),
            output=output,
            cost=cost,
            value=value,
            can_rerun=can_rerun,
            clear_blackboard=clear_blackboard,
            trigger=trigger,
            unique_output=unique_output,
            read_only=read_only,
            idempotent=idempotent,
            retry=retry,
            timeout_s=timeout_s,
            description=description or _first_line(method),
            formerly=(formerly,) if isinstance(formerly, str) else tuple(formerly),
            deprecated=deprecated,
        )
        return put_mark(method, said)

    return mark if method is None else mark(method)


@overload
def condition(method: F, /) -> F: ...
@overload
def condition(*, cost: float = 0.0, description: str = "") -> Callable[[F], F]: ...
def condition(
    method: F | None = None, /, *, cost: float = 0.0, description: str = ""
) -> F | Callable[[F], F]:
    """Mark a method that says whether something holds, for use in `pre` by its name.

    It takes parameters from the blackboard as an action does and returns a bool; a missing
    parameter makes it false, an error makes it unknown.  It runs on the event loop, so one that
    does I/O must be async.  With a `cost` it is asked only where the choice depends on it.
    """

    def mark(method: F) -> F:
        said = ConditionMark(cost=cost, description=description or _first_line(method))
        return put_mark(method, said)

    return mark if method is None else mark(method)


def estimate(amount: float, /) -> Callable[[F], F]:
    """Mark a method that works out the cost or the value of an action from the blackboard.

    `amount` counts wherever the parameters of the method are not on the blackboard yet.
    """

    def mark(method: F) -> F:
        return put_mark(method, EstimateMark(amount))

    return mark


def executes(method: F, /) -> F:
    """Mark a method that makes a change outside: the executor of one kind of effect.

    Its parameters go by their annotations: one is the effect, whose class says which kind it is;
    one may be an `Attempt`.  A plain method runs in a thread.  It returns once the change is
    made; what it may say otherwise is in `reactor.attempt`.  The engine calls it only for effects
    of live reactions, one at a time and in order for each subject.
    """
    return put_mark(method, ExecutesMark(description=_first_line(method)))


@overload
def component(cls: C, /) -> C: ...
@overload
def component(
    *,
    name: str = "",
    description: str = "",
    settings: "type[BaseModel] | None" = None,
    effects: "Sequence[type[Effect]]" = (),
    events: Sequence[str] = (),
    flags: Sequence[str] = (),
    uses_llm: bool = False,
    api: int = API_VERSION,
) -> Callable[[C], C]: ...
def component(
    cls: C | None = None,
    /,
    *,
    name: str = "",
    description: str = "",
    settings: "type[BaseModel] | None" = None,
    effects: "Sequence[type[Effect]]" = (),
    events: Sequence[str] = (),
    flags: Sequence[str] = (),
    uses_llm: bool = False,
    api: int = API_VERSION,
) -> C | Callable[[C], C]:
    """Mark a class that contributes actions and conditions.

    A platform makes one instance of it and passes to its constructor, by annotation, the settings
    and whatever it provides.

    Args:
        cls: The class, where the mark is used without brackets.
        name: Left out: the class name in snake_case without a trailing "component".
        description: One sentence; left out, the first line of the docstring.
        settings: A pydantic model; the operator's section `components.<name>` is read with it,
            and expressions see it as `settings`.
        effects: The kinds of effects that its actions may return; no others are let through.
        events: The events it is for, as reactions name them ("issues.opened", "issues", "*");
            its actions take part in no process of another one.  Left out: it is for all.
        flags: Named booleans that it sets, besides those in a `post`.
        uses_llm: It calls a model.
        api: The version of this interface that it was written for.
    """

    def mark(cls: C) -> C:
        said = ComponentMark(
            name=name or _component_name(cls),
            description=description or _first_line(cls),
            settings=settings,
            effects=tuple(effects),
            events=tuple(events),
            flags=tuple(flags),
            uses_llm=uses_llm,
            api=api,
        )
        return put_mark(cls, said)

    return mark if cls is None else mark(cls)


def request_type(cls: C) -> C:
    """Mark a class of values that a model may make: what an action is asked for, as a wish in data.

    Under the supervisor, a model fills it in where an action takes one and none is there.  It is
    never trusted with more: what decides over others (an issue, an assessment) is no request.
    Subclasses are request types, too.
    """
    return put_mark(cls, RequestMark())


def _items(conditions: Sequence[Precondition]) -> tuple[Precondition, ...]:
    if isinstance(conditions, str):  # a sequence of strings for the type checker, but meant as one
        return (conditions,)
    return tuple(conditions)


def _component_name(cls: type) -> str:
    name = snake_case(cls.__name__)
    return name.removesuffix("_component") or name


def _first_line(target: object) -> str:
    doc = getattr(target, "__doc__", None) or ""
    return doc.strip().partition("\n")[0]
