"""The catalog of types whose values may be stored, and how such a value becomes JSON and back.

A value is written as the stable name of its type (`module:qualname`, or a plain word for what
Python brings) and JSON.  It is read by a look-up of that name in the catalog: a name that was
found in a store never makes anything be imported.  What comes back equals what went in, type
included; what can't be read any more comes back as an `UnknownValue`, which is written again
just as it was.  Imports nothing of Reactor but errors, `UnknownValue` and how it is written.
"""

from collections.abc import Iterable, Iterator
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from difflib import get_close_matches
from typing import Any, Final
from uuid import UUID

from pydantic import ConfigDict, TypeAdapter
from pydantic.errors import PydanticUserError

from reactor.blackboard import UnknownValue
from reactor.encoded import (
    CONTAINERS,
    PLAIN_JSON,
    Encoded,
    UnstorableValue,
    decode_container,
    encode_container,
    full_name,
    is_container,
    not_json,
)
from reactor.errors import ReactorError

_SCALARS: Final = {
    kind.__name__: kind
    for kind in (
        type(None), bool, int, float, str, bytes,
        date, time, datetime, timedelta, Decimal, UUID,
    )
}  # fmt: skip

# JSON has neither bytes nor infinity; models and dataclasses have settings of their own for that.
_SCALAR_CONFIG: Final = ConfigDict(
    ser_json_bytes="base64", val_json_bytes="base64", ser_json_inf_nan="constants"
)


class TypeClash(ReactorError):
    """Two classes of one stable name: what was stored could not be told apart."""

    def __init__(self, name: str) -> None:
        super().__init__(name)
        self.name = name

    def __str__(self) -> str:
        return f"two different classes are both {self.name}; rename or move one of them"


class UnknownTypeName(ReactorError):
    """No type of the catalog has this name."""

    def __init__(self, name: str, near: tuple[str, ...]) -> None:
        super().__init__(name, near)
        self.name, self.near = name, near

    def __str__(self) -> str:
        hint = f"did you mean {' or '.join(self.near)}?" if self.near else "check its spelling"
        return f"no installed component knows a type {self.name!r}; {hint}"


class AmbiguousTypeName(ReactorError):
    """Several types of the catalog share this simple name."""

    def __init__(self, name: str, candidates: tuple[str, ...]) -> None:
        super().__init__(name, candidates)
        self.name, self.candidates = name, candidates

    def __str__(self) -> str:
        return f"{self.name!r} may be any of {', '.join(self.candidates)}; write the full name"


def stable_name(kind: type) -> str:
    """`module:qualname`: how a stored value names its type; plain words for Python's scalars."""
    name = kind.__name__
    return name if _SCALARS.get(name) is kind else f"{kind.__module__}:{kind.__qualname__}"


class TypeCatalog:
    """The types that may be stored: those given, Python's scalars, and containers of them.

    Frozen pydantic models, frozen dataclasses, enums and named tuples can be given.  A class that
    only others derive from may be given too; it is of use to `named` alone.
    """

    def __init__(self, types: Iterable[type] = ()) -> None:
        self._given: dict[str, type] = {}
        self._names: dict[type, str] = {kind: name for name, kind in _SCALARS.items()}
        self._adapters: dict[str, TypeAdapter[Any]] = {}  # made when first needed: that is slow
        for kind in types:
            self._give(kind)

    def _give(self, kind: type) -> None:
        if kind in self or kind is UnknownValue:
            return
        name = stable_name(kind)
        if self._given.setdefault(name, kind) is not kind:
            raise TypeClash(name)
        self._names[kind] = name

    def with_types(self, types: Iterable[type]) -> "TypeCatalog":
        """A catalog of these types as well.  Raises `TypeClash`."""
        return TypeCatalog([*self._given.values(), *types])

    def __contains__(self, kind: type) -> bool:
        return kind in self._names or kind in CONTAINERS.values()

    def __iter__(self) -> Iterator[type]:
        """The types that were given, by stable name."""
        return (self._given[name] for name in sorted(self._given))

    def named(self, name: str) -> type:
        """The given type of this simple or stable name.

        Raises `UnknownTypeName`, and `AmbiguousTypeName` where several share a simple name.
        """
        if kind := self._given.get(name):
            return kind
        found = [kind for kind in self if kind.__name__ == name]
        if len(found) > 1:
            raise AmbiguousTypeName(name, tuple(map(stable_name, found)))
        if not found:
            simple = {kind.__name__ for kind in self}
            raise UnknownTypeName(name, tuple(get_close_matches(name, simple, n=3)))
        return found[0]

    # Values --------------------------------------------------------------------------------

    def encode(self, value: object) -> Encoded:
        """The value in writing.  Raises `UnstorableValue`."""
        return (
            encode_container(value, self._encode_one)
            if is_container(value)
            else (self._encode_one(value))
        )

    def decode(self, type_name: str, json: bytes) -> object:
        """The value as it was, or an `UnknownValue` where it can't be read any more."""
        try:
            if type_name == PLAIN_JSON or type_name in CONTAINERS:
                return decode_container(type_name, json, self.decode)
            if type_name not in self._given and type_name not in _SCALARS:
                return UnknownValue(type_name, json.decode())
            return self._adapter(type_name).validate_json(json, by_alias=False, by_name=True)
        except Exception:  # noqa: BLE001 - validators are other people's code, and raise anything
            return UnknownValue(type_name, json.decode(errors="replace"))

    def check(self, value: object) -> None:
        """Raise `UnstorableValue` unless the value would come back from a store as it is.

        For what a component made: its types may promise less than they hold, such as a subclass
        in a field of its base, an infinite float, a private attribute.
        """
        back = self.decode(*self.encode(value))
        if type(back) is type(value) and (back == value or repr(back) == repr(value)):
            return  # `repr` speaks for what equals nothing, such as NaN
        raise UnstorableValue(
            full_name(type(value)),
            "it would not come back as it was",
            "give its fields exact types (no Any, no base class for a subclass, no infinity)",
        )

    def _encode_one(self, value: object) -> Encoded:
        if isinstance(value, UnknownValue):
            return Encoded(value.type_name, value.raw.encode())
        name = self._names.get(type(value))
        if name is None:
            raise UnstorableValue(
                full_name(type(value)),
                "its type is not in the catalog",
                "declare it as input or output of an action, or give it to the platform's types",
            )
        adapter = self._adapter(name)
        try:
            json = adapter.dump_json(value, by_alias=False, round_trip=True, warnings="error")
        except ValueError as error:
            raise not_json(value, error) from error
        return Encoded(name, json)

    def _adapter(self, type_name: str) -> TypeAdapter[Any]:
        adapter = self._adapters.get(type_name)
        if adapter is None:
            adapter = self._adapters[type_name] = self._make_adapter(type_name)
        return adapter

    def _make_adapter(self, type_name: str) -> TypeAdapter[Any]:
        if scalar := _SCALARS.get(type_name):
            return TypeAdapter(scalar, config=_SCALAR_CONFIG)
        try:
            return TypeAdapter(self._given[type_name])
        except PydanticUserError as error:
            raise UnstorableValue(
                type_name,
                "pydantic can't describe its type",
                "make it a frozen pydantic model, a frozen dataclass of typed fields, or an enum",
            ) from error
