"""Who sends which kind of effect: the methods marked with `@executes`, one for each kind."""

import inspect
import typing
from collections.abc import Callable, Iterable, Iterator

from reactor.attempt import Attempt
from reactor.effect import Effect
from reactor.installed import Action, Component, EffectExecutor, Worth
from reactor.marks import ActionMark, ExecutesMark, RetryPolicy, mark_of
from reactor.registration.faults import Faults
from reactor.signature import Signature


class _Unusable(Exception):
    """A method can't be an executor; the message ends a sentence that begins with its name."""


def read_executors(
    components: Iterable[Component], faults: Faults
) -> dict[type[Effect], EffectExecutor]:
    """The executors of the components, by the kind of effect.

    Of two for one kind, that of the code which the kind is from stays, else the first by name.
    """
    found: dict[type[Effect], EffectExecutor] = {}
    for executor in _read(components, faults):
        other = found.setdefault(executor.kind, executor)
        if other is executor:
            continue
        if _is_own(executor) and not _is_own(other):
            found[executor.kind], other, executor = executor, executor, other
        _add_rival(executor, other, faults)
    return found


def _read(components: Iterable[Component], faults: Faults) -> Iterator[EffectExecutor]:
    for component in components:
        cls = type(component.instance)
        for name in sorted(dir(cls)):
            member = inspect.getattr_static(cls, name)
            mark = mark_of(getattr(member, "__func__", member), ExecutesMark)
            if mark is None:
                continue
            try:
                yield _executor(component, name, mark)
            except _Unusable as error:
                faults.add(component.package, f"{component.name}.{name}", str(error))


def _executor(component: Component, name: str, mark: ExecutesMark) -> EffectExecutor:
    method: Callable[..., object] = getattr(component.instance, name)
    kind, effect, attempt = _parameters(method)
    action = Action(
        name=f"{component.name}.{name}",
        component=component,
        # the sender has a time-out and pauses of its own
        mark=ActionMark(
            idempotent=False, retry=RetryPolicy(attempts=1), description=mark.description
        ),
        signature=Signature(is_async=inspect.iscoroutinefunction(method)),
        call=method,
        cost=Worth(amount=0.0),
        value=Worth(amount=0.0),
    )
    return EffectExecutor(kind=kind, action=action, effect=effect, attempt=attempt)


def _parameters(method: Callable[..., object]) -> tuple[type[Effect], str, str]:
    """The kind of effect, and the names of the parameters that take the effect and the attempt."""
    try:
        hints = typing.get_type_hints(method)
    except Exception as error:
        why = f"has annotations that can't be read ({error}); import their types at run time"
        raise _Unusable(why) from error
    kinds: list[tuple[str, type[Effect]]] = []
    attempt = ""
    for name, parameter in inspect.signature(method).parameters.items():
        hint = hints.get(name)
        if parameter.kind in (parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD):
            continue
        if hint is Attempt and parameter.kind is not parameter.POSITIONAL_ONLY:
            attempt = name
        elif _is_kind(hint) and parameter.kind is not parameter.POSITIONAL_ONLY:
            kinds.append((name, typing.cast("type[Effect]", hint)))
        elif parameter.default is parameter.empty:
            raise _Unusable(
                f"executes effects, but takes {name}, which is neither an effect nor an Attempt; "
                "annotate one parameter with a subclass of Effect"
            )
    if len(kinds) != 1:
        raise _Unusable(
            f"executes effects, so exactly one of its parameters is a subclass of Effect, not "
            f"{len(kinds)}"
        )
    ((effect, kind),) = kinds
    return kind, effect, attempt


def _is_kind(hint: object) -> bool:
    return isinstance(hint, type) and issubclass(hint, Effect) and hint is not Effect


def _is_own(executor: EffectExecutor) -> bool:
    """Whether it is from the same top-level package of code as the kind itself."""
    code = type(executor.action.component.instance).__module__
    return executor.kind.__module__.partition(".")[0] == code.partition(".")[0]


def _add_rival(executor: EffectExecutor, other: EffectExecutor, faults: Faults) -> None:
    ours, theirs = executor.action.component.package, other.action.component.package
    problem = f"executes {executor.kind.__name__}, as {other.name} "
    if theirs is ours:
        problem += "of its own package does; one of them has to go"
    else:
        problem += f"of package {theirs} does; install one of {ours} and {theirs}"
    faults.add(ours, executor.name, problem)
