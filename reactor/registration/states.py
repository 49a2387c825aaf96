"""The states that actions lead to: each class of them carries actions on behalf of a component.

An agent is self-contained, so it has the actions of its states to itself.  All other components
share them: a state that several lead to is read once, for the component whose package of code it
is from, else for the first by name.
"""

from collections.abc import Iterable, Iterator, Sequence

from reactor.installed import Action, Component, ConditionMethod
from reactor.marks import is_state
from reactor.registration.faults import Faults
from reactor.registration.kinds import why_not_a_state, with_subclasses
from reactor.registration.methods import Holder, Methods
from reactor.result import leaves

Found = tuple[list[Action], list[ConditionMethod]]


def read_methods(components: Sequence[Component], methods: Methods, faults: Faults) -> Found:
    """The actions and conditions of the components, and of all states that these lead to."""
    actions: list[Action] = []
    conditions: list[ConditionMethod] = []
    for holder in _holders(components, actions, faults):
        actions += methods.actions(holder)
        conditions += methods.conditions(holder)
    return actions, conditions


def _holders(
    components: Sequence[Component], actions: Sequence[Action], faults: Faults
) -> Iterator[Holder]:
    """What is to be read; `actions` grows meanwhile by what was found there."""
    pool: set[type] = set()  # the states of all that are no agents
    held = {component: set[type]() if component.mark.is_agent else pool for component in components}
    for component in components:
        yield Holder(component)
    for only_own in (True, False):
        done = 0
        while done < len(actions):  # the actions of a state lead to further states
            action = actions[done]
            done += 1
            component = action.component
            for state in _states_of(action):
                if state in held[component] or (only_own and not _is_own(state, component)):
                    continue
                held[component].add(state)
                if why := why_not_a_state(state):
                    faults.add(component.package, f"{component.name}: {state.__name__}", why)
                yield Holder(component, state)


def _states_of(action: Action) -> Iterable[type]:
    taken = [entry.kind for entry in action.signature.inputs]
    kinds = [*leaves(action.signature.result), *taken]
    return [kind for kind in with_subclasses(kinds) if is_state(kind)]


def _is_own(state: type, component: Component) -> bool:
    """Whether both are from the same top-level package of code."""
    code = type(component.instance).__module__
    return state.__module__.partition(".")[0] == code.partition(".")[0]
