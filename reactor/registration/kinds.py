"""Classes as they are found: subclasses of what is named, and what may not be stored."""

import sys
from collections.abc import Iterable
from enum import Enum

from reactor.expression.fields import has_fields


def with_subclasses(types: Iterable[type]) -> list[type]:
    """The types and all their subclasses known so far, each once, by name."""
    found: dict[type, None] = {}
    waiting = list(types)
    while waiting:
        kind = waiting.pop()
        if kind not in found:
            found[kind] = None
            if kind.__module__ != "builtins":  # the subclasses of `dict` are nobody's facts
                subclasses: list[type] = type.__subclasses__(kind)
                waiting += [each for each in subclasses if not _is_left_over(each)]
    return sorted(found, key=lambda kind: (kind.__module__, kind.__qualname__))


def _is_left_over(kind: type) -> bool:
    """Whether another class has taken the place of this one.

    `@dataclass(slots=True)` makes a class anew, and the first one lingers among the subclasses
    of its bases until the garbage is collected.
    """
    place: object = sys.modules.get(kind.__module__)
    for name in kind.__qualname__.split("."):
        place = getattr(place, name, None)
    return (
        isinstance(place, type)
        and place is not kind
        and place.__qualname__ == kind.__qualname__
        and place.__module__ == kind.__module__
        and place.__bases__ == kind.__bases__
    )


def why_not_a_state(kind: type) -> str:
    """What keeps a class from being a state, as the end of a sentence; "" if nothing does."""
    if "<locals>" in kind.__qualname__:
        return (
            "is a state defined inside a function, so what is stored could not name it; "
            "move it to the top of its module"
        )
    is_base = bool(type.__subclasses__(kind))
    if not is_base and not has_fields(kind) and not issubclass(kind, Enum):
        return "is a state that could not be stored; make it a frozen dataclass or pydantic model"
    return ""
