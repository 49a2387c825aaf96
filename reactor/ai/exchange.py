"""What goes to a model and what comes back, as plain data, and the port in between.

Of providers and their clients nothing is known here; an adapter fits `Models`.
"""

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal, Protocol

Role = Literal["system", "user", "assistant", "tool"]
Finish = Literal["stop", "length", "refused", "tools"]


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolCall:
    """A model wants a tool to be called."""

    id: str
    name: str
    arguments: str  # as the model wrote them: JSON, or not


@dataclass(frozen=True, slots=True, kw_only=True)
class Message:
    """One turn of a conversation."""

    role: Role
    text: str
    calls: tuple[ToolCall, ...] = ()  # of an assistant
    answers: str = ""  # of a tool: the id of the call


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolSchema:
    """A tool as a model sees it."""

    name: str
    description: str
    parameters: Mapping[str, object]  # JSON schema of an object


@dataclass(frozen=True, slots=True, kw_only=True)
class AnswerSchema:
    """What an answer has to look like."""

    name: str
    schema: Mapping[str, object]  # JSON schema of an object
    instructions: str  # says the same in words, for providers that take no schema


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """One call of one model."""

    model: str  # its name in the settings
    messages: tuple[Message, ...]
    answer: AnswerSchema | None = None  # None: any text will do
    tools: tuple[ToolSchema, ...] = ()
    temperature: float | None = None  # None: the provider's
    max_tokens: int | None = None  # of the answer; None: the provider's
    timeout_s: float = 60.0
    behind: tuple[str, ...] = ()  # what answers by these names, fallbacks included: see `Choices`

    @property
    def answer_digest(self) -> str:
        """SHA-256 of all that the answer depends on, 64 hex digits: what answers, and what to."""
        return _digest([self.content_digest, self.behind])

    @property
    def content_digest(self) -> str:
        """SHA-256 of all that is asked, 64 hex digits: the same wherever the model is."""
        parts = [
            self.model,
            [
                [m.role, m.text, m.answers, [[c.name, c.arguments] for c in m.calls]]
                for m in self.messages
            ],
            [self.answer.name, self.answer.schema] if self.answer else None,
            [[tool.name, tool.description, tool.parameters] for tool in self.tools],
            self.temperature,
            self.max_tokens,
        ]
        return _digest(parts)

    @property
    def prompt_size(self) -> int:
        """Characters of all that is sent, roughly."""
        size = sum(len(m.text) + sum(len(c.arguments) for c in m.calls) for m in self.messages)
        size += sum(len(json.dumps(tool.parameters, default=str)) for tool in self.tools)
        return size + (len(self.answer.instructions) if self.answer else 0)

    def to(self, model: str) -> "Request":
        """The same for another model."""
        return replace(self, model=model)


@dataclass(frozen=True, slots=True, kw_only=True)
class Usage:
    """What a call took."""

    prompt_tokens: int = 0
    completion_tokens: int = 0
    cost_usd: float = 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Reply:
    """What a model answered; what it cost is reckoned by whoever called."""

    text: str = ""
    calls: tuple[ToolCall, ...] = ()
    finish: Finish = "stop"
    usage: Usage = field(default_factory=Usage)


class Models(Protocol):
    """The models that there are, by their names in the settings."""

    async def complete(self, request: Request) -> Reply:
        """Ask once.  Raises `ModelUnavailable` and `ModelRefused`, nothing else."""
        ...

    async def make_ready(self) -> None:
        """Do what takes long before the first call, and is no model's fault.  Raises nothing."""
        ...


def _digest(parts: Sequence[object]) -> str:
    return hashlib.sha256(json.dumps(parts, sort_keys=True, default=str).encode()).hexdigest()
