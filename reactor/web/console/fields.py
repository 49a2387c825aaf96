"""A form as fields: from the JSON schema of an answer to what a page shows, and back to a value.

    {"type": "object", "properties": {"label": {"enum": ["bug", "question"]}, ...}}  ->  fields
    what was typed into them  ->  {"label": "bug", ...}, and a fault beside each field that has one

Objects within objects become fields of their own; what no field fits is typed as JSON.  Whether
the value is what the schema asks for is looked at by the desk that takes the answer: here only
what can't be put into a value at all is a fault.
"""

import json
import math
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

from reactor.web.console.schema import Part, parts_of

Kind = Literal["text", "long", "date", "number", "flag", "choice", "choices", "lines", "json"]

_NOTHING = object()  # the field says nothing: it is left out of the value
_INTEGER = re.compile(r"[+-]?[0-9]{1,30}")
_LONG = frozenset({"text", "body", "comment", "message", "description", "reason", "notes"})
_LONGEST_LINE = 200  # characters; a text that may have more is given more room


@dataclass(frozen=True, slots=True)
class Option:
    """One that may be chosen."""

    value: str  # JSON of it
    label: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Field:
    """One thing to fill in."""

    name: str  # of the input
    part: Part
    kind: Kind
    options: tuple[Option, ...] = ()
    given: tuple[str, ...] = ()  # what stands in it: a text, or the values of what is chosen

    @property
    def label(self) -> str:
        """What it is called."""
        return " · ".join(self.part.titles) or "Answer"

    @property
    def help(self) -> str:
        """What its schema says of it."""
        return str(self.part.schema.get("description", ""))

    @property
    def text(self) -> str:
        """What stands in it, of those with one text."""
        return self.given[0] if self.given else ""

    @property
    def is_required(self) -> bool:
        """Whether something has to be said."""
        return self.part.is_required and not self.part.is_nullable


class Faults(Exception):
    """What was typed makes no value; `by_field`: name of the field -> what is wrong."""

    def __init__(self, by_field: Mapping[str, str]) -> None:
        super().__init__(by_field)
        self.by_field = by_field


def fields_of(schema: Mapping[str, object], value: object = None) -> tuple[Field, ...]:
    """The fields of a schema; `value`: what stands in them, in place of the schema's defaults."""
    return tuple(_fields(parts_of(schema), value))


def typed_into(fields: Sequence[Field], sent: Sequence[tuple[str, str]]) -> tuple[Field, ...]:
    """The same fields with what was typed into them."""
    return tuple(
        replace(field, given=tuple(value for name, value in sent if name == field.name))
        for field in fields
    )


def value_of(fields: Sequence[Field]) -> object:
    """The value that fields make.  Raises `Faults`."""
    made: dict[str, Any] = {}
    faults: dict[str, str] = {}
    for field in fields:
        try:
            found = _READERS[field.kind](field)
        except ValueError as bad:
            faults[field.name] = str(bad)
            continue
        if found is not _NOTHING:
            if not field.part.path:
                made[""] = found
                continue
            _put(made, field.part.path, found)
    if faults:
        raise Faults(faults)
    if len(fields) == 1 and not fields[0].part.path:
        return made.get("")
    return made


def faults_by_field(problems: Sequence[str], fields: Sequence[Field]) -> dict[str, str]:
    """Sort what a desk says is wrong ("place: what") to the fields; "" has the rest."""
    sorted_in: dict[str, str] = {}
    for problem in problems:
        where, found, what = problem.partition(": ")
        place = where.split(".") if found else []
        name = _nearest(place, fields) if place else ""
        told = what if name else problem
        sorted_in[name] = f"{sorted_in[name]}; {told}" if name in sorted_in else told
    return sorted_in


def _nearest(place: Sequence[str], fields: Sequence[Field]) -> str:
    fitting = [
        f for f in fields if f.part.path and list(f.part.path) == [*place][: len(f.part.path)]
    ]
    return max(fitting, key=lambda field: len(field.part.path)).name if fitting else ""


def _fields(parts: Sequence[Part], value: object) -> Iterator[Field]:
    for number, part in enumerate(parts):
        kind, options = _kind(part)
        field = Field(name=f"field-{number}", part=part, kind=kind, options=options)
        stands = part.value_in(value)
        yield replace(field, given=_given(field, stands)) if stands is not None else field


