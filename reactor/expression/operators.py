"""What CEL's operators accept, as far as the types of their operands are known.

CEL compares whole numbers with decimals, and mixes them in nothing else.
"""

from collections.abc import Mapping

from reactor.expression.static import BOOL, UNKNOWN, Kind, Static

_NUMBERS: frozenset[Kind] = frozenset({"int", "uint", "float"})
_ORDERED: frozenset[Kind] = frozenset({"str", "bytes", "time", "duration", "bool"})
_OPEN: frozenset[Kind] = frozenset({"unknown"})

_SUMS: Mapping[tuple[str, Kind, Kind], Kind] = {
    ("+", "str", "str"): "str",
    ("+", "bytes", "bytes"): "bytes",
    ("+", "list", "list"): "list",
    ("+", "time", "duration"): "time",
    ("+", "duration", "time"): "time",
    ("+", "duration", "duration"): "duration",
    ("-", "time", "time"): "duration",
    ("-", "time", "duration"): "time",
    ("-", "duration", "duration"): "duration",
}


def fault_of(operator: str, operands: tuple[Static, ...]) -> str | None:
    """Why the operation can never work, or None."""
    kinds = [operand.kind for operand in operands]
    if "unknown" in kinds:
        return None
    if operator == "neg":
        return None if kinds[0] in ("int", "float") else f"`-` of {operands[0]}"
    left, right = operands
    if operator in ("==", "!="):
        return _equality_fault(left, right)
    if operator == "in":
        return _membership_fault(left, right)
    if operator in ("<", "<=", ">", ">="):
        return _order_fault(operator, left, right)
    return None if _sum(operator, left.kind, right.kind) else _sum_fault(operator, left, right)


def result_of(operator: str, operands: tuple[Static, ...]) -> Static:
    """The type of the result; UNKNOWN where the operands leave it open."""
    if operator in ("==", "!=", "<", "<=", ">", ">=", "in"):
        return BOOL
    if operator == "neg":
        return Static(operands[0].kind)
    kind = _sum(operator, operands[0].kind, operands[1].kind)
    return Static(kind) if kind else UNKNOWN


def _sum(operator: str, left: Kind, right: Kind) -> Kind | None:
    if left == right and left in _NUMBERS:
        return None if operator == "%" and left == "float" else left
    return _SUMS.get((operator, left, right))


def _sum_fault(operator: str, left: Static, right: Static) -> str:
    if {left.kind, right.kind} <= _NUMBERS and operator != "%":
        return (
            f"`{operator}` does not mix {left} and {right}; write numbers alike (1.0), "
            "or `double(x)`"
        )
    return f"`{operator}` does not work on {left} and {right}"


def _equality_fault(left: Static, right: Static) -> str | None:
    if "null" in (left.kind, right.kind) or _alike(left.kind, right.kind):
        return None
    return f"{left} is never equal to {right}{_hint(left, right)}"


def _order_fault(operator: str, left: Static, right: Static) -> str | None:
    ordered = _NUMBERS | _ORDERED
    if _alike(left.kind, right.kind) and left.kind in ordered:
        return None
    return f"`{operator}` does not compare {left} with {right}{_hint(left, right)}"


def _membership_fault(left: Static, right: Static) -> str | None:
    if right.kind == "str":
        return "`in` looks into lists and maps; for text write `text.contains(part)`"
    if right.kind not in ("list", "map"):
        return f"`in` looks into lists and maps, not into {right}"
    element = right.of_elements
    if right.kind == "list" and element.kind != "unknown" and not _alike(left.kind, element.kind):
        return f"{left} is never in a list of which each is {element}"
    return None


def _alike(left: Kind, right: Kind) -> bool:
    if {left, right} <= {"object", "map"}:
        return True
    return left == right or {left, right} <= _NUMBERS


def _hint(left: Static, right: Static) -> str:
    kinds = {left.kind, right.kind}
    if kinds == {"time", "str"}:
        return '; write `timestamp("2030-01-31T00:00:00Z")`'
    return '; write `duration("36h")`' if "duration" in kinds and "str" in kinds else ""
