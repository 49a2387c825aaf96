"""Typed answers: what a model is told of the type it has to give, and how its answer is read.

Pure.  Any type that pydantic can validate will do; what is no object is wrapped in one, since
providers take schemas of objects only.
"""

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Generic, TypeVar

from pydantic import TypeAdapter, ValidationError

from reactor.ai.cleaning import json_values
from reactor.ai.exchange import AnswerSchema

T = TypeVar("T")

_WRAPPED = "value"  # the one field of the object around an answer that is none
_MOST_FAULTS = 8  # that are told to the model
_INSTRUCTIONS = """\
Answer with one JSON object and nothing else: no fence, no comment, no text before or after it.
It has to fit this JSON schema:
{schema}"""


class Unreadable(ValueError):
    """An answer is not of the wanted type; the message is what the model is told of it."""


@dataclass(frozen=True)
class Output(Generic[T]):
    """A wanted type."""

    kind: type[T]

    @property
    def name(self) -> str:
        """The class name, as people know it."""
        return getattr(self.kind, "__name__", None) or str(self.kind)

    @cached_property
    def answer(self) -> AnswerSchema:
        """What a model is told of it."""
        text = json.dumps(self._schema, ensure_ascii=False)
        return AnswerSchema(
            name=re.sub(r"\W+", "_", self.name)[:60] or "answer",
            schema=self._schema,
            instructions=_INSTRUCTIONS.format(schema=text),
        )

    def read(self, text: str) -> T:
        """The value that the text means.  Raises `Unreadable`."""
        first_fault = ""
        for value in json_values(text):
            try:
                return self._adapter.validate_json(json.dumps(self._unwrapped(value)))
            except (ValidationError, ValueError) as error:
                first_fault = first_fault or _told(error)
        if not text.strip():
            raise Unreadable("It was empty.")
        raise Unreadable(first_fault or "There is no JSON object in it.")

    @cached_property
    def _adapter(self) -> TypeAdapter[T]:
        return TypeAdapter(self.kind)

    @cached_property
    def _own_schema(self) -> dict[str, Any]:
        return self._adapter.json_schema()

    @cached_property
    def _is_wrapped(self) -> bool:
        return self._own_schema.get("type") != "object"

    @cached_property
    def _schema(self) -> Mapping[str, object]:
        if not self._is_wrapped:
            return self._own_schema
        inner = dict(self._own_schema)
        shared = {"$defs": inner.pop("$defs")} if "$defs" in inner else {}
        return {
            "type": "object",
            "properties": {_WRAPPED: inner},
            "required": [_WRAPPED],
            **shared,
        }

    def _unwrapped(self, value: object) -> object:
        if self._is_wrapped and isinstance(value, dict) and list(value) == [_WRAPPED]:
            return value[_WRAPPED]
        return value


def _told(error: ValueError) -> str:
    if not isinstance(error, ValidationError):
        return str(error)
    faults = error.errors(include_url=False, include_context=False)
    lines = [
        f"{'.'.join(map(str, fault['loc'])) or 'the object'}: {fault['msg']}"
        for fault in faults[:_MOST_FAULTS]
    ]
    return "\n".join(lines)
