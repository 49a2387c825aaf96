"""What a model may supply: values of request types, where an action takes one and none is there.

Pure.
"""

from collections.abc import Mapping

from reactor.blackboard import DEFAULT_NAME, Entry, snake_case
from reactor.conditions import Condition, Has, Rule
from reactor.installed import Action
from reactor.marks import is_request_type
from reactor.plan import Truth
from reactor.signature import Input
from reactor.view import View


def requests_of(action: Action) -> tuple[Input, ...]:
    """The inputs that a model may make."""
    return tuple(taken for taken in action.signature.inputs if is_request_type(taken.kind))


def to_supply(action: Action, view: View) -> tuple[Input, ...]:
    """Those of which none is on the board."""
    return tuple(
        taken
        for taken in requests_of(action)
        if not any(view.entries(taken.kind, taken.name, taken.but))
    )


def supplies_of(action: Action, conditions: Mapping[str, Condition]) -> Mapping[str, str]:
    """The conditions that a model can bring about by supplying, each with that of the fact itself.

    Those are that the fact is there, and the expressions that speak of it.
    """
    found: dict[str, str] = {}
    for taken in requests_of(action):
        fact = Has(taken.kind, taken.name, taken.but)
        key = next((key for key in action.pre if conditions[key] == fact), None)
        if key is None:  # it is optional
            continue
        names = {snake_case(taken.kind.__name__), taken.name}
        found[key] = key
        for rule in action.pre:
            condition = conditions[rule]
            if isinstance(condition, Rule) and names & {*condition.names}:
                found[rule] = key
    return found


def brought_by(
    supplied: Mapping[str, Entry],
    action: Action,
    conditions: Mapping[str, Condition],
    view: View,
) -> Mapping[str, Truth]:
    """What the supplied entries, by parameter, make of the conditions of the one action."""
    brought: dict[str, Truth] = {}
    named: dict[str, object] = {}
    for entry in supplied.values():  # by the names that they would go by if they were in sight
        named[snake_case(type(entry.value).__name__)] = entry.value
        if entry.name != DEFAULT_NAME:
            named[entry.name] = entry.value
    facts = {name: entry.value for name, entry in view.by_name.items()} | named
    for key in action.pre:
        match conditions[key]:
            case Has() as has if any(_fits(entry, has) for entry in supplied.values()):
                brought[key] = Truth.TRUE
            case Rule() as rule if named.keys() & {*rule.names}:
                settings = {} if rule.settings is None else {"settings": rule.settings}
                known = {name: facts[name] for name in rule.names if name in facts}
                brought[key] = rule.expression.evaluate({**known, **settings}).truth
    return brought


def _fits(entry: Entry, has: Has) -> bool:
    return has.accepts(type(entry.value)) and has.name in (None, entry.name)
