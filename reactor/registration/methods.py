"""The second phase: the actions and condition methods of a component, as their marks say.

Also those of the states that its actions lead to: a state carries methods as a component does,
but what they are called on lies on the blackboard.
"""

import inspect
import math
from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass
from typing import Any, TypeVar, cast

from reactor.blackboard import Blackboard
from reactor.context import ActionContext
from reactor.effect import Effect
from reactor.installed import Action, Component, ConditionMethod, Worth
from reactor.marks import (
    ActionMark,
    Amount,
    ConditionMark,
    EstimateMark,
    goal_of,
    is_state,
    mark_of,
)
from reactor.registration.faults import Faults
from reactor.registration.kinds import with_subclasses
from reactor.result import Together, effects_of, facts_of, leaves
from reactor.signature import Input, Signature, own_input, read_signature

M = TypeVar("M")


@dataclass(frozen=True, slots=True)
class Holder:
    """What carries methods: a component, or a state on its behalf."""

    component: Component
    state: type | None = None

    @property
    def name(self) -> str:
        """What the names of its methods begin with."""
        return f"{self.component.name}.{self.state.__name__}" if self.state else self.component.name

    def method(self, name: str) -> Callable[..., Any] | None:
        """Bound for a component; for a state its first parameter is the state."""
        owner = self.component.instance if self.state is None else self.state
        return cast("Callable[..., Any] | None", getattr(owner, name, None))

    def own(self, name: str, method: Callable[..., Any]) -> Input | None:
        """What an unbound method takes as itself: the state, unless a subclass has another one."""
        if self.state is None:
            return None
        others = [kind for kind in with_subclasses([self.state]) if name in vars(kind)]
        return own_input(method, self.state, but=tuple(k for k in others if k is not self.state))

    def members(self) -> Iterator[tuple[str, object]]:
        """Its methods as they are defined, by name; of a state those that no base state has."""
        cls = type(self.component.instance) if self.state is None else self.state
        bases = [base for base in cls.__mro__[1:] if self.state and is_state(base)]
        for name in sorted(dir(cls)):
            member = inspect.getattr_static(cls, name)
            if not any(inspect.getattr_static(base, name, None) is member for base in bases):
                yield name, member


class Methods:
    """Reads the methods of components; what is wrong with them goes to `faults`."""

    def __init__(self, services: Collection[type], faults: Faults) -> None:
        self._for_conditions = frozenset({Blackboard, *services})
        self._for_actions = self._for_conditions | {ActionContext}
        self._faults = faults

    def actions(self, holder: Holder) -> Iterator[Action]:
        """Its actions, by name, their preconditions and effects still to be derived."""
        for name, member in holder.members():
            mark, goal = _mark(member, ActionMark), goal_of(member)
            full_name = f"{holder.name}.{name}"
            if mark is None:
                if goal is not None:
                    problem = "is to achieve a goal, but is no action; mark it with @action as well"
                    self._faults.add(holder.component.package, full_name, problem)
                continue
            method = holder.method(name)
            assert method is not None
            action = Action(
                name=full_name,
                component=holder.component,
                mark=mark,
                signature=self._signature(holder, name, method, self._for_actions),
                call=method,
                cost=self._worth(holder, name, "cost", mark.cost),
                value=self._worth(holder, name, "value", mark.value),
                state=holder.state,
                goal=goal,
            )
            for problem in _problems(action):
                self._faults.add(holder.component.package, full_name, problem)
            yield action

    def conditions(self, holder: Holder) -> Iterator[ConditionMethod]:
        """Its condition methods, by name."""
        for name, member in holder.members():
            mark, method = _mark(member, ConditionMark), holder.method(name)
            if mark is None or method is None:
                continue
            signature = self._signature(holder, name, method, self._for_conditions)
            full_name = f"{holder.name}.{name}"
            if tuple(leaves(signature.result)) != (bool,) and not signature.faults:
                problem = "is a condition, so it must return bool"
                self._faults.add(holder.component.package, full_name, problem)
            yield ConditionMethod(
                name=full_name,
                component=holder.component,
                mark=mark,
                signature=signature,
                call=method,
            )

    def _signature(
        self,
        holder: Holder,
        name: str,
        method: Callable[..., object],
        provided: Collection[type],
    ) -> Signature:
        own = holder.own(name, method)
        signature = read_signature(method, provided=provided, own=own)
        faults = list(signature.faults)
        if holder.state is not None and own is None:
            faults.append("takes no self, which is the state that it belongs to")
        for problem in faults:
            self._faults.add(holder.component.package, f"{holder.name}.{name}", problem)
        return signature

    def _worth(self, holder: Holder, action: str, what: str, amount: Amount) -> Worth:
        package, where = holder.component.package, f"{holder.name}.{action}"
        if not callable(amount):
            if not _is_share(amount):
                problem = f"has the {what} {amount!r}; give a number from 0 to 1"
                self._faults.add(package, where, problem)
            return Worth(amount=amount)
        method, mark = holder.method(amount.__name__), mark_of(amount, EstimateMark)
        if mark is None or method is None:
            problem = f"takes its {what} from {amount.__name__}, which is no method with @estimate"
            self._faults.add(package, where, problem)
            return Worth(amount=0.0)
        signature = self._signature(holder, amount.__name__, method, self._for_conditions)
        if signature.is_async or not _is_share(mark.amount):
            problem = f"takes its {what} from {amount.__name__}: make that a plain method with an"
            self._faults.add(package, where, f"{problem} estimate from 0 to 1")
        return Worth(amount=mark.amount, call=method, signature=signature)


def _mark(member: object, kind: type[M]) -> M | None:
    return mark_of(getattr(member, "__func__", member), kind)


def _is_share(amount: object) -> bool:
    if isinstance(amount, bool) or not isinstance(amount, (int, float)):
        return False
    return math.isfinite(amount) and 0 <= amount <= 1


def _problems(action: Action) -> Iterator[str]:
    """What is wrong with an action by itself."""
    mark = action.mark
    if action.goal is not None and not _is_share(action.goal.value):
        yield f"achieves a goal of the value {action.goal.value!r}; give a number from 0 to 1"
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
