"""The blackboard: what is known about one event so far.  Typed, ordered, append-only.

A board is the fold of its changes (`Put`, `Hide`, `SetFlag`, `Clear`), and a store keeps
exactly those: what was loaded equals what was saved, because it was made by the same changes.
Pure: no I/O, no clock but the one that is passed in.  Imports nothing of Reactor but errors.
"""

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime
from typing import TypeVar

from reactor.errors import ReactorError

T = TypeVar("T")

DEFAULT_NAME = "it"  # what an entry is called that was added without a name


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """One fact on the board."""

    seq: int  # 1, 2, 3, ... in the order of arrival; never reused
    name: str
    value: object  # immutable: a frozen model or dataclass, an enum, a plain scalar
    producer: str  # the action that gave it, or "seed", "human", ...
    at: datetime  # aware, UTC
    protected: bool = False  # survives `clear`

    @property
    def type_name(self) -> str:
        """The class name of the value, for people and for expressions."""
        value = self.value
        return value.type_name if isinstance(value, UnknownValue) else type(value).__name__


@dataclass(frozen=True, slots=True)
class UnknownValue:
    """A stored value whose type is not installed (any more): kept as it was, matches nothing."""

    type_name: str
    raw: str  # the JSON text that was stored


@dataclass(frozen=True, slots=True)
class Put:
    """An entry was added or bound."""

    entry: Entry


@dataclass(frozen=True, slots=True)
class Hide:
    """The entry of this number is out of sight from now on."""

    seq: int


@dataclass(frozen=True, slots=True)
class SetFlag:
    """A named boolean was set, apart from the entries."""

    name: str
    value: bool


@dataclass(frozen=True, slots=True)
class Clear:
    """All unprotected entries not in `keep` went out of sight; flags and ran-marks are forgotten."""

    keep: frozenset[int] = frozenset()


Change = Put | Hide | SetFlag | Clear

SEED = "seed"
"""The producer of what a process begins with."""


class NoSuchEntry(ReactorError):
    """`hide` was given something that is not on this board."""

    def __str__(self) -> str:
        return f"{self.args[0]!r} is not on the blackboard; hide an object that was looked up there"


def snake_case(class_name: str) -> str:
    """`IssueAssessment` -> `issue_assessment`: how expressions call an unnamed entry."""
    partly = re.sub(r"(.)([A-Z][a-z]+)", r"\1_\2", class_name)
    return re.sub(r"([a-z0-9])([A-Z])", r"\1_\2", partly).lower()


class Blackboard:
    """The facts of one process.  Look-ups see only what is not hidden; the newest wins."""

    def __init__(self, *, now: Callable[[], datetime], changes: Iterable[Change] = ()) -> None:
        self._now = now
        self._entries: list[Entry] = []
        self._hidden: set[int] = set()
        self._flags: dict[str, bool] = {}
        self._changes: list[Change] = []
        self._clears = 0
        for change in changes:
            self._apply(change)

    # Look-ups ------------------------------------------------------------------------------

    def last(self, kind: type[T]) -> T | None:
        """The newest visible value that is a `kind` (subclasses count)."""
        return next(self._of(kind), None)

    def all(self, kind: type[T]) -> list[T]:
        """Every visible value that is a `kind`, oldest first."""
        return list(self._of(kind))[::-1]

    def get(self, name: str) -> object | None:
        """The newest visible value of that name."""
        return next((e.value for e in self.newest_first() if e.name == name), None)

    def has(self, kind: type) -> bool:
        """Whether a `kind` is in sight."""
        return next(self._of(kind), None) is not None

    def flag(self, name: str) -> bool:
        """A named boolean; False if it was never set."""
        return self._flags.get(name, False)

    def newest_first(self) -> Iterator[Entry]:
        """The visible entries, newest first."""
        return (e for e in reversed(self._entries) if e.seq not in self._hidden)

    @property
    def entries(self) -> tuple[Entry, ...]:
        """Every entry ever put, hidden ones included, oldest first."""
        return tuple(self._entries)

    @property
    def visible(self) -> tuple[Entry, ...]:
        """The entries in sight, oldest first."""
        return tuple(e for e in self._entries if e.seq not in self._hidden)

    @property
    def flags(self) -> dict[str, bool]:
        """A copy of the named booleans that were set."""
        return dict(self._flags)

    @property
    def version(self) -> int:
        """How many changes made this board; grows by one with each."""
        return len(self._changes)

    @property
    def clears(self) -> int:
        """How often the board was cleared: ran-marks older than the last one do not count."""
        return self._clears

    def is_hidden(self, entry: Entry) -> bool:
        """Whether the entry is out of sight."""
        return entry.seq in self._hidden

    def changes_since(self, version: int) -> tuple[Change, ...]:
        """The changes after the first `version` ones: what a store still has to keep."""
        return tuple(self._changes[version:])

    # Changes -------------------------------------------------------------------------------

    def bind(
        self, name: str, value: object, *, producer: str = SEED, protected: bool = False
    ) -> Entry:
        """Add `value` under `name`; an older one of that name stays behind it."""
        entry = Entry(
            seq=len(self._entries) + 1,
            name=name,
            value=value,
            producer=producer,
            at=self._now(),
            protected=protected,
        )
        self._apply(Put(entry))
        return entry

    def add(self, value: object, *, producer: str = SEED) -> Entry:
        """Add `value` under the default name."""
        return self.bind(DEFAULT_NAME, value, producer=producer)

    def set_flag(self, name: str, value: bool = True) -> None:  # noqa: FBT001, FBT002 - the value is the point
        """Set a named boolean."""
        self._apply(SetFlag(name, value))

    def hide(self, value: object) -> None:
        """Take an entry, or the entry that holds this very object, out of sight.

        By identity, never by equality.  Raises `NoSuchEntry`.
        """
        for entry in self._entries:
            if entry is value or entry.value is value:
                self._apply(Hide(entry.seq))
                return
        raise NoSuchEntry(value)

    def clear(self, *, keep: Iterable[Entry] = ()) -> None:
        """Hide all entries but protected ones and `keep`; forget flags and ran-marks."""
        self._apply(Clear(frozenset(e.seq for e in keep)))

    def spawn(self) -> "Blackboard":
        """A copy for a child process; hidden entries stay hidden."""
        return Blackboard(now=self._now, changes=self._changes)

    # ---------------------------------------------------------------------------------------

    def _of(self, kind: type[T]) -> Iterator[T]:
        return (e.value for e in self.newest_first() if isinstance(e.value, kind))

    def _apply(self, change: Change) -> None:
        match change:
            case Put(entry):
                self._entries.append(entry)
            case Hide(seq):
                self._hidden.add(seq)
            case SetFlag(name, value):
                self._flags[name] = value
            case Clear(keep):
                self._hidden.update(
                    e.seq for e in self._entries if not e.protected and e.seq not in keep
                )
                self._flags.clear()
                self._clears += 1
        self._changes.append(change)
