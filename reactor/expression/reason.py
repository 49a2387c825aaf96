"""Why an evaluation failed, in words for the person who wrote the expression."""

import re
from collections.abc import Mapping, Sequence

from reactor.expression.functions import CHARACTERS
from reactor.expression.need import Need

_LONGEST = 200  # characters; reasons are journalled with every tick


def why_unknown(
    error: BaseException,
    given: Mapping[str, object],
    notes: Sequence[str],
    needs: Mapping[str, Need],
) -> str:
    """One line: the null or unreadable value that was stumbled over, or what CEL says."""
    if notes:
        return _short("; ".join(notes))
    for name, need in needs.items():
        found = _null_on_the_way(given.get(name), need, name)
        if found:
            return found
    return _short(_in_words(error))


def _null_on_the_way(value: object, need: Need, path: str) -> str | None:
    if value is None and need.fields:
        names = " and ".join(need.fields)
        return _short(f"{path} is null, so its {names} cannot be read")
    if isinstance(value, list) and need.elements:
        found = (_null_on_the_way(v, need.elements, f"{path}[{i}]") for i, v in enumerate(value))
        return next((reason for reason in found if reason), None)
    if isinstance(value, dict):
        found = (_null_on_the_way(value.get(n), i, f"{path}.{n}") for n, i in need.fields.items())
        return next((reason for reason in found if reason), None)
    return None


def _in_words(error: BaseException) -> str:
    if isinstance(error, KeyError):
        return f"there is no field {error.args[0]!r}"
    if type(error).__name__ == "PanicException":
        return "the evaluator broke down"
    called = re.match(r"Function '(\w[\w.]*)' error: ", str(error))
    if called and "NoAnswer" in str(error):
        name = "size" if called.group(1) == CHARACTERS else called.group(1)
        return f"{name}() cannot work with what it got"
    return str(error).partition(" CEL does not coerce")[0].partition(" Check ")[0]


def _short(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= _LONGEST else line[: _LONGEST - 3] + "..."
