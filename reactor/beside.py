"""Which actions of one tick may run beside each other.

Those that are declared `read_only` and do not touch each other: what one may bring changes
neither whether another one can run nor what it is given.  Then it makes no difference to the
results whether they run together or one after the other.
"""

from collections.abc import Iterable, Mapping

from reactor.blackboard import Blackboard, snake_case
from reactor.conditions import Asked, Available, Condition, Flag, Has, New, Ran, Rule
from reactor.installed import Action
from reactor.marks import Not, is_state
from reactor.plan import NIRVANA, Decision
from reactor.repertoire import Repertoire
from reactor.result import facts_of
from reactor.signature import Signature


def find_beside(decision: Decision, repertoire: Repertoire, *, limit: int) -> list[Action]:
    """What may run beside the chosen action, at most `limit`, the most valuable first.

    On the way to a goal that is what the plan has need of anyway; without one, whatever is worth
    something; with a supervisor, what was picked with it.
    """
    first = repertoire.actions.get(decision.chosen or "")
    if first is None or limit < 1 or not _may_share(first):
        return []
    together = [first]
    for name in _wanted(decision):
        action = repertoire.actions[name]
        if len(together) > limit:
            break
        if _may_share(action) and not _touches_any(action, together, repertoire.conditions):
            together.append(action)
    return together[1:]


def _wanted(decision: Decision) -> Iterable[str]:
    """Runnable actions besides the chosen one."""
    if decision.chosen_by:
        return (decision.plan or ())[1:]
    runnable = [found for found in decision.reasons.candidates if found.action != decision.chosen]
    if decision.goal == NIRVANA.name:
        return [found.action for found in runnable if found.net_value >= 0]
    return [found.action for found in runnable if found.action in (decision.plan or ())]


def _may_share(action: Action) -> bool:
    """Whether it may run beside others at all."""
    mark = action.mark
    makes_state = any(is_state(kind) for kind in facts_of(action.signature.result))
    looks_around = Blackboard in action.signature.injected.values()
    return mark.read_only and not (mark.clear_blackboard or makes_state or looks_around)


def _touches_any(
    action: Action, others: Iterable[Action], conditions: Mapping[str, Condition]
) -> bool:
    return any(
        _touches(action, other, conditions) or _touches(other, action, conditions)
        for other in others
    )


def _touches(one: Action, other: Action, conditions: Mapping[str, Condition]) -> bool:
    """Whether what `one` brings may matter to `other`."""
    gives = facts_of(one.signature.result)
    if _reads(other.signature, gives):
        return True
    return any(_depends(conditions[key], one, gives) for key in other.pre)


def _depends(condition: Condition, one: Action, gives: tuple[type, ...]) -> bool:
    match condition:
        case Has(kind) | New(kind):
            return any(_related(kind, given) for given in gives)
        case Ran(name):
            return name == one.name
        case Flag(name):
            return name in _flags(one)
        case Available():
            return False
        case Rule():
            named = {snake_case(kind.__name__) for given in gives for kind in _with_heirs(given)}
            return bool({*named, one.mark.output} & set(condition.names))
        case Asked(method):
            looks_around = Blackboard in method.signature.injected.values()
            return looks_around or _reads(method.signature, gives)


def _reads(signature: Signature, gives: tuple[type, ...]) -> bool:
    return any(_related(taken.kind, given) for taken in signature.inputs for given in gives)


def _flags(action: Action) -> set[str]:
    post = {p.condition if isinstance(p, Not) else p for p in action.mark.post}
    return {*post, *action.component.mark.flags}


def _related(kind: type, other: type) -> bool:
    return issubclass(kind, other) or issubclass(other, kind)


def _with_heirs(kind: type) -> Iterable[type]:
    yield kind
    heirs: list[type] = type.__subclasses__(kind)
    for heir in heirs:
        yield from _with_heirs(heir)
