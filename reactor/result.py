"""What an action returns: the shape that its annotation declares, and the items in a value.

`T` is one item, `T | None` one or nothing, a union any one of its types, a tuple all of its
items, a list any number.  Items are facts, which go onto the blackboard, or effects.
"""

import collections.abc
import types
import typing
from collections.abc import Iterator
from dataclasses import dataclass

from reactor.effect import Effect

_SEQUENCES = (list, collections.abc.Sequence, collections.abc.Iterable)
_UNIONS = (typing.Union, types.UnionType)


@dataclass(frozen=True, slots=True)
class One:
    """A value of this class."""

    kind: type


@dataclass(frozen=True, slots=True)
class Each:
    """A list or tuple of any length."""

    item: "Shape"


@dataclass(frozen=True, slots=True)
class Together:
    """A tuple of exactly these."""

    items: tuple["Shape", ...]


@dataclass(frozen=True, slots=True)
class Either:
    """Any one of these; with `or_nothing`, also None."""

    options: tuple["Shape", ...]
    or_nothing: bool = False


Shape = One | Each | Together | Either

NOTHING = Either((), or_nothing=True)
"""The shape of a method that returns None and nothing else."""


class UnreadableAnnotation(Exception):
    """An annotation that says nothing we can work with; the message ends a sentence."""


class Mismatch(Exception):
    """A value that is not of the declared shape; the message says what it is instead."""


def shape_of(annotation: object) -> Shape:
    """The shape that a return annotation declares.  Raises `UnreadableAnnotation`."""
    if annotation is None or annotation is type(None):
        return NOTHING
    origin, arguments = typing.get_origin(annotation), typing.get_args(annotation)
    if origin is typing.Annotated:
        return shape_of(arguments[0])
    if origin in _UNIONS:
        options = [option for option in arguments if option is not type(None)]
        return Either(tuple(map(shape_of, options)), or_nothing=len(options) < len(arguments))
    if origin is tuple:
        if arguments[-1:] == (Ellipsis,):
            return Each(shape_of(arguments[0]))
        return Together(tuple(map(shape_of, arguments)))
    if origin in _SEQUENCES:
        return Each(shape_of(arguments[0]))
    return One(class_of(annotation))


def class_of(annotation: object) -> type:
    """The class whose instances the annotation means.  Raises `UnreadableAnnotation`."""
    kind = typing.get_origin(annotation) or annotation
    if not isinstance(kind, type) or kind in (typing.Any, object, list, tuple):
        raise UnreadableAnnotation(f"{_name(annotation)}, which does not name a class of its own")
    return kind


def leaves(shape: Shape) -> Iterator[type]:
    """The classes of all items that the shape may hold, in order."""
    match shape:
        case One(kind):
            yield kind
        case Each(item):
            yield from leaves(item)
        case Together(parts) | Either(parts):
            for part in parts:
                yield from leaves(part)


def facts_of(shape: Shape) -> tuple[type, ...]:
    """The classes that the shape may bring onto the blackboard, each once."""
    return tuple(dict.fromkeys(kind for kind in leaves(shape) if not issubclass(kind, Effect)))


def effects_of(shape: Shape) -> tuple[type[Effect], ...]:
    """The kinds of effects that the shape may hold, each once."""
    return tuple(dict.fromkeys(kind for kind in leaves(shape) if issubclass(kind, Effect)))


def items_in(shape: Shape, value: object) -> list[object]:
    """The facts and effects in a returned value, in order.  Raises `Mismatch`."""
    match shape:
        case One(kind):
            if not isinstance(value, kind) and not (kind is float and type(value) is int):
                raise Mismatch(_name(type(value)))
            return [value]
        case Either(options, or_nothing):
            return [] if value is None and or_nothing else _first_fit(options, value)
        case _:
            return [found for part, item in _pairs(shape, value) for found in items_in(part, item)]


def _pairs(shape: Each | Together, value: object) -> Iterator[tuple[Shape, object]]:
    """Each item of a list or tuple with the shape that it should have."""
    if isinstance(shape, Each) and isinstance(value, (list, tuple)):
        return zip([shape.item] * len(value), value, strict=True)
    if isinstance(shape, Together) and isinstance(value, tuple) and len(value) == len(shape.items):
        return zip(shape.items, value, strict=True)
    raise Mismatch(_name(type(value)))


def _first_fit(options: tuple[Shape, ...], value: object) -> list[object]:
    for option in options:
        try:
            return items_in(option, value)
        except Mismatch:
            continue
    raise Mismatch(_given(value))


def _given(value: object) -> str:
    """The type of a value; of a list or tuple what it holds as well: "list of Close, str"."""
    name = _name(type(value))
    if not isinstance(value, (list, tuple)) or not value:
        return name
    return f"{name} of {', '.join(sorted({_name(type(item)) for item in value}))}"


def _name(annotation: object) -> str:
    return getattr(annotation, "__name__", None) or str(annotation)
