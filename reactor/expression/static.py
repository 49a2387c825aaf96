"""What is known of a value before it exists: its kind, and for objects their classes.

Made from annotations.  Whatever an annotation leaves open is `UNKNOWN`, and an unknown type is
never a reason to complain.
"""

import types
import typing
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from decimal import Decimal
from enum import Enum
from pathlib import PurePath
from typing import Annotated, Any, Literal
from uuid import UUID

from reactor.expression.fields import fields_of, has_fields

Kind = Literal[
    "unknown", "null", "bool", "int", "float", "uint", "str", "bytes", "time", "duration", "list",
    "map", "object",
]  # fmt: skip


@dataclass(frozen=True, slots=True)
class Static:
    """The static type of one part of an expression."""

    kind: Kind = "unknown"
    nullable: bool = False  # it may be null as well
    element: "Static | None" = None  # of a list its elements, of a map its values
    classes: tuple[type, ...] = ()  # of an object: it is one of these, or a subclass

    @property
    def of_elements(self) -> "Static":
        """The type of an element of a list, or of a value of a map."""
        return self.element or UNKNOWN

    def __str__(self) -> str:
        if self.kind == "object":
            return " or ".join(cls.__name__ for cls in self.classes)
        return _IN_WORDS[self.kind]


_IN_WORDS: Mapping[Kind, str] = {
    "unknown": "of unknown type", "null": "null", "bool": "true or false", "int": "a whole number",
    "uint": "an unsigned number", "float": "a decimal number", "str": "text", "bytes": "bytes",
    "time": "a time", "duration": "a duration", "list": "a list", "map": "a map",
}  # fmt: skip

UNKNOWN = Static()
NULL = Static("null", nullable=True)
BOOL = Static("bool")
INT = Static("int")
FLOAT = Static("float")
STR = Static("str")
LIST = Static("list")

_SCALARS: tuple[tuple[type, Kind], ...] = (  # the first that is a base class decides
    (bool, "bool"), (int, "int"), (float, "float"), (Decimal, "float"), (str, "str"),
    (UUID, "str"), (PurePath, "str"), (bytes, "bytes"), (datetime, "time"), (date, "time"),
    (timedelta, "duration"),
)  # fmt: skip


def static_type(annotation: Any) -> Static:
    """The static type that an annotation promises."""
    origin, args = typing.get_origin(annotation), typing.get_args(annotation)
    if origin is Annotated:
        return static_type(args[0])
    if origin in (typing.Union, types.UnionType):
        return one_of(static_type(arg) for arg in args)
    if origin is Literal:
        return one_of(static_type(type(value)) for value in args)
    if annotation is None or annotation is type(None):
        return NULL
    if hasattr(annotation, "__supertype__"):  # NewType
        return static_type(annotation.__supertype__)
    cls = origin or annotation
    return _of_class(cls, args) if isinstance(cls, type) else UNKNOWN


def one_of(parts: Iterable[Static]) -> Static:
    """What can be said of a value that is any of these."""
    several = tuple(parts)
    nullable = any(part.nullable for part in several)
    real = tuple(part for part in several if part.kind != "null")
    if not real:
        return NULL
    kinds = {part.kind for part in real}
    if len(kinds) > 1 or "unknown" in kinds:
        return Static(nullable=nullable)
    if kinds == {"object"}:
        classes = dict.fromkeys(cls for part in real for cls in part.classes)
        return Static("object", nullable=nullable, classes=tuple(classes))
    elements = [part.of_elements for part in real]
    element = one_of(elements) if kinds <= {"list", "map"} else None
    return Static(real[0].kind, nullable=nullable, element=element)


def _of_class(cls: type, args: tuple[Any, ...]) -> Static:
    if issubclass(cls, Enum):
        return one_of(static_type(type(member.value)) for member in cls) if len(cls) else UNKNOWN
    for scalar, kind in _SCALARS:
        if issubclass(cls, scalar):
            return Static(kind)
    if has_fields(cls):
        return Static("object", classes=(cls,))
    if issubclass(cls, Mapping):
        return Static("map", element=static_type(args[1]) if len(args) == 2 else None)
    if issubclass(cls, Collection):
        inner = [arg for arg in args if arg is not Ellipsis]
        return Static("list", element=one_of(map(static_type, inner)) if inner else None)
    return UNKNOWN


def field_type(owner: Static, name: str) -> Static | None:
    """The type of a field; UNKNOWN where that cannot be told; None if there is no such field.

    A field counts if any class that the value may have declares it, subclasses included.
    """
    if owner.kind == "map":
        return owner.of_elements
    if owner.kind != "object":
        return UNKNOWN
    found, is_open = [], False
    for cls in _with_subclasses(owner.classes):
        fields = fields_of(cls)
        is_open = is_open or fields.is_open
        if name in fields.annotations:
            found.append(static_type(fields.annotations[name]))
    if found:
        return one_of(found)
    return UNKNOWN if is_open else None


def field_names(owner: Static) -> frozenset[str]:
    """Every field that an object may have, as far as its classes tell."""
    return frozenset(
        n for cls in _with_subclasses(owner.classes) for n in fields_of(cls).annotations
    )


def class_names(statics: Iterable[Static]) -> frozenset[str]:
    """The names of all classes in these types: fields, elements, bases and subclasses included."""
    names: set[str] = set()
    seen: set[type] = set()
    waiting = list(statics)
    while waiting:
        static = waiting.pop()
        if static.element:
            waiting.append(static.element)
        for cls in _with_subclasses(static.classes):
            if cls in seen:
                continue
            seen.add(cls)
            names.update(base.__name__ for base in cls.__mro__ if base is not object)
            waiting.extend(static_type(a) for a in fields_of(cls).annotations.values())
    return frozenset(names)


def _with_subclasses(classes: Iterable[type]) -> list[type]:
    found: dict[type, None] = {}
    waiting = list(classes)
    while waiting:
        cls = waiting.pop()
        if cls not in found:
            found[cls] = None
            waiting.extend(cls.__subclasses__())
    return list(found)
