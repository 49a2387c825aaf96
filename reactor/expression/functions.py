"""The functions that expressions may call: CEL's own, and a few that its users miss.

What is offered is small on purpose.  Left out are functions whose result can be far larger than
their arguments (`replace`, `split`, `lists.range`), because arguments come from strangers.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from reactor.expression.static import BOOL, FLOAT, INT, STR, UNKNOWN, Kind, Static
from reactor.expression.values import CLASS_NAMES

DURATION = Static("duration")
TIME = Static("time")

MACROS = frozenset({"all", "exists", "exists_one", "existsOne", "filter", "map"})
"""Methods of a list whose first argument names the element: `labels.all(l, l.name != "x")`."""

TYPE_NAMES = frozenset(
    [
        "bool",
        "bytes",
        "double",
        "duration",
        "int",
        "list",
        "map",
        "null_type",
        "string",
        "timestamp",
        "type",
        "uint",
    ]
)
"""Names of CEL's own types, for `type(x) == string`."""


@dataclass(frozen=True, slots=True)
class Signature:
    """What a function takes and gives.  The object of a method is its first argument."""

    gives: Static
    arguments: tuple[int, int]  # the least and the most, the object of a method included
    on: frozenset[Kind] = frozenset()  # kinds the first argument may have; empty: any


_TEXT: frozenset[Kind] = frozenset({"str"})
_SIZED: frozenset[Kind] = frozenset({"str", "bytes", "list", "map"})
_TIMED: frozenset[Kind] = frozenset({"time", "duration"})
_NUMBER: frozenset[Kind] = frozenset({"int", "uint", "float"})

METHODS: Mapping[str, Signature] = {
    "contains": Signature(BOOL, (2, 2), _TEXT),
    "startsWith": Signature(BOOL, (2, 2), _TEXT),
    "endsWith": Signature(BOOL, (2, 2), _TEXT),
    "matches": Signature(BOOL, (2, 2), _TEXT),
    "size": Signature(INT, (1, 1), _SIZED),
    "charAt": Signature(STR, (2, 2), _TEXT),
    "indexOf": Signature(INT, (2, 3), _TEXT),
    "lastIndexOf": Signature(INT, (2, 3), _TEXT),
    "substring": Signature(STR, (2, 3), _TEXT),
    "lowerAscii": Signature(STR, (1, 1), _TEXT),
    "upperAscii": Signature(STR, (1, 1), _TEXT),
    "trim": Signature(STR, (1, 1), _TEXT),
    "getFullYear": Signature(INT, (1, 1), _TIMED),
    "getMonth": Signature(INT, (1, 1), _TIMED),
    "getDate": Signature(INT, (1, 1), _TIMED),
    "getDayOfMonth": Signature(INT, (1, 1), _TIMED),
    "getDayOfWeek": Signature(INT, (1, 1), _TIMED),
    "getDayOfYear": Signature(INT, (1, 1), _TIMED),
    "getHours": Signature(INT, (1, 1), _TIMED),
    "getMinutes": Signature(INT, (1, 1), _TIMED),
    "getSeconds": Signature(INT, (1, 1), _TIMED),
    "getMilliseconds": Signature(INT, (1, 1), _TIMED),
}

FUNCTIONS: Mapping[str, Signature] = {
    "is": Signature(BOOL, (2, 2)),
    "has": Signature(BOOL, (1, 1)),
    "size": Signature(INT, (1, 1), _SIZED),
    "int": Signature(INT, (1, 1)),
    "uint": Signature(Static("uint"), (1, 1)),
    "double": Signature(FLOAT, (1, 1)),
    "string": Signature(STR, (1, 1)),
    "bytes": Signature(Static("bytes"), (1, 1)),
    "timestamp": Signature(TIME, (1, 1)),
    "duration": Signature(DURATION, (1, 1)),
    "dyn": Signature(UNKNOWN, (1, 1)),
    "type": Signature(UNKNOWN, (1, 1)),
    "min": Signature(UNKNOWN, (1, 16)),
    "max": Signature(UNKNOWN, (1, 16)),
    "sum": Signature(UNKNOWN, (1, 16)),
    "math.abs": Signature(UNKNOWN, (1, 1), _NUMBER),
    "math.ceil": Signature(FLOAT, (1, 1), _NUMBER),
    "math.floor": Signature(FLOAT, (1, 1), _NUMBER),
    "math.round": Signature(FLOAT, (1, 1), _NUMBER),
}

CHARACTERS = "characters_"
"""What `size` of a text is called inside: CEL counts characters, the fast package counts bytes."""

_FROM_LIBRARY = frozenset(
    [
        "charAt",
        "indexOf",
        "lastIndexOf",
        "substring",
        "lowerAscii",
        "upperAscii",
        "trim",
        "min",
        "max",
        "sum",
        "math.abs",
        "math.ceil",
        "math.floor",
        "math.round",
    ]
)


class NoAnswer:
    """What a function of ours gives instead of raising: the fast package refuses it as an error.

    If the function raised, the package would print the message to standard error.
    """


def implementations(names: frozenset[str]) -> dict[str, Callable[..., object]]:
    """The functions of these names that have to be handed to an evaluation."""
    from cel.stdlib import STDLIB_FUNCTIONS

    own: dict[str, Callable[..., object]] = {"is": _is, CHARACTERS: _size}
    library = {name: STDLIB_FUNCTIONS[name] for name in _FROM_LIBRARY}
    return {name: _quietly(f) for name, f in (own | library).items() if name in names}


def _is(value: object, name: str) -> bool:
    return isinstance(value, dict) and name in value.get(CLASS_NAMES, ())


def _size(value: Any) -> int:
    return len(value)


def _quietly(function: Callable[..., object]) -> Callable[..., object]:
    def call(*args: object) -> object:
        try:
            return function(*args)
        except Exception:  # noqa: BLE001 - whatever it is, the answer is the same
            return NoAnswer()

    return call
