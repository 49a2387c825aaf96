"""An action as a tool: what a model is told of it, and how its call is read.

What is on the blackboard is filled in by the engine; only the rest is asked of the model.
"""

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from itertools import count
from typing import Any

from pydantic import ConfigDict, Field, TypeAdapter, ValidationError, create_model

from reactor.ai.cleaning import json_values
from reactor.ai.exchange import ToolSchema
from reactor.installed import Action
from reactor.result import facts_of
from reactor.signature import Input

_LONGEST_NAME = 64  # that providers take
_READY = "READY, it takes nothing from you."


class BadArguments(ValueError):
    """What a model wrote does not fit; the message is what it is told."""


@dataclass(frozen=True)
class ActionTool:
    """One action on offer."""

    name: str  # as the model knows it
    action: Action
    asked: tuple[Input, ...] = ()  # what is left to supply

    @property
    def is_ready(self) -> bool:
        """Whether nothing has to be supplied."""
        return all(taken.optional for taken in self.asked)

    @property
    def schema(self) -> ToolSchema:
        """As a model sees it."""
        gives = " and ".join(kind.__name__ for kind in facts_of(self.action.signature.result))
        described = self.action.goal.description if self.action.goal else ""
        parts = (
            _READY if self.is_ready else "",
            self.action.mark.description or described,
            f"Gives {gives}." if gives else "",
            "It reaches the goal." if self.action.goal else "",
        )
        return ToolSchema(
            name=self.name,
            description=" ".join(filter(None, parts)) or self.name,
            parameters=self._adapter.json_schema(),
        )

    def read(self, arguments: str) -> Mapping[str, object]:
        """The values that a call supplies, by parameter.  Raises `BadArguments`."""
        if not self.asked:
            return {}
        found = next(json_values(arguments or "{}"), None)
        if not isinstance(found, dict):
            raise BadArguments("they are no JSON object")
        only = self.asked[0].parameter
        if len(self.asked) == 1 and found and only not in found:
            found = {only: found}  # its fields, without the name that is around them
        try:
            read = self._adapter.validate_json(json.dumps(found))
        except ValidationError as error:
            faults = error.errors(include_url=False, include_context=False)
            told = (f"{'.'.join(map(str, fault['loc']))}: {fault['msg']}" for fault in faults)
            raise BadArguments("; ".join(told)) from None
        values = {
            taken.parameter: getattr(read, f"p{number}") for number, taken in enumerate(self.asked)
        }
        return {parameter: value for parameter, value in values.items() if value is not None}

    @cached_property
    def _adapter(self) -> TypeAdapter[Any]:
        # by alias: a parameter may be called like something that every model has
        fields: dict[str, Any] = {
            f"p{number}": (
                taken.kind | None if taken.optional else taken.kind,
                Field(None if taken.optional else ..., alias=taken.parameter),
            )
            for number, taken in enumerate(self.asked)
        }
        return TypeAdapter(
            create_model("Arguments", __config__=ConfigDict(extra="ignore"), **fields)
        )


def tool_names(actions: Iterable[Action]) -> Mapping[str, str]:
    """By action, what it is called as a tool: its method, or more where two are called so.

    In letters that providers take.  The same for the same actions, whichever of them are on offer.
    """
    names: dict[str, str] = {}
    taken: set[str] = set()
    for action in sorted(actions, key=lambda each: each.name):
        name = next(name for name in _wanted_names(action.name) if name not in taken)
        names[action.name] = name
        taken.add(name)
    return names


def _wanted_names(action: str) -> Iterator[str]:
    """What it may be called, best first, without an end."""
    method = _plain(action.rpartition(".")[2])
    yield method[:_LONGEST_NAME]
    yield _plain(action)[:_LONGEST_NAME]
    yield from (f"{method[: _LONGEST_NAME - 8]}_{number}" for number in count(2))


def _plain(name: str) -> str:
    return re.sub(r"\W", "_", name, flags=re.ASCII)
