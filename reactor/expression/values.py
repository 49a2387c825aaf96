"""From the values on a blackboard to what CEL can read, as far as an expression needs it.

Values come from strangers (an issue's text, a push of thousands of commits), so what is handed
over is bounded, and what cannot be handed over is left out with a note: an expression that
never touches it is none the worse.
"""

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from enum import Enum
from itertools import islice
from pathlib import PurePath
from uuid import UUID

from pydantic import AnyUrl

from reactor.expression.fields import field_names_of, is_readable
from reactor.expression.need import Need

LEFT_OUT = object()  # what stands for a value that cannot be handed over

CLASS_NAMES = "@class"  # the key of an object's class names; no field can be called that

MAX_PARTS = 20_000  # fields and elements handed over for one evaluation: some 0.1 s
MAX_DEPTH = 64  # objects in objects; as deep as a delivery's JSON may be
_INT_MIN, _INT_MAX = -(2**63), 2**64 - 1  # what CEL's int and uint hold

_READY = frozenset({bool, float, type(None)})
_PLAIN = (bool, float, bytes, timedelta, type(None))
_AS_TEXT = (UUID, PurePath, AnyUrl)


class Unreadable(Exception):
    """A value that CEL cannot be given; args: a few words that continue "it is ..."."""


@dataclass(slots=True)
class Reading:
    """Hands values over for one evaluation, and keeps note of what could not be."""

    notes: list[str] = field(default_factory=list)  # "issue.token is of type SecretStr, ..."
    longest_list: int = 0
    _parts: int = 0

    def read(self, value: object, need: Need, path: str) -> object:
        """The part of `value` that is needed, as plain data; `LEFT_OUT` after taking a note."""
        return self._attempt(path, lambda: self._read(value, need, path, 0))

    def _attempt(self, path: str, read: Callable[[], object]) -> object:
        try:
            return read()
        except Unreadable as error:
            self.notes.append(f"{path} is {error}")
        except Exception as error:  # noqa: BLE001 - properties and containers may be anyone's code
            self.notes.append(f"{path} raised {type(error).__name__}")
        return LEFT_OUT

    def _read(self, value: object, need: Need, path: str, depth: int) -> object:
        self._count(depth)
        if type(value) in _READY:  # the common case first: this runs for every field
            return value
        if isinstance(value, Mapping):
            return self._read_mapping(value, need, path, depth)
        plain = _plain(value)
        if plain is not _NOT_PLAIN:
            return plain
        if isinstance(value, Collection) and not field_names_of(value):
            return self._read_list(value, need, path, depth)
        return self._read_object(value, need, path, depth)

    def _read_mapping(
        self, value: Mapping[object, object], need: Need, path: str, depth: int
    ) -> object:
        if need.whole or need.elements:
            return {
                _key(key): self._read(item, _WHOLE, path, depth + 1)
                for key, item in value.items()
                if key != CLASS_NAMES  # a payload must not pass for an object of ours
            }
        found: dict[str, object] = {}
        for name, inner in need.fields.items():
            if name in value and name != CLASS_NAMES:
                self._keep(found, name, value, inner, (path, depth))
        return found

    def _read_list(self, value: Collection[object], need: Need, path: str, depth: int) -> object:
        self.longest_list = max(self.longest_list, len(value))
        inner = _WHOLE if need.whole else need.elements
        if inner is None:
            self._count(depth, len(value))
            return [None] * len(value)
        items = _in_order(value) if isinstance(value, set | frozenset) else value
        return [self._read(item, inner, path, depth + 1) for item in items]

    def _read_object(self, value: object, need: Need, path: str, depth: int) -> object:
        found: dict[str, object] = {}
        fields: Mapping[str, Need] = need.fields
        if need.whole:
            known = field_names_of(value)
            if not known:
                raise Unreadable(f"of type {type(value).__name__}, which has no fields to read")
            fields = dict.fromkeys(known, _WHOLE) | {
                name: inner for name, inner in need.fields.items() if name not in known
            }
            found[CLASS_NAMES] = _class_names(value)
        elif need.class_names:
            found[CLASS_NAMES] = [n for n in _class_names(value) if n in need.class_names]
        for name, inner in fields.items():
            if is_readable(value, name):
                self._keep(found, name, value, inner, (path, depth))
        return found

    def _keep(
        self, found: dict[str, object], name: str, owner: object, need: Need, at: tuple[str, int]
    ) -> None:
        path, depth = f"{at[0]}.{name}", at[1]
        value = self._attempt(path, lambda: self._read(_get(owner, name), need, path, depth + 1))
        if value is not LEFT_OUT:
            found[name] = value

    def _count(self, depth: int, parts: int = 1) -> None:
        self._parts += parts
        if depth > MAX_DEPTH:
            raise Unreadable(f"nested more than {MAX_DEPTH} deep")
        if self._parts > MAX_PARTS:
            raise Unreadable(f"larger than the {MAX_PARTS:,} parts that an expression may read")


def _get(owner: object, name: str) -> object:
    return owner[name] if isinstance(owner, Mapping) else getattr(owner, name)


def _class_names(value: object) -> list[str]:
    return [cls.__name__ for cls in type(value).__mro__]


_WHOLE = Need(whole=True)
_NOT_PLAIN = object()


def _plain(value: object) -> object:
    """The scalar that CEL gets for `value`, or `_NOT_PLAIN`."""
    if isinstance(value, str):
        return _text(str.__str__(value))
    if isinstance(value, _PLAIN):
        return value
    if isinstance(value, int):
        if not _INT_MIN <= value <= _INT_MAX:
            raise Unreadable("a number beyond 64 bits")
        return int(value)
    if isinstance(value, Enum):
        return _plain(value.value)
    if isinstance(value, Decimal):
        return float("nan" if value.is_nan() else value)
    if isinstance(value, date):
        return _moment(value)
    return str(value) if isinstance(value, _AS_TEXT) else _NOT_PLAIN


def _text(value: str) -> str:
    if not value.isascii() and any("\ud800" <= char <= "\udfff" for char in value):
        raise Unreadable("text with half a character in it")
    return value


def _moment(value: date) -> datetime:
    """An aware time: a date is its midnight, and what has no zone is taken as UTC."""
    if not isinstance(value, datetime):
        return datetime(value.year, value.month, value.day, tzinfo=UTC)
    return value if value.tzinfo else value.replace(tzinfo=UTC)


def _key(key: object) -> object:
    plain = _plain(key)
    if isinstance(plain, str | int):
        return plain
    raise Unreadable(f"a map with keys of type {type(key).__name__}")


def _in_order(items: Collection[object]) -> list[object]:
    """The elements of a set, in an order that does not depend on the run."""
    return sorted(islice(items, MAX_PARTS + 1), key=lambda item: (type(item).__name__, repr(item)))
