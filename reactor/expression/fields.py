"""Which fields a class has that an expression may read, and how to read one of a value.

Fields of pydantic models, dataclasses and named tuples, and properties of any of them; never a
method, never a name that begins with an underscore.
"""

import dataclasses
import typing
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from pydantic import BaseModel


@dataclass(frozen=True, slots=True)
class Fields:
    """The readable fields of a class."""

    annotations: Mapping[str, Any]  # name -> annotation; Any where there is none
    is_open: bool = False  # values may have more fields than the class says


def has_fields(cls: type) -> bool:
    """Whether values of the class are objects whose fields we can tell."""
    return issubclass(cls, BaseModel) or dataclasses.is_dataclass(cls) or _is_named_tuple(cls)


def fields_of(cls: type) -> Fields:
    """The fields of a class for which `has_fields` holds, or of a subclass of one."""
    annotations = {**_properties(cls), **_declared(cls)}
    public = {n: a for n, a in annotations.items() if not n.startswith("_")}
    return Fields(public, is_open=_takes_extra(cls))


def field_names_of(value: object) -> tuple[str, ...]:
    """The data fields of an object, properties left out; empty for what is no such object."""
    cls = type(value)
    if isinstance(value, BaseModel):
        return (*cls.model_fields, *cls.model_computed_fields, *(value.model_extra or ()))  # type: ignore[attr-defined]
    if dataclasses.is_dataclass(cls):
        return tuple(field.name for field in dataclasses.fields(cls))
    return tuple(cls._fields) if _is_named_tuple(cls) else ()  # type: ignore[attr-defined]


def is_readable(value: object, name: str) -> bool:
    """Whether an expression may read this field of an object: data, never a method."""
    if name.startswith("_"):
        return False
    cls = type(value)
    declared = getattr(cls, "__pydantic_fields__", None) or getattr(cls, "__dataclass_fields__", {})
    if name in declared:
        return True
    return name in field_names_of(value) or isinstance(
        getattr(cls, name, None), property | cached_property
    )


def _declared(cls: type) -> Mapping[str, Any]:
    if issubclass(cls, BaseModel):
        computed = {n: f.return_type for n, f in cls.model_computed_fields.items()}
        return computed | {n: f.annotation for n, f in cls.model_fields.items()}
    if dataclasses.is_dataclass(cls):
        hints = _hints(cls)
        return {f.name: hints.get(f.name, Any) for f in dataclasses.fields(cls)}
    hints = _hints(cls)
    return {name: hints.get(name, Any) for name in getattr(cls, "_fields", ())}


def _properties(cls: type) -> Mapping[str, Any]:
    found: dict[str, Any] = {}
    for base in reversed(cls.__mro__):
        if base in (object, BaseModel):
            continue
        for name, member in vars(base).items():
            if isinstance(member, property) and member.fget:
                found[name] = _hints(member.fget).get("return", Any)
            elif isinstance(member, cached_property):
                found[name] = _hints(member.func).get("return", Any)
    return found


def _hints(of: Any) -> Mapping[str, Any]:
    try:
        return typing.get_type_hints(of, include_extras=True)
    except (NameError, TypeError, AttributeError):  # names that only a type checker can see
        return {}


def _takes_extra(cls: type) -> bool:
    return issubclass(cls, BaseModel) and cls.model_config.get("extra") == "allow"


def _is_named_tuple(cls: type) -> bool:
    return issubclass(cls, tuple) and hasattr(cls, "_fields")
