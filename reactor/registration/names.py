"""The third phase: what a precondition may speak of, and what it means.

A text in `pre` or `post` is, in this order: a condition method of the component, a condition
method of another ("component.method"), a service that may be away ("llm"), a flag that something
sets, or else an expression.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from functools import reduce
from operator import or_

from reactor.blackboard import snake_case
from reactor.conditions import Vocabulary
from reactor.effect import Effect
from reactor.expression import BadExpression, compile_expression
from reactor.installed import Action, Component, ConditionMethod
from reactor.marks import Not, Precondition
from reactor.package import Package
from reactor.plan.problem import Truth
from reactor.registration.faults import Faults
from reactor.result import facts_of


def known_names(
    types: Iterable[type], actions: Iterable[Action], seeds: Mapping[str, type | None]
) -> dict[str, object]:
    """What expressions may speak of, and its type: a union where several share a name."""
    facts = (kind for kind in types if not issubclass(kind, Effect))
    pairs = [(snake_case(kind.__name__), kind) for kind in facts]
    for action in actions:
        if action.mark.output is not None:
            pairs += [(action.mark.output, kind) for kind in facts_of(action.signature.result)]
    kinds: dict[str, dict[type, None]] = {}
    for name, kind in pairs:
        if name.isidentifier():
            kinds.setdefault(name, {})[kind] = None
    return {name: reduce(or_, found) for name, found in kinds.items()} | dict(seeds)


@dataclass(frozen=True, slots=True)
class Spoken:
    """What preconditions may speak of, besides condition methods."""

    facts: Mapping[str, object]  # by name, with their types
    flags: frozenset[str]
    classes: frozenset[str]  # the names that `is` may test for


def class_names(types: Iterable[type]) -> frozenset[str]:
    """What `is` may test for: the names of the types and of their bases."""
    return frozenset(base.__name__ for kind in types for base in kind.__mro__ if base is not object)


def known_flags(components: Iterable[Component], actions: Iterable[Action]) -> frozenset[str]:
    """The flags that something may set."""
    flags = {flag for component in components for flag in component.mark.flags}
    for action in actions:
        texts = (post.condition if isinstance(post, Not) else post for post in action.mark.post)
        flags.update(text for text in texts if text.isidentifier())
    return frozenset(flags)


class Names:
    """Finds the meaning of preconditions; what has none goes to `faults`."""

    def __init__(
        self,
        vocabulary: Vocabulary,
        methods: Iterable[ConditionMethod],
        spoken: Spoken,
        faults: Faults,
    ) -> None:
        self._vocabulary, self._faults = vocabulary, faults
        self._methods = {method.name: method for method in methods}
        self._known, self._flags, self._classes = spoken.facts, spoken.flags, spoken.classes

    def of_action(self, precondition: Precondition, action: Action) -> tuple[str, Truth] | None:
        """Key and wanted value of a precondition of an action; None after a fault."""
        text, wanted = _split(precondition)
        component = action.component
        states = action.state.__mro__ if action.state else ()
        owners = [
            *(f"{component.name}.{state.__name__}." for state in states),
            component.name + ".",
        ]
        for full_name in (*(owner + text for owner in owners), text):
            if full_name in self._methods:
                return self._vocabulary.asked(self._methods[full_name]), wanted
        if flag := self._flag(text):
            return flag, wanted
        key = self._rule(text, component, component.package, action.name)
        return (key, wanted) if key else None

    def of_goal(
        self, precondition: Precondition, package: Package, where: str
    ) -> tuple[str, Truth] | None:
        """Key and wanted value of a precondition of a goal; None after a fault."""
        text, wanted = _split(precondition)
        if text in self._methods:
            return self._vocabulary.asked(self._methods[text]), wanted
        if flag := self._flag(text):
            return flag, wanted
        key = self._rule(text, None, package, where)
        return (key, wanted) if key else None

    def _flag(self, text: str) -> str | None:
        """The key of a flag, or of a service that may be away; a flag of that name is no other."""
        if text in self._vocabulary.of_services:
            return self._vocabulary.of_service(text)
        return self._vocabulary.flag(text) if text in self._flags else None

    def _rule(
        self, text: str, component: Component | None, package: Package, where: str
    ) -> str | None:
        known = dict(self._known)
        if component is not None and component.settings is not None:
            known["settings"] = type(component.settings)
        if text.isidentifier() and text not in known:
            self._faults.add(package, where, self._unknown(text))
            return None
        try:
            expression = compile_expression(text, known=known, classes=self._classes)
        except BadExpression as error:
            self._faults.add(package, where, f"has a bad precondition: {error}")
            return None
        owner = component.name if component else ""
        settings = component.settings if component else None
        return self._vocabulary.rule(expression, owner=owner, settings=settings)

    def _unknown(self, name: str) -> str:
        own = (method.rpartition(".")[2] for method in self._methods)
        near = get_close_matches(name, {*own, *self._flags, *self._known}, n=2)
        hint = f"; did you mean {' or '.join(near)}?" if near else ""
        return (
            f"needs {name!r}, which is no condition method, no flag that anything sets and "
            f"no fact{hint}"
        )


def _split(precondition: Precondition) -> tuple[str, Truth]:
    if isinstance(precondition, Not):
        return precondition.condition.strip(), Truth.FALSE
    return precondition.strip(), Truth.TRUE
