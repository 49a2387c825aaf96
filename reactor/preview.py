"""Values in few characters, for people who read decision records.

A preview of a long value costs no more than that of a short one: nothing is written out first
and cut afterwards, but for strings.
"""

from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import fields, is_dataclass
from functools import lru_cache
from itertools import islice

from pydantic import BaseModel, SecretBytes, SecretStr

from reactor.effect import Effect

LONGEST = 240  # characters of a preview
_LONGEST_TEXT = 60  # characters of one string in it
_MOST_ITEMS = 5  # of a list
_DEEPEST = 2  # models within models


def preview(value: object) -> str:
    """`Issue(number=7, title='It crashes …')`, in at most `LONGEST` characters."""
    try:
        return _cut(_written(value, 0), LONGEST)
    except Exception:  # noqa: BLE001 - other people's __repr__ must not spoil a record
        return f"<{type(value).__name__}, which can't be shown>"


def preview_effect(effect: Effect) -> str:
    """What the effect says of itself, as short as other previews."""
    try:
        return _cut(" ".join(effect.describe().split()), LONGEST)
    except Exception:  # noqa: BLE001 - other people's `describe` must not spoil a record
        return preview(effect)


def _written(value: object, depth: int) -> str:
    kind: type = type(value)
    if (names := _shown_names(kind)) is not None:
        if depth >= _DEEPEST:
            return f"{kind.__name__}(…)"
        return _joined(f"{kind.__name__}(", _fields(value, names, depth), ")")
    match value:
        case str():
            return repr(_cut(value, _LONGEST_TEXT))
        case bytes():
            return f"<{len(value)} bytes>"
        case SecretStr() | SecretBytes():
            return "<secret>"
        case dict():
            return f"<{len(value)} items>" if depth else _joined("{", _pairs(value), "}")
        case list() | tuple() | set() | frozenset():
            return _items(value, depth)
        case _:
            return _cut(repr(value), LONGEST)


def _items(values: Collection[object], depth: int) -> str:
    shown = [_written(item, depth + 1) for item in islice(values, _MOST_ITEMS)]
    if isinstance(values, set | frozenset):  # which have no order of their own
        shown = sorted(_written(item, depth + 1) for item in values)[:_MOST_ITEMS]
    more = [f"… {len(values)} in all"] if len(values) > _MOST_ITEMS else []
    return _joined("[", iter(shown + more), "]")


@lru_cache(maxsize=1024)
def _shown_names(kind: type) -> tuple[str, ...] | None:
    """The fields of a model or a dataclass that may be shown; None for other classes."""
    if issubclass(kind, BaseModel):
        return tuple(kind.model_fields)
    if is_dataclass(kind):
        return tuple(field.name for field in fields(kind) if field.repr)
    return None


def _fields(value: object, names: Iterable[str], depth: int) -> Iterator[str]:
    for name in names:
        found = getattr(value, name)
        if found is not None:
            yield f"{name}={_written(found, depth + 1)}"


def _pairs(value: Mapping[object, object]) -> Iterator[str]:
    for key, item in value.items():
        yield f"{_written(key, 1)}: {_written(item, 1)}"


def _joined(before: str, parts: Iterator[str], after: str) -> str:
    """The parts, with commas, until they are too long."""
    length, taken = 0, list[str]()
    for part in parts:
        if length + len(part) > LONGEST:
            taken.append("…")
            break
        taken.append(part)
        length += len(part) + 2
    return before + ", ".join(taken) + after


def _cut(text: str, longest: int) -> str:
    return text if len(text) <= longest else text[: longest - 1] + "…"
