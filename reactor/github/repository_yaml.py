"""Reading a repository's file: YAML 1.2, and for each fault where it stands and what is wrong.

Nothing of the file's values is repeated: the faults may be shown to more people than the file.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from typing import Any

from pydantic import BaseModel, ValidationError

from reactor.errors import ReactorError
from reactor.github.repository_file import PATH, ComponentPart, RepositoryFile

MOST_BYTES = 32 * 1024
MOST_FAULTS = 20
_DEEPEST = 50  # brackets within brackets: of thousands the parser takes half a minute
_LONGEST_SHOWN = 60  # characters of a name
_BRACKET = re.compile(r"[\[\]{}]")
_BYTES = "there is something that is no UTF-8"


@dataclass(frozen=True, slots=True)
class Fault:
    """What is wrong at a place; lines and columns begin with 1."""

    line: int
    column: int
    reason: str

    def __str__(self) -> str:
        return f"line {self.line}, column {self.column}: {self.reason}"


class BadRepositoryFile(ReactorError):
    """Nothing of the file counts; every fault is listed."""

    def __init__(self, faults: Sequence[Fault], *, where: str = PATH) -> None:
        super().__init__(tuple(faults), where)
        self.faults, self.where = tuple(faults), where

    def __str__(self) -> str:
        lines = "\n".join(f"  - {fault}" for fault in self.faults)
        return f"{self.where} can't be used; mend this:\n{lines}"


@dataclass(frozen=True, slots=True)
class ReadFile:
    """A file without faults."""

    rules: RepositoryFile
    extends_at: Fault  # where `_extends` stands, for what turns out to be wrong with it


def read_repository_file(text: str) -> ReadFile:
    """Raises `BadRepositoryFile`.  A long one takes a second: call it in a thread."""
    if len(text.encode("utf-8", "surrogatepass")) > MOST_BYTES:
        raise BadRepositoryFile([Fault(1, 1, f"it is longer than {MOST_BYTES // 1024} KiB")])
    if "\ufffd" in text:  # in place of what could not be decoded
        raise BadRepositoryFile([Fault(text.count("\n", 0, text.index("\ufffd")) + 1, 1, _BYTES)])
    if line := _too_deep(text):
        raise BadRepositoryFile([Fault(line, 1, f"there are more than {_DEEPEST} open brackets")])
    values = _values(text)
    try:
        rules = RepositoryFile.model_validate(values)
    except ValidationError as error:
        found = error.errors(include_url=False, include_input=False, include_context=False)
        faults = sorted(_faults(values, found), key=lambda it: (it.line, it.column))
        raise BadRepositoryFile(faults[:MOST_FAULTS]) from None
    return ReadFile(rules=rules, extends_at=Fault(*_position(values, ("_extends",)), ""))


def _too_deep(text: str) -> int:
    """The line in which too many brackets are open, as far as they can be counted; 0: in none."""
    depth = 0
    for number, line in enumerate(text.splitlines(), 1):
        for bracket in _BRACKET.findall(line):
            depth = depth + 1 if bracket in "[{" else max(0, depth - 1)
            if depth > _DEEPEST:
                return number
    return 0


def _values(text: str) -> Any:
    # YAML 1.2, as the settings are read
    from ruamel.yaml import YAML
    from ruamel.yaml.comments import CommentedMap
    from ruamel.yaml.constructor import DuplicateKeyError
    from ruamel.yaml.error import MarkedYAMLError, YAMLError

    try:
        values = YAML(typ="rt", pure=True).load(text)
    except MarkedYAMLError as error:
        mark = error.problem_mark
        line, column = (mark.line + 1, mark.column + 1) if mark else (1, 1)
        # what the parser says of a repeated key repeats its values
        is_twice = isinstance(error, DuplicateKeyError)
        what = "a key for the second time" if is_twice else f"not YAML: {error.problem}"
        raise BadRepositoryFile([Fault(line, column, what)]) from None
    except (YAMLError, RecursionError, ValueError, TypeError, AttributeError) as error:
        what = f"not YAML that can be read ({type(error).__name__})"
        raise BadRepositoryFile([Fault(1, 1, what)]) from None
    if values is None or (isinstance(values, CommentedMap) and not values):
        what = "it says nothing: write what is wanted, as `mode: live`, or delete the file"
        raise BadRepositoryFile([Fault(1, 1, what)])
    if not isinstance(values, CommentedMap):
        raise BadRepositoryFile([Fault(1, 1, "it must hold names and values, as `mode: live`")])
    return values


def _faults(values: Any, found: Iterable[Any]) -> Iterator[Fault]:  # pydantic's ErrorDetails
    for error in found:
        where = tuple(it for it in error["loc"] if it != "[key]")
        reason = _reason(error, where)
        yield Fault(*_position(values, where, is_key=error["type"] in _OF_KEYS), reason)


_OF_KEYS = frozenset({"extra_forbidden", "invalid_key"})
_WORDS = {
    "string_type": "it must be text; put quotes around it",
    "tuple_type": "it must be a list, as [a, b]",
    "bool_parsing": "it must be true or false",
    "bool_type": "it must be true or false",
    "model_type": "it must hold names and values",
    "dict_type": "it must hold names and values",
    "invalid_key": "a name must be text; put quotes around it",
    "string_too_short": "it must not be empty",
}
_PATTERNS = {
    "_extends": "it must be the name of a repository, or OWNER/NAME",
    "allow": "it must be the name of a kind, as AddLabels",
    "commands": "it must be the name of a command, as remove-label",
}


def _reason(error: Any, where: Sequence[str | int]) -> str:
    kind = error["type"]
    if kind == "extra_forbidden":
        return _unknown(where)
    if kind == "literal_error":
        return "it must be observe, approve or live"
    if kind == "string_pattern_mismatch":
        of = next((name for name in where if name in _PATTERNS), None)
        return _PATTERNS[str(of)] if of is not None else "it has characters that it can't have"
    if kind == "tuple_type" and where == ("commands",):
        return "it must be a list of names, true or false"
    return _WORDS.get(kind, str(error["msg"]).removeprefix("Value error, "))


def _unknown(where: Sequence[str | int]) -> str:
    name = str(where[-1])[:_LONGEST_SHOWN]
    model: type[BaseModel] = ComponentPart if where[0] == "components" else RepositoryFile
    names = [field.alias or known for known, field in model.model_fields.items()]
    near = get_close_matches(name.lower(), names, n=1)
    hint = f"did you mean `{near[0]}`?" if near else f"there are {', '.join(sorted(names))}"
    return f"there is no `{name}` here; {hint}"


def _position(values: Any, where: Sequence[str | int], *, is_key: bool = False) -> tuple[int, int]:
    """Of the value, or of its key; as near as can be told."""
    line, column, part = 0, 0, values
    for at, step in enumerate(where):
        positions = getattr(getattr(part, "lc", None), "data", None) or {}
        found = positions.get(step)
        if found is None:
            break
        is_last = at == len(where) - 1
        line, column = found[2:4] if len(found) == 4 and not (is_last and is_key) else found[:2]
        part = part[step]
    return line + 1, column + 1
