"""The second phase: the actions and condition methods of a component, as their marks say."""

import inspect
import math
from collections.abc import Callable, Collection, Iterator
from typing import Any, TypeVar, cast

from reactor.blackboard import Blackboard
from reactor.context import ActionContext
from reactor.effect import Effect
from reactor.installed import Action, Component, ConditionMethod, Worth
from reactor.marks import ActionMark, Amount, ConditionMark, EstimateMark, mark_of
from reactor.registration.faults import Faults
from reactor.result import Together, effects_of, facts_of, leaves
from reactor.signature import Signature, read_signature

M = TypeVar("M")


class Methods:
    """Reads the methods of components; what is wrong with them goes to `faults`."""

    def __init__(self, services: Collection[type], faults: Faults) -> None:
        self._for_conditions = frozenset({Blackboard, *services})
        self._for_actions = self._for_conditions | {ActionContext}
        self._faults = faults

    def actions(self, component: Component) -> Iterator[Action]:
        """Its actions, by name, their preconditions and effects still to be derived."""
        for name, method, mark in _marked(component, ActionMark):
            signature = self._signature(component, name, method, self._for_actions)
            action = Action(
                name=name,
                component=component,
                mark=mark,
                signature=signature,
                call=method,
                cost=self._worth(component, name, "cost", mark.cost),
                value=self._worth(component, name, "value", mark.value),
            )
            for problem in _problems(action):
                self._faults.add(component.package, name, problem)
            yield action

    def conditions(self, component: Component) -> Iterator[ConditionMethod]:
        """Its condition methods, by name."""
        for name, method, mark in _marked(component, ConditionMark):
            signature = self._signature(component, name, method, self._for_conditions)
            if tuple(leaves(signature.result)) != (bool,) and not signature.faults:
                self._faults.add(component.package, name, "is a condition, so it must return bool")
            yield ConditionMethod(
                name=name, component=component, mark=mark, signature=signature, call=method
            )

    def _signature(
        self,
        component: Component,
        name: str,
        method: Callable[..., object],
        provided: Collection[type],
    ) -> Signature:
        signature = read_signature(method, provided=provided)
        for problem in signature.faults:
            self._faults.add(component.package, name, problem)
        return signature

    def _worth(self, component: Component, name: str, what: str, amount: Amount) -> Worth:
        if not callable(amount):
            if not _is_share(amount):
                problem = f"has the {what} {amount!r}; give a number from 0 to 1"
                self._faults.add(component.package, name, problem)
            return Worth(amount=amount)
        method = cast("Callable[..., object]", getattr(component.instance, amount.__name__, None))
        mark = mark_of(amount, EstimateMark)
        if mark is None or method is None:
            problem = f"takes its {what} from {amount.__name__}, which is no method with @estimate"
            self._faults.add(component.package, name, problem)
            return Worth(amount=0.0)
        signature = self._signature(
            component, f"{component.name}.{amount.__name__}", method, self._for_conditions
        )
        if signature.is_async or not _is_share(mark.amount):
            problem = f"takes its {what} from {amount.__name__}: make that a plain method with an"
            self._faults.add(component.package, name, f"{problem} estimate from 0 to 1")
        return Worth(amount=mark.amount, call=method, signature=signature)


def _marked(component: Component, kind: type[M]) -> Iterator[tuple[str, Callable[..., Any], M]]:
    """Name ("component.method"), bound method and mark."""
    cls = type(component.instance)
    for name in sorted(dir(cls)):
        member = inspect.getattr_static(cls, name)
        mark = mark_of(getattr(member, "__func__", member), kind)
        if mark is not None:
            yield f"{component.name}.{name}", getattr(component.instance, name), mark


def _is_share(amount: object) -> bool:
    if isinstance(amount, bool) or not isinstance(amount, (int, float)):
        return False
    return math.isfinite(amount) and 0 <= amount <= 1


def _problems(action: Action) -> Iterator[str]:
    """What is wrong with an action by itself."""
    mark = action.mark
    if mark.output is not None:
        yield from _output_problems(mark.output, action.signature)
    if mark.trigger is not None and not isinstance(mark.trigger, type):
        yield f"has the trigger {mark.trigger!r}, which is no class"
    if not mark.timeout_s > 0:
        yield f"has timeout_s={mark.timeout_s}; give seconds above 0"
    if mark.retry and mark.retry.attempts < 1:
        yield f"has a retry policy of {mark.retry.attempts} attempts; the first one counts, too"
    for kind in effects_of(action.signature.result):
        if kind is not Effect and not action.component.may_return(kind):
            yield (
                f"returns {kind.__name__}, which {action.component.name} does not declare; "
                "add it to @component(effects=...)"
            )


def _output_problems(output: str, signature: Signature) -> Iterator[str]:
    facts = facts_of(signature.result)
    if not output.isidentifier() or output == "settings":
        yield f"has the output {output!r}; give a plain name other than settings"
    if not facts and not signature.faults:
        yield f"has the output {output!r}, but returns nothing for the blackboard"
    if isinstance(signature.result, Together) and len(facts) > 1:
        yield f"has one output {output!r}, but returns several facts; name none of them"
