"""Actions that are deprecated, with what is to be used instead."""

from collections.abc import Iterator

from reactor.lint.finding import Finding
from reactor.lint.places import place_of
from reactor.platform import Platform


def deprecated_in(platform: Platform) -> Iterator[Finding]:
    """A note for each of them."""
    for action in platform.actions.values():
        if action.mark.deprecated:
            yield Finding(
                severity="note",
                rule="deprecated",
                package=action.component.package.name,
                where=action.name,
                problem=f"is deprecated: {action.mark.deprecated}",
                spot=place_of(action.call),
            )