def _kind(part: Part) -> tuple[Kind, tuple[Option, ...]]:
    schema = part.schema
    if options := _options(schema):
        return "choice", options
    match schema.get("type"):
        case "boolean":
            return "flag", (Option("true", "yes"), Option("false", "no"))
        case "integer" | "number":
            return "number", ()
        case "string":
            return _kind_of_text(part), ()
        case "array":
            items = part.items
            if options := _options(items):
                return "choices", options
            if items.get("type") == "string":
                return "lines", ()
    return "json", ()


def _kind_of_text(part: Part) -> Kind:
    if part.schema.get("format") == "date":
        return "date"
    longest = part.schema.get("maxLength")
    if isinstance(longest, int):
        return "long" if longest > _LONGEST_LINE else "text"
    return "long" if part.path and part.path[-1].lower() in _LONG else "text"


def _options(schema: Mapping[str, Any]) -> tuple[Option, ...]:
    allowed = [schema["const"]] if "const" in schema else schema.get("enum")
    if not isinstance(allowed, list):
        return ()
    return tuple(
        Option(json.dumps(each), each if isinstance(each, str) else json.dumps(each))
        for each in allowed
    )


def _given(field: Field, value: Any) -> tuple[str, ...]:
    match field.kind:
        case "choices" if isinstance(value, list):
            return tuple(json.dumps(each) for each in value)
        case "choice" | "flag":
            return (json.dumps(value),)
        case "lines" if isinstance(value, list):
            return ("\n".join(map(str, value)),)
        case "json":
            return (json.dumps(value, indent=2, ensure_ascii=False),)
    return (value if isinstance(value, str) else json.dumps(value),)


def _put(made: dict[str, Any], path: Sequence[str], value: object) -> None:
    *outer, last = path
    for name in outer:
        made = made.setdefault(name, {})
    made[last] = value


def _empty(field: Field) -> object:
    """What a field says in which nothing stands.  Raises `ValueError`."""
    part, default = field.part, field.part.schema.get("default")
    if part.is_nullable:
        return None if part.is_required or default is not None else _NOTHING
    if field.kind in ("text", "long") and default:
        return ""  # it was emptied
    if part.is_required:
        raise ValueError("say something here")
    return _NOTHING


def _read_text(field: Field) -> object:
    text = field.text.replace("\r\n", "\n")
    return text if text.strip() else _empty(field)


def _read_number(field: Field) -> object:
    text = field.text.strip()
    if not text:
        return _empty(field)
    if _INTEGER.fullmatch(text):
        return int(text)
    if field.part.schema.get("type") == "integer":
        raise ValueError("give a whole number")
    try:
        number = float(text)
    except ValueError:
        raise ValueError("give a number, as 0.75") from None
    if not math.isfinite(number):
        raise ValueError("give a number, as 0.75")
    return number


def _read_choice(field: Field) -> object:
    if not field.text:
        return _empty(field)
    return _chosen(field, field.text)


def _read_choices(field: Field) -> object:
    chosen = [_chosen(field, each) for each in field.given if each]
    if not chosen and not field.part.schema.get("default") and not field.part.is_required:
        return _NOTHING
    return chosen


def _chosen(field: Field, value: str) -> object:
    if value not in {option.value for option in field.options}:
        raise ValueError("choose one of what is offered")
    return json.loads(value)


def _read_lines(field: Field) -> object:
    lines = [line.strip() for line in field.text.splitlines() if line.strip()]
    return lines if lines or field.part.schema.get("default") else _empty_list(field)


def _empty_list(field: Field) -> object:
    return [] if field.part.is_required else _NOTHING


def _read_json(field: Field) -> object:
    if not field.text.strip():
        return _empty(field)
    try:
        return json.loads(field.text, parse_constant=_no_number)
    except RecursionError:
        raise ValueError("this is nested too deeply") from None
    except ValueError as bad:
        raise ValueError(f"this is no JSON: {bad}") from None


def _no_number(word: str) -> float:
    raise ValueError(f"{word} is no number of JSON")


_READERS = {
    "text": _read_text,
    "long": _read_text,
    "date": _read_text,
    "number": _read_number,
    "flag": _read_choice,
    "choice": _read_choice,
    "choices": _read_choices,
    "lines": _read_lines,
    "json": _read_json,
}
