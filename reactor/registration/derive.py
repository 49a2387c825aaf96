"""The last phase: the preconditions and effects of each action, as planners see them.

Preconditions: every required input, every `pre`, an entry that the trigger has not had yet, and
that no result of its type is there, unless the action may re-run, takes that type itself, clears
the board, or says `unique_output=False`.  "Has not run yet" is the planners' own affair.
Effects: what it returns (with all base types and known subclasses of it, for it may turn out to
be one), every `post`, and that it has run.
"""

from collections.abc import Iterator, Mapping

from reactor.conditions import Condition, Has, Ran, Vocabulary
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
        yield vocabulary.has(needed.kind, needed.name), Truth.TRUE
    if action.trigger is not None:
        yield vocabulary.new(action.trigger, action.name), Truth.TRUE
    for precondition in action.mark.pre:
        meaning = names.of_component(precondition, action.component, action.name)
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


def derive_effects(
    action: Action, vocabulary: Vocabulary, names: Names, conditions: Mapping[str, Condition]
) -> dict[str, bool]:
    """What a planner may hope for; `conditions` are those that anything depends on."""
    gives = facts_of(action.signature.result)
    effects = {key: True for key, found in conditions.items() if _promises(action, gives, found)}
    if action.trigger is not None:
        effects[vocabulary.new(action.trigger, action.name)] = False
    for post in action.mark.post:
        wanted = names.of_component(post, action.component, action.name)
        if wanted is not None:
            effects[wanted[0]] = not isinstance(post, Not)
    return effects


def _promises(action: Action, gives: tuple[type, ...], condition: Condition) -> bool:
    match condition:
        case Has(kind, name):
            return name in (None, action.mark.output) and any(_related(kind, g) for g in gives)
        case Ran(name):
            return name == action.name
        case _:
            return False


def _related(kind: type, other: type) -> bool:
    return issubclass(kind, other) or issubclass(other, kind)
