"""Tools: functions that a model may call while it answers.

Their arguments are validated against the annotations of the function, whatever the model wrote,
and what goes wrong in one is told to the model.  A tool gives facts; what changes anything
outside is an effect, which no tool makes.
"""

import inspect
import json
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from pydantic import ConfigDict, TypeAdapter, ValidationError, create_model
from pydantic_core import to_json

from reactor.ai.cleaning import json_values
from reactor.ai.exchange import ToolCall, ToolSchema
from reactor.errors import InfrastructureError
from reactor.failure import in_one_line
from reactor.untrusted import fence

_NAME = re.compile(r"[A-Za-z_]\w{0,63}", re.ASCII)  # as providers take it
RESULT_LIMIT = 8000  # characters of a result that the model is shown


@dataclass(frozen=True, slots=True, kw_only=True)
class Tool:
    """A function with what a model is told of it."""

    name: str
    description: str
    call: Callable[..., object]  # may be async
    arguments: TypeAdapter[Any] = field(repr=False)

    @classmethod
    def of(cls, function: Callable[..., object]) -> "Tool":
        """The tool that a function is: its name, its docstring, its annotations.

        Raises `TypeError` for a function whose parameters can't be told to a model.
        """
        name = getattr(function, "__name__", "")
        if not _NAME.fullmatch(name):
            raise TypeError(f"{function!r} has no name that a model could call it by")
        fields: dict[str, Any] = {}
        hints = inspect.get_annotations(function, eval_str=True)
        for parameter in inspect.signature(function).parameters.values():
            if parameter.kind in (parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD):
                raise TypeError(f"the tool {name} takes {parameter.name} in no way that has a type")
            if parameter.name not in hints:
                raise TypeError(f"the tool {name} takes {parameter.name} without a type")
            default = ... if parameter.default is parameter.empty else parameter.default
            fields[parameter.name] = (hints[parameter.name], default)
        model = create_model(name, __config__=ConfigDict(extra="forbid"), **fields)
        described = inspect.getdoc(function) or name
        return cls(name=name, description=described, call=function, arguments=TypeAdapter(model))

    @property
    def schema(self) -> ToolSchema:
        """As a model sees it."""
        parameters = self.arguments.json_schema()
        return ToolSchema(name=self.name, description=self.description, parameters=parameters)

    async def answer(self, call: ToolCall) -> str:
        """What the model is told for its call, fenced: a result is text by others.

        Raises `InfrastructureError`.
        """
        try:
            given = self._read(call.arguments)
        except (ValidationError, ValueError) as error:
            return f"{self.name} was not called; its arguments are wrong: {_faults(error)}"
        try:
            result = self.call(**given)
            if inspect.isawaitable(result):
                result = await result
            shown = _shown(result)
        except InfrastructureError:
            raise
        except Exception as error:  # noqa: BLE001 - a tool may raise anything; the model goes on
            what = f"failure of {self.name}"
            return fence(in_one_line(error), source=what, limit=RESULT_LIMIT)
        return fence(shown, source=f"result of {self.name}", limit=RESULT_LIMIT)

    def _read(self, arguments: str) -> Mapping[str, object]:
        """Raises `ValueError`, pydantic's included."""
        found = next(json_values(arguments or "{}"), None)
        if not isinstance(found, dict):
            raise ValueError("they are no JSON object")
        read = self.arguments.validate_json(json.dumps(found))
        return {name: getattr(read, name) for name in type(read).model_fields}


def _shown(result: object) -> str:
    if isinstance(result, str):
        return result
    return to_json(result, fallback=str).decode("utf-8", "replace")


def _faults(error: ValueError) -> str:
    if not isinstance(error, ValidationError):
        return str(error)
    faults = error.errors(include_url=False, include_context=False)
    return "; ".join(f"{'.'.join(map(str, f['loc']))}: {f['msg']}" for f in faults)
