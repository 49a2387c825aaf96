"""The last phase: the preconditions and effects of each action, as planners see them.

Preconditions: every required input, every service that may be away, every `pre`, an entry that the trigger has not had yet, and
that no result of its type is there, unless the action may re-run, takes that type itself, clears
the board, or says `unique_output=False`.  "Has not run yet" is the planners' own affair.
Effects: what it returns (with all base types and known subclasses of it, for it may turn out to
be one), every `post`, and that it has run.
"""

from collections.abc import Iterator

from reactor.conditions import Has, Ran, Vocabulary
from reactor.installed import Action
from reactor.marks import Not
from reactor.plan.problem import Truth
from reactor.registration.faults import Faults
from reactor.registration.names import Names
from reactor.result import facts_of


def derive_pre(
    action: Action, vocabulary: Vocabulary, names: Names, faults: Faults
) -> dict[str, Truth]:
    """The preconditions of an action; each key becomes part of the vocabulary."""
    pre: dict[str, Truth] = {}
    for key, wanted in _preconditions(action, vocabulary, names):
        if pre.setdefault(key, wanted) is not wanted:
            problem = f"can never run: it needs {key} to be both true and false"
            faults.add(action.component.package, action.name, problem)
    return pre


def _preconditions(
    action: Action, vocabulary: Vocabulary, names: Names
) -> Iterator[tuple[str, Truth]]:
    for needed in action.signature.required:
        yield vocabulary.has(needed.kind, needed.name, needed.but), Truth.TRUE
    for service in action.signature.injected.values():
        if key := vocabulary.available(service):
            yield key, Truth.TRUE
    if action.trigger is not None:
        yield vocabulary.new(action.trigger, action.name), Truth.TRUE
    for precondition in action.mark.pre:
        meaning = names.of_action(precondition, action)
        if meaning is not None:
            yield meaning
    for kind in _exclusive_outputs(action):
        yield vocabulary.has(kind), Truth.FALSE


def _exclusive_outputs(action: Action) -> Iterator[type]:
    """The types of which there must be no entry yet."""
    mark = action.mark
    if mark.can_rerun or mark.clear_blackboard or not mark.unique_output:
        return
    for kind in facts_of(action.signature.result):
        if not any(issubclass(taken.kind, kind) for taken in action.signature.inputs):
            yield kind


class Promises:
    """What planners may hope for of an action: the conditions that it may bring about.

    Made once all conditions that anything depends on are in the vocabulary.
    """

    def __init__(self, vocabulary: Vocabulary, names: Names) -> None:
        self._vocabulary, self._names = vocabulary, names
        conditions = vocabulary.conditions.items()
        self._has = [(key, found) for key, found in conditions if isinstance(found, Has)]
        self._ran = {found.action: key for key, found in conditions if isinstance(found, Ran)}
        self._of_kind: dict[type, list[tuple[str, str | None]]] = {}

    def of(self, action: Action) -> dict[str, bool]:
        """The effects of an action, by condition."""
        effects: dict[str, bool] = {}
        for kind in facts_of(action.signature.result):
            for key, name in self._promised(kind):
                if name in (None, action.mark.output):
                    effects[key] = True
        if action.name in self._ran:
            effects[self._ran[action.name]] = True
        if action.trigger is not None:
            effects[self._vocabulary.new(action.trigger, action.name)] = False
        for post in action.mark.post:
            wanted = self._names.of_action(post, action)
            if wanted is not None:
                effects[wanted[0]] = not isinstance(post, Not)
        return effects

    def _promised(self, kind: type) -> list[tuple[str, str | None]]:
        """What an entry of this type, or a known subclass, may make true: key and entry's name."""
        if kind not in self._of_kind:
            self._of_kind[kind] = [(k, has.name) for k, has in self._has if _related(has, kind)]
        return self._of_kind[kind]


def _related(has: Has, kind: type) -> bool:
    if issubclass(kind, has.but):
        return False
    return issubclass(has.kind, kind) or issubclass(kind, has.kind)
