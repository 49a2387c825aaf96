"""A blackboard as it is right now, indexed for look-ups, and arguments found on it.

A view is made once for each state of the board and never changes.  Entries whose type is not
installed are not in it: they match nothing.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from types import MappingProxyType

from reactor.blackboard import Blackboard, Entry, UnknownValue, snake_case
from reactor.signature import Input, Signature

_NOTHING: Mapping[str, Entry] = MappingProxyType({})


class View:
    """The entries in sight."""

    def __init__(self, board: Blackboard) -> None:
        self.version = board.version
        self.newest_first = tuple(
            entry for entry in board.newest_first() if not isinstance(entry.value, UnknownValue)
        )
        self.by_name: dict[str, Entry] = {}
        """The newest entry of each name; an entry goes by the name of its class as well."""
        for entry in self.newest_first:
            self.by_name.setdefault(entry.name, entry)
            self.by_name.setdefault(_class_name(type(entry.value).__name__), entry)
        self.seqs = {name: entry.seq for name, entry in self.by_name.items()}

    def entries(
        self, kind: type, name: str | None = None, but: tuple[type, ...] = ()
    ) -> Iterator[Entry]:
        """The entries of that type, and of that name where there is one, newest first."""
        for entry in self.newest_first:
            if isinstance(entry.value, kind) and name in (None, entry.name):
                if but and isinstance(entry.value, but):
                    continue
                yield entry


@dataclass(frozen=True, slots=True)
class Arguments:
    """What a method is called with, as far as it comes from the blackboard."""

    values: dict[str, object]  # by parameter
    entries: tuple[tuple[str, Entry], ...]  # parameter and entry; several for a list


@dataclass(frozen=True, slots=True)
class Missing:
    """A method can't be called: this is not on the blackboard."""

    wanted: Input

    def __str__(self) -> str:
        name = f"{self.wanted.name}: " if self.wanted.name else ""
        return f"{name}{self.wanted.kind.__name__} is not on the blackboard"


def find_arguments(
    signature: Signature,
    view: View,
    *,
    trigger: Entry | None = None,
    given: Mapping[str, Entry] = _NOTHING,
) -> Arguments | Missing:
    """The newest fitting entry for each input; the trigger goes where it fits best.

    `given`: by parameter, entries that are meant for this call alone.
    """
    values: dict[str, object] = {}
    used: list[tuple[str, Entry]] = []
    for_trigger = _place_of(trigger, signature) if trigger else None
    for wanted in signature.inputs:
        if wanted.parameter in given:
            found = [given[wanted.parameter]]
        elif trigger is not None and wanted is for_trigger:
            found = [trigger]
        else:
            found = list(view.entries(wanted.kind, wanted.name, wanted.but))
        if not found:
            if not wanted.optional:
                return Missing(wanted)
            if not wanted.has_default:
                values[wanted.parameter] = None
            continue
        if wanted.many:
            values[wanted.parameter] = [entry.value for entry in reversed(found)]
            used += [(wanted.parameter, entry) for entry in reversed(found)]
        else:
            values[wanted.parameter] = found[0].value
            used.append((wanted.parameter, found[0]))
    return Arguments(values, tuple(used))


def _place_of(trigger: Entry, signature: Signature) -> Input | None:
    """The input for the trigger: the one of the very type first, then the first it fits."""
    fits = [
        wanted
        for wanted in signature.inputs
        if not wanted.many
        and isinstance(trigger.value, wanted.kind)
        and wanted.name in (None, trigger.name)
    ]
    exact = [wanted for wanted in fits if wanted.kind is type(trigger.value)]
    return next(iter([*exact, *fits]), None)


@lru_cache(maxsize=1024)
def _class_name(name: str) -> str:
    return snake_case(name)
