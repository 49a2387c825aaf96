"""Values in writing: what one is, and how containers of several are written.

A list or dict of nothing but JSON's own types is plain JSON.  Any other list, tuple, dict, set
or frozenset is a JSON array of `["type name", JSON]`, one for each item (for a dict: key, value,
key, value, ...), so that every item keeps its type.  Imports nothing of Reactor but errors.
"""

from collections.abc import Callable, Iterable
from typing import Any, Final, NamedTuple

from pydantic_core import from_json, to_json

from reactor.errors import ReactorError

PLAIN_JSON: Final = "json"
CONTAINERS: Final = {kind.__name__: kind for kind in (list, tuple, dict, set, frozenset)}
_JSON_SCALARS: Final = (str, int, float, bool, type(None))
_MAX_DEPTH: Final = 100  # of containers in each other; the JSON reader refuses 200


class Encoded(NamedTuple):
    """A value in writing."""

    type_name: str
    json: bytes  # one line of UTF-8


class UnstorableValue(ReactorError):
    """A value that can't be kept, so that a process that resumes would not find it again."""

    def __init__(self, type_name: str, why: str, what_to_do: str) -> None:
        super().__init__(type_name, why, what_to_do)
        self.type_name, self.why, self.what_to_do = type_name, why, what_to_do

    def __str__(self) -> str:
        return f"a value of type {self.type_name} can't be stored: {self.why}; {self.what_to_do}"


def full_name(kind: type) -> str:
    """`module.qualname`, for people."""
    return (
        kind.__name__ if kind.__module__ == "builtins" else f"{kind.__module__}.{kind.__qualname__}"
    )


def not_json(value: object, error: Exception) -> UnstorableValue:
    """The error for what a JSON writer refused."""
    why = str(error).splitlines()[0]
    return UnstorableValue(
        full_name(type(value)), f"no JSON can be made of it ({why})", "use other field types"
    )


def is_container(value: object) -> bool:
    """Whether it is exactly one of Python's own containers, and no subclass."""
    return type(value) in CONTAINERS.values()


def encode_container(
    value: object, encode_one: Callable[[object], Encoded], *, depth: int = 0
) -> Encoded:
    """A container in writing; `encode_one` writes the items that are none themselves.

    Raises `UnstorableValue`.
    """
    if _is_plain_json(value, depth):
        try:
            return Encoded(PLAIN_JSON, to_json(value, inf_nan_mode="constants"))
        except ValueError as error:
            raise not_json(value, error) from error
    written = [
        encode_container(item, encode_one, depth=depth + 1)
        if is_container(item)
        else encode_one(item)
        for item in _items(value)
    ]
    parts = [b"[%b,%b]" % (to_json(name), json) for name, json in written]
    if isinstance(value, set | frozenset):
        parts.sort()  # equal sets are written alike
    return Encoded(type(value).__name__, b"[%b]" % b",".join(parts))


def decode_container(
    type_name: str, json: bytes, decode_one: Callable[[str, bytes], object]
) -> object:
    """The container as it was.  Raises `ValueError` for what `encode_container` did not write."""
    if type_name == PLAIN_JSON:
        return from_json(json)
    items: list[Any] = [
        decode_one(name, to_json(item, inf_nan_mode="constants")) for name, item in from_json(json)
    ]
    if type_name == "dict":
        return dict(zip(items[::2], items[1::2], strict=True))
    return CONTAINERS[type_name](items)


def _items(container: Any) -> Iterable[object]:
    if isinstance(container, dict):
        return (item for pair in container.items() for item in pair)
    items: Iterable[object] = container
    return items


def _is_plain_json(value: object, depth: int) -> bool:
    if depth > _MAX_DEPTH:
        raise UnstorableValue(
            full_name(type(value)),
            f"it holds more than {_MAX_DEPTH} containers in each other",
            "keep what you need of it in a model",
        )
    if type(value) is dict:
        return all(type(key) is str and _is_plain_json(v, depth + 1) for key, v in value.items())
    if type(value) is list:
        return all(_is_plain_json(item, depth + 1) for item in value)
    return type(value) in _JSON_SCALARS
