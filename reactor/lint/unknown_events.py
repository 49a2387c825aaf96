"""Events that a component says it is for, and that read like one that is known, misspelt.

A host has more events than have a type here, so a name that is like no other is let pass.
"""

from collections.abc import Collection, Iterator
from difflib import get_close_matches

from reactor.lint.finding import Finding
from reactor.lint.places import place_of_class
from reactor.platform import Platform

# How much of 1 two names are alike at least: "issue" and "issues" are 0.91, "open" and "opened" 0.8;
# "locked" and "closed", which both exist, are 0.67.
_ALIKE_EVENTS, _ALIKE_ACTIONS = 0.86, 0.8


def misspelt_events(platform: Platform, known: Collection[str]) -> Iterator[Finding]:
    """A warning for each.  `known`: "issues", "issues.opened", "timer.nightly"."""
    for component in platform.components:
        for pattern in component.mark.events:
            if better := meant_event(pattern, known):
                yield Finding(
                    severity="warning",
                    rule="event",
                    package=component.package.name,
                    where=component.name,
                    problem=f"is for {pattern!r}, and no such event is known; did you mean"
                    f" {better!r}?",
                    spot=place_of_class(type(component.instance)),
                )


def meant_event(pattern: str, known: Collection[str]) -> str:
    """The event that is probably meant by one that is not known; "" where that is not plain."""
    event, dot, action = pattern.partition(".")
    if "*" in event:
        return ""
    names = {kind.partition(".")[0] for kind in known}
    if event not in names:
        near = get_close_matches(event, sorted(names), n=1, cutoff=_ALIKE_EVENTS)
        return f"{near[0]}{dot}{action}" if near else ""
    actions = sorted(
        rest for kind in known for name, _, rest in [kind.partition(".")] if name == event and rest
    )
    if not action or action == "*" or action in actions:
        return ""
    near = get_close_matches(action, actions, n=1, cutoff=_ALIKE_ACTIONS)
    return f"{event}.{near[0]}" if near else ""
