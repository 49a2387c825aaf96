"""Which decision records can be read: those of this version and of all before it.

A record comes from a topic or a file, and may be of any version, or damaged.  `fault_of` looks
whether it has the fields that `reactor.journal` says, so that whoever reads it afterwards can rely
on them.  Pure.
"""

from collections.abc import Callable, Mapping
from functools import cache
from types import NoneType, UnionType
from typing import Any, NotRequired, Union, get_args, get_origin, get_type_hints, is_typeddict

from reactor.journal import (
    VERSION,
    AnsweredData,
    EndedData,
    JournalRecord,
    Kind,
    RescuedData,
    SeededData,
    TickData,
)

DATA_OF: Mapping[Kind, type] = {
    "seeded": SeededData,
    "tick": TickData,
    "answered": AnsweredData,
    "rescued": RescuedData,
    "ended": EndedData,
}
_NOT_IN_1 = frozenset({"since", "no_longer"})  # each record had told all that could not run

Check = Callable[[object], str]
"""Why a value is not what it should be, or ""."""


def fault_of(record: JournalRecord) -> str:
    """Why this version can't read the record, as a clause; "" where it can."""
    version = record.data.get("v")
    if not isinstance(version, int) or isinstance(version, bool) or version < 1:
        return "it does not tell its version"
    if version > VERSION:
        return f"it is of version {version}, and this one reads up to {VERSION}"
    data = record.data
    if version == 1:
        data = {"since": 0, "no_longer": [], **data}
    return _check_of(DATA_OF[record.kind])(data)


@cache
def _check_of(kind: Any) -> Check:
    """A check of values against a type, as far as types of journal records go."""
    if is_typeddict(kind):
        return _fields_check(kind)
    origin, inner = get_origin(kind), get_args(kind)
    if origin is NotRequired:
        return _check_of(inner[0])
    if origin in (Union, UnionType):
        return _any_check([_check_of(each) for each in inner])
    if origin is list:
        return _list_check(_check_of(inner[0]))
    if origin is dict:
        return _dict_check(_check_of(inner[1]))
    return _plain_check(kind)


def _plain_check(kind: type) -> Check:
    wanted = {float: (int, float), NoneType: (NoneType,)}.get(kind, (kind,))

    def check(value: object) -> str:
        is_bool = isinstance(value, bool) and kind in (int, float)
        return "" if isinstance(value, wanted) and not is_bool else f"is no {kind.__name__}"

    return check


def _any_check(checks: list[Check]) -> Check:
    def check(value: object) -> str:
        faults = [each(value) for each in checks]
        return "" if "" in faults else faults[0]

    return check


def _list_check(inner: Check) -> Check:
    def check(value: object) -> str:
        if not isinstance(value, list | tuple):
            return "is no list"
        return next((fault for fault in map(inner, value) if fault), "")

    return check


def _dict_check(inner: Check) -> Check:
    def check(value: object) -> str:
        if not isinstance(value, Mapping):
            return "is no object"
        return next((fault for fault in map(inner, value.values()) if fault), "")

    return check


def _fields_check(kind: Any) -> Check:
    hints = get_type_hints(kind, include_extras=True)
    checks = {name: _check_of(hint) for name, hint in hints.items()}
    needed = [name for name, hint in hints.items() if get_origin(hint) is not NotRequired]

    def check(value: object) -> str:
        if not isinstance(value, Mapping):
            return "is no object"
        for name in needed:
            if name not in value:
                return f"lacks {name}"
        for name in checks.keys() & value.keys():
            if fault := checks[name](value[name]):
                return f"has {name}, which {fault}"
        return ""

    return check
