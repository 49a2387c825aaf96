"""Narrowing a scope to an event: a component that says which events it is for is for no others.

What it does not take part in, it can neither hold up nor decide; the journal names it, so that "why
not" can say so.  A process begins all the same: that there was nothing to do is an answer too.
"""

from dataclasses import dataclass, field

from reactor.event_patterns import matches
from reactor.installed import Component
from reactor.platform import Platform
from reactor.scope import Scope


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Narrowing:
    """A scope, event by event."""

    platform: Platform
    scope: Scope
    _narrowed: dict[frozenset[str], Scope] = field(default_factory=dict, init=False)

    def to(self, kind: str) -> Scope:
        """What of the scope is for the event ("issues.opened"); it may be empty."""
        actions = self.platform.repertoire(self.scope).actions.values()
        components = {action.component.name: action.component for action in actions}
        deaf = frozenset(name for name, each in components.items() if not hears(each, kind))
        if not deaf:
            return self.scope
        if deaf not in self._narrowed:  # platforms remember scopes with what can be done in them
            self._narrowed[deaf] = Scope(
                self.scope.label,
                lambda item: item.component not in deaf and self.scope.selects(item),
                left_out=tuple(sorted(deaf)),
            )
        return self._narrowed[deaf]


def hears(component: Component, kind: str) -> bool:
    """Whether a component is for the event ("issues.opened"); one that names none is for all."""
    event, _, action = kind.partition(".")
    events = component.mark.events
    return not events or any(matches(each, event, action or None, is_typed=True) for each in events)
